#pragma once
/// \file
/// Authentication of the datagrams between daemons with the machine's secret.
///
/// A datagram is a body (vm/link/wire.hpp) followed by a tag of tag_bytes: ChaCha20-Poly1305 (RFC 8439) over an empty
/// message with the body as additional data. The body is not secret, its origin is what counts. Nonce: source host,
/// destination host and the sender's datagram counter, all read from the body, hence never used twice under one
/// secret as long as a pair of hosts has one channel, and a host one counter of what it shares
/// (vm/link/shared_wire.hpp; its destination is every_host). docs/decisions/datagram-authentication.md has the
/// choice.
///
/// Replays need no table: a datagram that comes again is a duplicate to the channel, and changes nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vm/link/wire.hpp"

namespace nasvm::link {

class Seal {
 public:
  static constexpr std::size_t secret_bytes = 32;

  /// Derives this layer's own key from the secret. RunError when libsodium cannot start.
  explicit Seal(std::span<const std::byte, secret_bytes> secret);
  ~Seal();
  Seal(const Seal&) = delete;
  Seal& operator=(const Seal&) = delete;

  /// Writes the tag behind the body, which is the first `body_bytes` of `buffer`; returns the whole length.
  std::size_t seal(std::span<std::byte> buffer, std::size_t body_bytes) const;

  /// The body of a datagram that a daemon of this machine sealed; nothing, and one more rejected, otherwise.
  std::optional<std::span<const std::byte>> open(std::span<const std::byte> datagram);

  [[nodiscard]] std::uint64_t rejected() const { return rejected_; }

 private:
  std::array<unsigned char, 32> key_{};
  std::uint64_t rejected_ = 0;
};

}  // namespace nasvm::link
