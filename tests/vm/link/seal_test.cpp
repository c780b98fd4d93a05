#include "vm/link/seal.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "vm/link/simulated_pair.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

std::array<std::byte, link::Seal::secret_bytes> secret(std::uint8_t fill) {
  std::array<std::byte, link::Seal::secret_bytes> bytes{};
  bytes.fill(std::byte{fill});
  return bytes;
}

std::vector<std::byte> sealed(const link::Seal& seal, const link::Header& header,
                              std::span<const std::byte> payload) {
  std::vector<std::byte> datagram(link::header_bytes + payload.size() + link::tag_bytes);
  const std::size_t at = link::encode(header, {}, payload.size(), datagram);
  std::copy(payload.begin(), payload.end(), datagram.begin() + static_cast<std::ptrdiff_t>(at));
  REQUIRE(seal.seal(datagram, at + payload.size()) == datagram.size());
  return datagram;
}

}  // namespace

TEST_CASE("what one daemon seals another of the machine opens, whatever the length", "[link]") {
  const link::Seal ours(secret(1));
  link::Seal theirs(secret(1));
  for (const std::size_t bytes : {0UL, 1UL, 15UL, 1400UL, 65000UL}) {
    const auto payload = random_bytes(bytes, bytes);
    const auto datagram = sealed(ours, {.source = 3, .destination = 4, .counter = bytes}, payload);
    const auto body = theirs.open(datagram);
    REQUIRE(body);
    CHECK(body->size() == datagram.size() - link::tag_bytes);
    CHECK(std::equal(payload.begin(), payload.end(), body->begin() + link::header_bytes));
  }
  CHECK(theirs.rejected() == 0);
}

TEST_CASE("a datagram with any bit changed is rejected and counted", "[link]") {
  link::Seal seal(secret(1));
  const auto datagram = sealed(seal, {.source = 1, .destination = 2, .counter = 7}, random_bytes(20, 1));
  for (std::size_t bit = 0; bit < 8 * datagram.size(); ++bit) {
    auto changed = datagram;
    changed[bit / 8] ^= std::byte{1} << (bit % 8);
    REQUIRE_FALSE(seal.open(changed));
  }
  CHECK(seal.rejected() == 8 * datagram.size());
  CHECK(seal.open(datagram));
}

TEST_CASE("a datagram of another length or another machine is rejected", "[link]") {
  link::Seal seal(secret(1));
  link::Seal other(secret(2));
  auto datagram = sealed(seal, {.source = 1, .destination = 2}, random_bytes(20, 1));
  CHECK_FALSE(other.open(datagram));
  for (std::size_t bytes = 0; bytes < datagram.size(); ++bytes) {
    REQUIRE_FALSE(seal.open(std::span(datagram).first(bytes)));
  }
  CHECK(seal.rejected() == datagram.size());
}

TEST_CASE("equal bodies with other counters or hosts have other tags", "[link]") {
  const link::Seal seal(secret(1));
  const auto tag = [&](const link::Header& header) {
    const auto datagram = sealed(seal, header, {});
    return std::vector<std::byte>(datagram.end() - static_cast<std::ptrdiff_t>(link::tag_bytes), datagram.end());
  };
  const auto first = tag({.source = 1, .destination = 2, .counter = 1});
  CHECK(first == tag({.source = 1, .destination = 2, .counter = 1}));
  CHECK(first != tag({.source = 1, .destination = 2, .counter = 2}));
  CHECK(first != tag({.source = 2, .destination = 1, .counter = 1}));
}

TEST_CASE("a buffer without room for the tag is a programmer's mistake", "[link]") {
  const link::Seal seal(secret(1));
  std::vector<std::byte> buffer(link::header_bytes + link::tag_bytes - 1);
  CHECK_THROWS_AS(seal.seal(buffer, link::header_bytes), std::invalid_argument);
  CHECK_THROWS_AS(seal.seal(buffer, link::origin_bytes - 1), std::invalid_argument);
}
