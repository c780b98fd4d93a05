#include "vm/link/congestion.hpp"

#include <algorithm>

namespace nasvm::link {

Congestion::Congestion(const Options& options, std::size_t datagram_bytes)
    : options_(options),
      datagram_bytes_(datagram_bytes),
      window_(options.initial_datagrams * datagram_bytes),
      threshold_(options.max_bytes) {}

void Congestion::on_acknowledged(std::size_t bytes, std::size_t in_flight) {
  // A window that was not used has not been tested, so it does not grow.
  if (in_flight < window_ / 2) return;
  if (window_ < threshold_) {
    window_ += bytes;
  } else {
    credit_ += bytes;
    if (credit_ >= window_) {
      credit_ -= window_;
      window_ += datagram_bytes_;
    }
  }
  window_ = std::min(window_, std::max(options_.max_bytes, floor()));
}

/// One reduction for each window that has arrived so.
void Congestion::on_acknowledged_late(std::size_t bytes) {
  credit_ += bytes;
  if (credit_ < window_) return;
  credit_ = 0;
  window_ = std::min(window_, std::max(window_ / 10 * 7, options_.queued_floor_datagrams * datagram_bytes_));
  threshold_ = window_;
}

bool Congestion::on_loss(std::uint64_t lost_order, std::uint64_t next_order) {
  if (lost_order < recovering_before_) return false;
  recovering_before_ = next_order;
  window_ = std::min(window_, std::max(window_ / 10 * 7, floor()));
  threshold_ = window_;
  credit_ = 0;
  return true;
}

void Congestion::on_timeout(std::uint64_t next_order) {
  recovering_before_ = next_order;
  threshold_ = std::max(window_ / 2, floor());
  window_ = std::min(window_, floor());
  credit_ = 0;
}

void Congestion::set_datagram_bytes(std::size_t datagram_bytes) {
  datagram_bytes_ = datagram_bytes;
  window_ = std::max(window_, floor());
}

}  // namespace nasvm::link
