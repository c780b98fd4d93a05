#include "vm/multicast/wire/gmac.hpp"

#if defined(NASVM_IPSEC_MB)

#include <intel-ipsec-mb.h>

namespace nasvm::multicast {
namespace {

const std::uint8_t* raw(const std::byte* bytes) { return reinterpret_cast<const std::uint8_t*>(bytes); }

class IpsecGmac final : public Gmac {
 public:
  IpsecGmac(IMB_MGR* functions, const Secret& key)
      : functions_(functions, &free_mb_mgr), key_(std::make_unique<gcm_key_data>()) {
    IMB_AES256_GCM_PRE(functions_.get(), key.data(), key_.get());
  }

  Tag tag_of(std::span<const std::byte> data, const Nonce& nonce) override {
    Tag tag;
    IMB_AES256_GCM_ENC(functions_.get(), key_.get(), &context_, nullptr, nullptr, 0, raw(nonce.data()),
                       raw(data.data()), data.size(), reinterpret_cast<std::uint8_t*>(tag.data()), tag.size());
    return tag;
  }

 private:
  std::unique_ptr<IMB_MGR, decltype(&free_mb_mgr)> functions_;
  std::unique_ptr<gcm_key_data> key_;
  gcm_context_data context_{};
};

}  // namespace

std::unique_ptr<Gmac> make_ipsec_gmac(const Secret& key) {
  IMB_MGR* functions = alloc_mb_mgr(0);
  if (functions == nullptr) return nullptr;
  init_mb_mgr_auto(functions, nullptr);
  if (imb_get_errno(functions) == 0) return std::make_unique<IpsecGmac>(functions, key);
  free_mb_mgr(functions);
  return nullptr;
}

}  // namespace nasvm::multicast

#else

namespace nasvm::multicast {

std::unique_ptr<Gmac> make_ipsec_gmac(const Secret& /*key*/) { return nullptr; }

}  // namespace nasvm::multicast

#endif
