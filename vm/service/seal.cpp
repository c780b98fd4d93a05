#include "vm/service/seal.hpp"

#include <sodium.h>

#include <string_view>

#include "vm/status.hpp"

namespace nasvm::service {
namespace {

constexpr std::size_t nonce_bytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
static_assert(Seal::overhead_bytes == nonce_bytes + crypto_aead_xchacha20poly1305_ietf_ABYTES);
static_assert(sizeof(Secret) == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);

unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }
const unsigned char* raw(const std::byte* bytes) { return reinterpret_cast<const unsigned char*>(bytes); }

}  // namespace

/// A key for this purpose alone.
Seal::Seal(const Secret& secret) {
  if (sodium_init() < 0) throw RunError("libsodium cannot be initialised; is its random source readable?");
  constexpr std::string_view purpose = "nasvm requests";
  crypto_generichash(raw(key_.data()), key_.size(), reinterpret_cast<const unsigned char*>(purpose.data()),
                     purpose.size(), raw(secret.data()), secret.size());
}

std::vector<std::byte> Seal::close(std::span<const std::byte> data, std::span<const std::byte> with) const {
  std::vector<std::byte> sealed(data.size() + overhead_bytes);
  randombytes_buf(sealed.data(), nonce_bytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(raw(sealed.data() + nonce_bytes), nullptr, raw(data.data()), data.size(),
                                             raw(with.data()), with.size(), nullptr, raw(sealed.data()),
                                             raw(key_.data()));
  return sealed;
}

std::vector<std::byte> Seal::open(std::span<const std::byte> sealed, std::span<const std::byte> with) const {
  if (sealed.size() < overhead_bytes) throw RunError("a sealed request is too short");
  std::vector<std::byte> data(sealed.size() - overhead_bytes);
  const auto coded = sealed.subspan(nonce_bytes);
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(raw(data.data()), nullptr, nullptr, raw(coded.data()), coded.size(),
                                                 raw(with.data()), with.size(), raw(sealed.data()),
                                                 raw(key_.data())) != 0) {
    throw RunError("a sealed request does not open: it was changed on its way");
  }
  return data;
}

}  // namespace nasvm::service
