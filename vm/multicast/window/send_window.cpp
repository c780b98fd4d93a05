#include "vm/multicast/window/send_window.hpp"

namespace nasvm::multicast {

SendWindow::SendWindow(std::uint32_t packets)
    : packets_(packets), again_(packets), last_(again_.capacity()), transmissions_(2 * again_.capacity()) {}

std::optional<std::uint32_t> SendWindow::repair() const {
  if (waiting_ == 0) return std::nullopt;
  return again_.first_set(repair_from_, next_);
}

std::uint32_t SendWindow::leave(std::uint32_t sequence, TimePoint now) {
  if (sequence == next_) {
    ++next_;
    if (waiting_ == 0) repair_from_ = sequence;
  } else if (again_.test(sequence)) {
    again_.clear(sequence);
    --waiting_;
    repair_from_ = sequence + 1;
  }
  return last_[sequence & (again_.capacity() - 1)] = transmissions_.add(now);
}

bool SendWindow::left_before(std::uint32_t number, TimePoint time) const {
  const auto left = transmissions_.left_at(number);
  return !left || *left <= time;
}

std::uint32_t SendWindow::miss(Range range, std::optional<std::uint32_t> seen, TimePoint old_enough) {
  if (before(range.first, base_)) range = {base_, before(base_, range.end()) ? range.end() - base_ : 0};
  if (!before(range.first, next_)) return 0;
  const std::uint32_t end = range.count > next_ - range.first ? next_ : range.end();
  std::uint32_t news = 0;
  for (std::uint32_t sequence = range.first; sequence != end; ++sequence) {
    if (again_.test(sequence)) continue;
    const std::uint32_t number = last_[sequence & (again_.capacity() - 1)];
    const bool lost = seen && !before(*seen, number);
    if (!lost && !left_before(number, old_enough)) continue;
    again_.set(sequence);
    if (waiting_++ == 0 || before(sequence, repair_from_)) repair_from_ = sequence;
    ++news;
  }
  return news;
}

void SendWindow::release(std::uint32_t sequence) {
  for (std::uint32_t at = again_.first_set(base_, sequence); waiting_ > 0 && at != sequence;
       at = again_.first_set(at, sequence)) {
    again_.clear(at);
    --waiting_;
  }
  base_ = sequence;
  repair_from_ = later_of(repair_from_, base_);
}

void SendWindow::skip(std::uint32_t sequence) {
  release(next_);
  base_ = next_ = repair_from_ = sequence;
}

}  // namespace nasvm::multicast
