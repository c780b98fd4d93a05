#include "vm/link/seal.hpp"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "vm/status.hpp"

namespace nasvm::link {
namespace {

static_assert(tag_bytes == crypto_aead_chacha20poly1305_ietf_ABYTES);

/// Keeps this use of the secret apart from every other.
constexpr std::string_view purpose = "nasvm datagrams between daemons 1";

using Nonce = std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;

Nonce nonce_of(std::span<const std::byte> body) {
  const Origin origin = origin_of(body);
  Nonce nonce{};
  for (std::size_t i = 0; i < 2; ++i) {
    nonce[i] = static_cast<unsigned char>(origin.source >> (8 * i));
    nonce[2 + i] = static_cast<unsigned char>(origin.destination >> (8 * i));
  }
  for (std::size_t i = 0; i < 8; ++i) nonce[4 + i] = static_cast<unsigned char>(origin.counter >> (8 * i));
  return nonce;
}

const unsigned char* chars(const std::byte* bytes) { return reinterpret_cast<const unsigned char*>(bytes); }

}  // namespace

Seal::Seal(std::span<const std::byte, secret_bytes> secret) {
  static_assert(sizeof(key_) == crypto_aead_chacha20poly1305_ietf_KEYBYTES);
  if (sodium_init() < 0) throw RunError("libsodium cannot be initialised; is its random source readable?");
  crypto_generichash(key_.data(), key_.size(), reinterpret_cast<const unsigned char*>(purpose.data()), purpose.size(),
                     chars(secret.data()), secret.size());
}

Seal::~Seal() { sodium_memzero(key_.data(), key_.size()); }

std::size_t Seal::seal(std::span<std::byte> buffer, std::size_t body_bytes) const {
  if (body_bytes < origin_bytes || buffer.size() < body_bytes + tag_bytes) {
    throw std::invalid_argument("a sealed datagram needs a header and room for its tag");
  }
  const Nonce nonce = nonce_of(buffer.first(body_bytes));
  crypto_aead_chacha20poly1305_ietf_encrypt(reinterpret_cast<unsigned char*>(buffer.data() + body_bytes), nullptr,
                                            nullptr, 0, chars(buffer.data()), body_bytes, nullptr, nonce.data(),
                                            key_.data());
  return body_bytes + tag_bytes;
}

std::optional<std::span<const std::byte>> Seal::open(std::span<const std::byte> datagram) {
  if (datagram.size() >= origin_bytes + tag_bytes) {
    const auto body = datagram.first(datagram.size() - tag_bytes);
    const auto tag = datagram.last(tag_bytes);
    const Nonce nonce = nonce_of(body);
    if (crypto_aead_chacha20poly1305_ietf_decrypt(nullptr, nullptr, nullptr, chars(tag.data()), tag_bytes,
                                                  chars(body.data()), body.size(), nonce.data(), key_.data()) == 0) {
      return body;
    }
  }
  ++rejected_;
  return std::nullopt;
}

}  // namespace nasvm::link
