#include "vm/link/send_window.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nasvm::link {
namespace {

constexpr std::size_t initial_segments = 64;  // a power of two

}  // namespace

SendWindow::SendWindow(std::size_t capacity, std::uint64_t first_offset, std::size_t max_segments)
    : ring_(capacity),
      acknowledged_(first_offset),
      next_(first_offset),
      end_(first_offset),
      segments_(initial_segments),
      max_segments_(max_segments) {}

std::size_t SendWindow::write(std::span<const std::byte> bytes) {
  bytes = bytes.first(std::min(bytes.size(), writable()));
  ring_.store(end_, bytes);
  end_ += bytes.size();
  return bytes.size();
}

std::optional<SendWindow::Piece> SendWindow::first_lost() {
  if (lost_count_ == 0) return std::nullopt;
  std::size_t index = first_from(lost_from_);
  while (!at(index).lost) ++index;
  lost_from_ = at(index).begin;
  return Piece{at(index).begin, at(index).bytes};
}

std::optional<SendWindow::Piece> SendWindow::oldest_missing() const {
  for (std::size_t index = 0; index < count_; ++index) {
    if (!at(index).arrived) return Piece{at(index).begin, at(index).bytes};
  }
  return std::nullopt;
}

SendWindow::Piece SendWindow::transmit_new(std::size_t bytes, TimePoint now, Way way) {
  assert(bytes > 0 && bytes <= unsent());
  const Piece piece{next_, bytes};
  append({.begin = next_,
          .order = next_order_++,
          .sent = now,
          .bytes = static_cast<std::uint32_t>(bytes),
          .shared = way == Way::shared});
  next_ += bytes;
  in_flight_ += bytes;
  return piece;
}

void SendWindow::transmit_again(std::uint64_t begin, TimePoint now) {
  Segment& segment = at(first_from(begin));
  assert(segment.begin == begin && !segment.arrived);
  if (segment.lost) {
    segment.lost = false;
    --lost_count_;
    in_flight_ += segment.bytes;
  }
  segment.again = true;
  segment.order = next_order_++;
  segment.sent = now;
}

std::optional<SendWindow::Piece> SendWindow::shared_once(std::uint64_t begin) const {
  const std::size_t index = first_from(begin);
  if (index == count_) return std::nullopt;
  const Segment& segment = at(index);
  if (segment.begin != begin || segment.arrived || segment.again || !segment.shared) return std::nullopt;
  return Piece{segment.begin, segment.bytes};
}

bool SendWindow::is_lost(std::uint64_t begin) const {
  const std::size_t index = first_from(begin);
  return index < count_ && at(index).begin == begin && at(index).lost;
}

std::size_t SendWindow::acknowledge(std::uint64_t cumulative, std::span<const Range> ranges, TimePoint now,
                                    Duration min_round_trip) {
  longest_arrived_ = 0;
  std::size_t news = drop_before(cumulative, now, min_round_trip);
  for (const Range& range : ranges) news += mark_range(range, now, min_round_trip);
  return news;
}

SendWindow::Losses SendWindow::find_losses(TimePoint now, Duration threshold) {
  Losses losses;
  if (count_ == 0 || latest_arrived_ == 0) return losses;
  // Without gaps everything still missing left after the latest arrival.
  if (arrived_count_ == 0 && at(0).order >= latest_arrived_) return losses;
  for (std::size_t index = 0; index < count_; ++index) {
    const Segment& segment = at(index);
    if (segment.order >= latest_arrived_) {
      if (!segment.again) break;  // all that follow left still later
      continue;
    }
    if (segment.arrived || segment.lost) continue;
    if (segment.order + reordering_tolerance < latest_arrived_ || segment.sent + threshold <= now) {
      losses.latest_order = std::max(losses.latest_order, segment.order);
      ++losses.segments;
      lose(index);
    } else {
      const TimePoint check = segment.sent + threshold;
      losses.next_check = losses.next_check ? std::min(*losses.next_check, check) : check;
    }
  }
  return losses;
}

