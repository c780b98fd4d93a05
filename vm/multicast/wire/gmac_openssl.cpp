#include <openssl/evp.h>

#include "vm/multicast/wire/gmac.hpp"
#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

void require(bool done) {
  if (!done) throw RunError("OpenSSL cannot compute AES-256-GCM tags; is its default provider there?");
}

const unsigned char* raw(const std::byte* bytes) { return reinterpret_cast<const unsigned char*>(bytes); }
unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

/// The context keeps the key's schedule; a nonce begins anew.
class OpensslGmac final : public Gmac {
 public:
  explicit OpensslGmac(const Secret& key) : context_(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free) {
    require(context_ != nullptr &&
            EVP_EncryptInit_ex(context_.get(), EVP_aes_256_gcm(), nullptr, raw(key.data()), nullptr) == 1);
  }

  Tag tag_of(std::span<const std::byte> data, const Nonce& nonce) override {
    Tag tag;
    int length = 0;
    EVP_CIPHER_CTX* context = context_.get();
    require(EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, raw(nonce.data())) == 1 &&
            EVP_EncryptUpdate(context, nullptr, &length, raw(data.data()), static_cast<int>(data.size())) == 1 &&
            EVP_EncryptFinal_ex(context, raw(tag.data()), &length) == 1 &&
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tag_bytes, tag.data()) == 1);
    return tag;
  }

 private:
  std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context_;
};

}  // namespace

std::unique_ptr<Gmac> make_openssl_gmac(const Secret& key) { return std::make_unique<OpensslGmac>(key); }

std::unique_ptr<Gmac> make_gmac(const Secret& key) {
  auto fast = make_ipsec_gmac(key);
  return fast != nullptr ? std::move(fast) : make_openssl_gmac(key);
}

}  // namespace nasvm::multicast
