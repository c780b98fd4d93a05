#include "vm/link/black_hole.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace nasvm::link {
namespace {

/// What MTUs of 1500, 1280 and 576 bytes leave to UDP, with the longer header, that of IPv6.
constexpr std::array<std::size_t, 3> lengths{1452, 1232, 528};
/// A length that is hardly shorter is not worth a try of its own: 1/16 at least.
constexpr std::size_t least_parts_less = 16;

constexpr int strikes_enough = 3;
/// On fast paths many datagrams are lost at once, and as many again, when a queue is full for a while.
constexpr Duration suspicion_lasts = std::chrono::milliseconds(100);

}  // namespace

void BlackHole::set_datagram_bytes(std::size_t bytes) {
  const std::size_t less = bytes - bytes / least_parts_less;
  const auto* const next = std::ranges::find_if(lengths, [less](std::size_t length) { return length <= less; });
  shorter_ = next != lengths.end() ? std::optional(*next) : std::nullopt;
  acquit();
}

void BlackHole::acquit() {
  strikes_ = 0;
  suspected_bytes_ = std::numeric_limits<std::size_t>::max();
}

bool BlackHole::swallows(std::size_t bytes, TimePoint now, Duration timeout) {
  if (!is_long(bytes) || answered_at_ <= sent_at_) return false;
  if (strikes_++ == 0) suspected_since_ = now;
  suspected_bytes_ = std::min(suspected_bytes_, bytes);
  return strikes_ >= strikes_enough && now - suspected_since_ >= std::max(suspicion_lasts, 2 * timeout);
}

}  // namespace nasvm::link