void SendWindow::lose_all() {
  for (std::size_t index = 0; index < count_; ++index) {
    if (!at(index).arrived && !at(index).lost) lose(index);
  }
}

void SendWindow::recut(std::size_t max_bytes) {
  std::vector<Segment> old;
  old.reserve(count_);
  for (std::size_t index = 0; index < count_; ++index) old.push_back(at(index));
  head_ = count_ = in_flight_ = lost_count_ = arrived_count_ = 0;
  for (Segment segment : old) {
    if (!segment.arrived && segment.bytes > max_bytes) segment.lost = true;
    while (!segment.arrived && segment.bytes > max_bytes) {
      Segment front = segment;
      front.bytes = static_cast<std::uint32_t>(max_bytes);
      append(front);
      segment.begin += max_bytes;
      segment.bytes -= static_cast<std::uint32_t>(max_bytes);
    }
    append(segment);
  }
  for (std::size_t index = 0; index < count_; ++index) {
    if (at(index).arrived) ++arrived_count_;
    else if (at(index).lost) ++lost_count_;
    else in_flight_ += at(index).bytes;
  }
  lost_from_ = acknowledged_;
}

void SendWindow::append(const Segment& segment) {
  if (count_ == segments_.size()) grow();
  at(count_++) = segment;
}

void SendWindow::grow() {
  std::vector<Segment> larger(2 * segments_.size());
  for (std::size_t index = 0; index < count_; ++index) larger[index] = at(index);
  segments_ = std::move(larger);
  head_ = 0;
}

std::size_t SendWindow::first_from(std::uint64_t offset) const {
  std::size_t low = 0;
  std::size_t high = count_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (at(middle).begin < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Books the arrival of a segment; returns its bytes, or 0 when it was known.
std::size_t SendWindow::arrive(Segment& segment, TimePoint now, Duration min_round_trip) {
  if (segment.arrived) return 0;
  if (segment.lost) --lost_count_;
  else in_flight_ -= segment.bytes;
  if (segment.shared && !segment.again) shared_lost_in_a_row_ = 0;
  segment.lost = false;
  segment.arrived = true;
  ++arrived_count_;
  longest_arrived_ = std::max<std::size_t>(longest_arrived_, segment.bytes);
  const bool earlier_copy = segment.again && now - segment.sent < min_round_trip;
  if (!earlier_copy) latest_arrived_ = std::max(latest_arrived_, segment.order + 1);
  return segment.bytes;
}

std::size_t SendWindow::drop_before(std::uint64_t cumulative, TimePoint now, Duration min_round_trip) {
  if (cumulative <= acknowledged_) return 0;
  std::size_t news = 0;
  while (count_ > 0 && at(0).end() <= cumulative) {
    news += arrive(at(0), now, min_round_trip);
    --arrived_count_;
    head_ = slot(1);
    --count_;
  }
  acknowledged_ = cumulative;
  if (count_ > 0 && at(0).begin < cumulative) {  // cut anew since it left: its front has arrived
    Segment& segment = at(0);
    const auto arrived = static_cast<std::uint32_t>(cumulative - segment.begin);
    if (!segment.arrived && !segment.lost) in_flight_ -= arrived;
    if (!segment.arrived) news += arrived;
    segment.begin = cumulative;
    segment.bytes -= arrived;
  }
  return news;
}

std::size_t SendWindow::mark_range(const Range& range, TimePoint now, Duration min_round_trip) {
  std::size_t news = 0;
  for (std::size_t index = first_from(range.begin); index < count_ && at(index).end() <= range.end; ++index) {
    news += arrive(at(index), now, min_round_trip);
  }
  return news;
}

// Callers have checked that the segment is neither arrived nor lost.
void SendWindow::lose(std::size_t index) {
  Segment& segment = at(index);
  segment.lost = true;
  if (segment.shared && !segment.again) ++shared_lost_in_a_row_;
  in_flight_ -= segment.bytes;
  lost_from_ = lost_count_ == 0 ? segment.begin : std::min(lost_from_, segment.begin);
  ++lost_count_;
}

}  // namespace nasvm::link
