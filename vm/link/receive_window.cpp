#include "vm/link/receive_window.hpp"

#include <algorithm>
#include <stdexcept>

namespace nasvm::link {

ReceiveWindow::ReceiveWindow(std::size_t capacity, std::uint64_t first_offset, std::size_t max_held_ranges)
    : ring_(capacity), consumed_(first_offset), next_(first_offset), max_held_ranges_(max_held_ranges) {
  held_.reserve(max_held_ranges);
}

ReceiveWindow::Verdict ReceiveWindow::accept(std::uint64_t begin, std::span<const std::byte> payload) {
  if (begin > right_edge() || payload.size() > right_edge() - begin) return Verdict::refused;
  const std::uint64_t end = begin + payload.size();
  if (end <= next_) return Verdict::duplicate;
  if (begin < next_) {
    payload = payload.subspan(next_ - begin);
    begin = next_;
  }
  if (begin == next_) {
    ring_.store(begin, payload);
    next_ = end;
    absorb_held();
    return Verdict::advanced;
  }
  if (holds(begin, end)) return Verdict::duplicate;
  if (!hold(begin, end)) return Verdict::refused;
  ring_.store(begin, payload);
  latest_ = begin;
  return Verdict::held;
}

std::span<const std::byte> ReceiveWindow::readable() const { return ring_.piece(consumed_, next_ - consumed_); }

void ReceiveWindow::consume(std::size_t bytes) {
  if (bytes > next_ - consumed_) throw std::invalid_argument("more bytes consumed than were readable");
  consumed_ += bytes;
}

std::size_t ReceiveWindow::report(std::span<Range> out) {
  if (held_.empty() || out.empty()) return 0;
  auto latest = first_reaching(latest_ + 1);
  if (latest == held_.end()) latest = held_.begin();
  std::size_t written = 0;
  out[written++] = *latest;
  for (std::size_t i = 0; i < held_.size() && written < out.size(); ++i) {
    if (report_cursor_ >= held_.size()) report_cursor_ = 0;
    const auto range = held_.begin() + static_cast<std::ptrdiff_t>(report_cursor_++);
    if (range != latest) out[written++] = *range;
  }
  return written;
}

bool ReceiveWindow::holds(std::uint64_t begin, std::uint64_t end) const {
  const auto range = std::lower_bound(held_.begin(), held_.end(), end,
                                      [](const Range& held, std::uint64_t offset) { return held.end < offset; });
  return range != held_.end() && range->begin <= begin;
}

// Adds a range and melts it with those it touches. False when there is no room for one more.
bool ReceiveWindow::hold(std::uint64_t begin, std::uint64_t end) {
  const auto first = first_reaching(begin);
  auto last = first;
  while (last != held_.end() && last->begin <= end) ++last;
  if (first == last) {
    if (held_.size() >= max_held_ranges_) return false;
    held_.insert(first, Range{begin, end});
    return true;
  }
  first->begin = std::min(first->begin, begin);
  first->end = std::max((last - 1)->end, end);
  held_.erase(first + 1, last);
  return true;
}

void ReceiveWindow::absorb_held() {
  auto last = held_.begin();
  for (; last != held_.end() && last->begin <= next_; ++last) next_ = std::max(next_, last->end);
  held_.erase(held_.begin(), last);
}

// The first held range that ends at `offset` or later.
std::vector<Range>::iterator ReceiveWindow::first_reaching(std::uint64_t offset) {
  return std::lower_bound(held_.begin(), held_.end(), offset,
                          [](const Range& held, std::uint64_t wanted) { return held.end < wanted; });
}

}  // namespace nasvm::link
