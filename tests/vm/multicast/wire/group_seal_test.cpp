#include "vm/multicast/wire/group_seal.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "support/packet_recorder.hpp"
#include "support/skip.hpp"

using namespace nasvm;
using namespace nasvm::multicast;
using nasvm::test::pattern;

namespace {

constexpr GroupEnvelope envelope{.authenticated = true, .from = 3, .label = 0x01020304, .counter = 77};

/// A sealed datagram with `payload` bytes behind its envelope.
std::vector<std::byte> sealed(GroupSeal& seal, const GroupEnvelope& wanted, Node to, std::size_t payload) {
  std::vector<std::byte> datagram = pattern(envelope_bytes + payload + GroupSeal::tag_bytes);
  encode(wanted, datagram);
  REQUIRE(seal.seal(datagram, envelope_bytes + payload, wanted, to) == datagram.size());
  return datagram;
}

Gmac::Nonce nonce(std::uint8_t first) {
  Gmac::Nonce nonce{};
  nonce[0] = std::byte{first};
  return nonce;
}

}  // namespace

// NIST, The Galois/Counter Mode of Operation, appendix B, test case 13: AES-256, nothing encrypted, nothing added.
TEST_CASE("tags are those of AES-256-GCM", "[multicast]") {
  const auto tag = make_openssl_gmac(Secret{})->tag_of({}, Gmac::Nonce{});
  CHECK(to_hex(tag) == "530f8afbc74536b9a963b4f1c4cb738b");
}

TEST_CASE("both libraries compute the same tags", "[multicast]") {
  const Secret key = make_secret();
  const auto by_openssl = make_openssl_gmac(key);
  const auto by_ipsec = make_ipsec_gmac(key);
  if (by_ipsec == nullptr) return test::skip("intel-ipsec-mb is not in this build, or not for this processor");
  for (const std::size_t bytes : {0U, 1U, 15U, 16U, 17U, 62U, 255U, 256U, 1456U, 8192U, 65000U}) {
    const auto data = pattern(bytes, static_cast<unsigned>(bytes));
    for (const std::uint8_t first : {0, 1, 255}) {
      CAPTURE(bytes, int{first});
      CHECK(by_ipsec->tag_of(data, nonce(first)) == by_openssl->tag_of(data, nonce(first)));
    }
  }
}

TEST_CASE("a sealed datagram is genuine, and every changed one is not", "[multicast]") {
  const Secret key = make_secret();
  GroupSeal seal(make_gmac(key));
  GroupSeal receiver(make_gmac(key));
  auto datagram = sealed(seal, envelope, 5, 40);
  CHECK(receiver.is_genuine(datagram, envelope, 5));
  for (std::size_t bit = 0; bit < 8 * datagram.size(); ++bit) {
    const std::byte mask = std::byte{1} << (bit % 8);
    datagram[bit / 8] ^= mask;
    if (const auto read = decode_envelope(datagram)) CHECK_FALSE(receiver.is_genuine(datagram, *read, 5));
    datagram[bit / 8] ^= mask;
  }
  CHECK(receiver.is_genuine(datagram, envelope, 5));
  CHECK_FALSE(receiver.is_genuine(std::span(datagram).first(datagram.size() - 1), envelope, 5));
  CHECK_FALSE(GroupSeal(make_gmac(make_secret())).is_genuine(datagram, envelope, 5));
}

TEST_CASE("a datagram for one node is none for another, one for all is for each", "[multicast]") {
  GroupSeal seal(make_gmac(make_secret()));
  const auto for_five = sealed(seal, envelope, 5, 0);
  CHECK_FALSE(seal.is_genuine(for_five, envelope, 4));
  GroupEnvelope to_all = envelope;
  to_all.to_all = true;
  CHECK_FALSE(seal.is_genuine(for_five, to_all, 5));
  const auto for_all = sealed(seal, to_all, 5, 0);
  CHECK(seal.is_genuine(for_all, to_all, 4));
  CHECK(seal.is_genuine(for_all, to_all, 5));
  CHECK_FALSE(seal.is_genuine(for_all, envelope, 5));
}
