#include "vm/multicast/wire/group_seal.hpp"

#include <sodium.h>

#include <algorithm>

namespace nasvm::multicast {
namespace {

Gmac::Nonce nonce_of(const GroupEnvelope& envelope, Node to) {
  const Node receiver = envelope.to_all ? node_limit : to;
  Gmac::Nonce nonce{};
  for (std::size_t i = 0; i < 2; ++i) {
    nonce[i] = static_cast<std::byte>(envelope.from >> (8 * i));
    nonce[2 + i] = static_cast<std::byte>(receiver >> (8 * i));
  }
  for (std::size_t i = 0; i < 8; ++i) nonce[4 + i] = static_cast<std::byte>(envelope.counter >> (8 * i));
  return nonce;
}

}  // namespace

std::size_t GroupSeal::seal(std::span<std::byte> datagram, std::size_t body_bytes, const GroupEnvelope& envelope,
                            Node to) {
  const Gmac::Tag tag = gmac_->tag_of(datagram.first(body_bytes), nonce_of(envelope, to));
  std::ranges::copy(tag, datagram.subspan(body_bytes).begin());
  return body_bytes + tag_bytes;
}

bool GroupSeal::is_genuine(std::span<const std::byte> datagram, const GroupEnvelope& envelope, Node self) {
  const auto tag = datagram.last(tag_bytes);
  const Gmac::Tag right = gmac_->tag_of(datagram.first(datagram.size() - tag_bytes), nonce_of(envelope, self));
  return sodium_memcmp(right.data(), tag.data(), tag_bytes) == 0;
}

}  // namespace nasvm::multicast
