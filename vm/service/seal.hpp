#pragma once
/// \file
/// Data of requests, encrypted and authenticated with what only the machine's tasks know (XChaCha20-Poly1305,
/// libsodium). The head's fixed part is authenticated along with it: sealed data under another head does not open.
///
/// Not a defence against a request that is recorded and sent again: connections and datagrams have their own.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vm/auth.hpp"

namespace nasvm::service {

class Seal {
 public:
  explicit Seal(const Secret& secret);

  /// How much longer data is when it is sealed.
  static constexpr std::size_t overhead_bytes = 24 + 16;
  [[nodiscard]] std::vector<std::byte> close(std::span<const std::byte> data, std::span<const std::byte> with) const;
  /// Throws RunError for what was not sealed with the same secret and `with`.
  [[nodiscard]] std::vector<std::byte> open(std::span<const std::byte> sealed, std::span<const std::byte> with) const;

 private:
  Secret key_{};
};

}  // namespace nasvm::service
