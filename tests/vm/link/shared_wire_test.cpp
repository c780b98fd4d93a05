#include "vm/link/shared_wire.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "vm/link/seal.hpp"

using namespace nasvm;

namespace {

constexpr link::SharedHeader header{.answer_at_once = true,
                                    .source = 0x1234,
                                    .label = 0xdeadbeef,
                                    .counter = 0x0102030405060708,
                                    .timestamp = 0x89abcdef};

std::vector<std::byte> body_of(std::span<const link::SharedEntry> entries, std::size_t payload_bytes) {
  std::vector<std::byte> body(link::shared_overhead_bytes(entries.size()) + payload_bytes, std::byte{7});
  REQUIRE(link::encode(header, entries, payload_bytes, body) == link::shared_overhead_bytes(entries.size()));
  return body;
}

}  // namespace

TEST_CASE("a shared datagram tells each host where in its stream the payload stands", "[link][sharing]") {
  const std::array<link::SharedEntry, 3> entries{{{2, 5}, {3, link::shared_offset_limit - 1}, {0x7ffe, 0}}};
  const auto body = body_of(entries, 100);
  for (const auto& [host, offset] : entries) {
    const auto datagram = link::decode_shared(body, host);
    REQUIRE(datagram);
    CHECK(datagram->offset == offset);
    CHECK(datagram->payload.size() == 100);
    CHECK(datagram->header.answer_at_once);
    CHECK(datagram->header.source == header.source);
    CHECK(datagram->header.label == header.label);
    CHECK(datagram->header.counter == header.counter);
    CHECK(datagram->header.timestamp == header.timestamp);
  }
  CHECK_FALSE(link::decode_shared(body, 4)->offset);
}

TEST_CASE("a shared datagram's origin is that of no pair of hosts", "[link][sharing]") {
  const link::Origin origin = link::origin_of(body_of({}, 0));
  CHECK(origin.source == header.source);
  CHECK(origin.destination == link::every_host);
  CHECK(origin.counter == header.counter);
}

TEST_CASE("shared datagrams that are cut, of another kind or contradict themselves are none", "[link][sharing]") {
  const std::array<link::SharedEntry, 2> entries{{{2, 5}, {3, 6}}};
  const auto body = body_of(entries, 10);
  REQUIRE(link::decode_shared(body, 2));
  for (std::size_t length = 0; length < body.size(); ++length) {
    CHECK_FALSE(link::decode_shared(std::span(body).first(length), 2));
  }
  for (const std::size_t at : {0, 1, 20, 25}) {  // version, type, payload bytes, entries
    auto changed = body;
    changed[at] = std::byte{9};
    CHECK_FALSE(link::decode_shared(changed, 2));
  }
  auto flagged = body;
  flagged[24] = std::byte{2};
  CHECK_FALSE(link::decode_shared(flagged, 2));
  CHECK_FALSE(link::decode_shared(body_of({}, 10), 2));
  CHECK_FALSE(link::decode_shared(body_of(entries, 0), 2));
}

TEST_CASE("a shared datagram that somebody has changed does not authenticate", "[link][sharing]") {
  const std::array<std::byte, link::Seal::secret_bytes> secret{std::byte{42}};
  link::Seal seal(secret);
  const std::array<link::SharedEntry, 2> entries{{{2, 5}, {3, 6}}};
  auto datagram = body_of(entries, 10);
  const std::size_t body_bytes = datagram.size();
  datagram.resize(body_bytes + link::tag_bytes);
  REQUIRE(seal.seal(datagram, body_bytes) == datagram.size());
  REQUIRE(seal.open(datagram));
  for (std::size_t at = 0; at < datagram.size(); ++at) {
    datagram[at] ^= std::byte{1};
    CHECK_FALSE(seal.open(datagram));
    datagram[at] ^= std::byte{1};
  }
  CHECK(seal.open(datagram));
}
