#pragma once
/// \file
/// GMAC: AES-256 in Galois counter mode over an empty message (NIST SP 800-38D), which gives additional data a tag of
/// 16 bytes. By Intel's library for IPsec where the build has it, several times as fast for short data, else by
/// OpenSSL; the tags are the same (docs/decisions/multicast-authentication.md).
///
/// A nonce must not come twice under one key. One thread at a time uses an object. Nothing blocks.

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "vm/auth.hpp"

namespace nasvm::multicast {

class Gmac {
 public:
  static constexpr std::size_t tag_bytes = 16;
  using Tag = std::array<std::byte, tag_bytes>;
  using Nonce = std::array<std::byte, 12>;

  virtual ~Gmac() = default;
  [[nodiscard]] virtual Tag tag_of(std::span<const std::byte> data, const Nonce& nonce) = 0;
};

/// Throws RunError when OpenSSL has no such cipher or no memory.
std::unique_ptr<Gmac> make_openssl_gmac(const Secret& key);
/// Nothing when the build does not have Intel's library, or it does not know this processor.
std::unique_ptr<Gmac> make_ipsec_gmac(const Secret& key);
/// The faster one of those that are there.
std::unique_ptr<Gmac> make_gmac(const Secret& key);

}  // namespace nasvm::multicast
