#include "vm/farm/scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nasvm::farm {
namespace {

constexpr std::size_t most_in_hand = 2;
/// A worker's next piece has no more than so many times the units that it has done: first speeds are not sure.
constexpr std::int64_t most_growth = 8;
/// What a worker did this long ago counts for 1/e in its speed.
constexpr double memory_s = 0.3;

/// Who has had its first piece for so long, while nobody has finished any, may be gone.
constexpr double patience_s = 30;

void add(Row& sum, const Row& row) {
  sum.resize(std::max(sum.size(), row.size()));
  for (std::size_t i = 0; i < row.size(); ++i) sum[i] += row[i];
}

}  // namespace

Scheduler::Scheduler(std::int64_t units, int workers) : workers_(static_cast<std::size_t>(workers)) {
  if (units > 0) ranges_[0].units = {0, units};
}

std::optional<Piece> Scheduler::next(int worker, double now_s, const Bounds& bounds) {
  const Worker& asker = at(worker);
  if (asker.lost || asker.in_hand.size() >= most_in_hand) return std::nullopt;
  if (const auto source = unassigned_for(worker)) {
    std::int64_t left = 0;
    for (const auto& [id, range] : ranges_) left += range.holder ? 0 : range.left();
    return hand_out(worker, *source, size_for(asker, left, bounds), now_s);
  }
  if (!asker.in_hand.empty()) return std::nullopt;
  const auto late = latest(now_s);
  if (!late) return std::nullopt;
  const Range& range = ranges_.at(*late);
  const std::int64_t count = size_for(asker, range.left(), bounds);
  const double speed = asker.seconds > 0 ? speed_of(asker) : mean_speed_of_others(worker);
  const double needed_s = speed > 0 ? static_cast<double>(count) / speed : patience_s;
  if (needed_s >= expected_s(at(*range.holder), *late, now_s)) return std::nullopt;
  const Piece piece = hand_out(worker, *late, count, now_s);
  units_again_ += piece.units.count;
  return piece;
}

void Scheduler::finish(int worker, std::uint64_t piece, double spent_s, Row row, double now_s) {
  Worker& doer = at(worker);
  const auto held = std::ranges::find(doer.in_hand, piece, &Piece::id);
  if (held == doer.in_hand.end()) return;  // it was lost, and is not believed any more
  const double past = std::exp(-spent_s / memory_s);
  doer.units = past * doer.units + static_cast<double>(held->units.count);
  doer.seconds = past * doer.seconds + std::max(spent_s, 1e-9);
  doer.units_done += held->units.count;
  doer.busy_since_s = now_s;
  doer.in_hand.erase(held);
  if (ranges_.contains(piece)) complete(piece, std::move(row));
}

void Scheduler::lose(int worker) {
  Worker& gone = at(worker);
  gone.lost = true;
  for (const Piece& piece : gone.in_hand) {
    if (const auto range = ranges_.find(piece.id); range != ranges_.end()) range->second.holder.reset();
  }
  gone.in_hand.clear();
}

double Scheduler::mean_speed_of_others(int worker) const {
  double sum = 0;
  int known = 0;
  for (const Worker& other : workers_) {
    if (&other == &at(worker) || other.lost || other.seconds == 0) continue;
    sum += speed_of(other);
    ++known;
  }
  return known > 0 ? sum / known : 0;
}

/// Of all that are there; who is not known yet counts like the mean of the others.
double Scheduler::speed_of_all() const {
  double sum = 0;
  int known = 0;
  int there = 0;
  for (const Worker& worker : workers_) {
    if (worker.lost) continue;
    ++there;
    known += worker.seconds > 0 ? 1 : 0;
    sum += speed_of(worker);
  }
  return known > 0 ? sum * there / known : 0;
}

/// Has the worker itself something in hand that the range is a part of?
bool Scheduler::is_below_own(int worker, const Range& range) const {
  if (range.holder == worker) return true;
  return range.above && is_below_own(worker, ranges_.at(*range.above));
}

std::optional<Scheduler::Id> Scheduler::unassigned_for(int worker) const {
  const auto usable = [&](const auto& entry) {
    return !entry.second.holder && entry.second.left() > 0 && !is_below_own(worker, entry.second);
  };
  const auto found = std::ranges::find_if(ranges_, usable);
  return found == ranges_.end() ? std::nullopt : std::optional(found->first);
}

/// What is in hand, and of which parts are left: the one that is expected last. For a worker that has nothing in hand
/// itself.
std::optional<Scheduler::Id> Scheduler::latest(double now_s) const {
  std::optional<Id> found;
  double found_s = 0;
  for (const auto& [id, range] : ranges_) {
    if (!range.holder || range.left() == 0) continue;
    const double in_s = expected_s(at(*range.holder), id, now_s);
    if (!found || in_s > found_s) {
      found = id;
      found_s = in_s;
    }
  }
  return found;
}

/// In how many seconds a worker will have done what it has in hand, up to that piece. Who is late is taken to need as
/// long again as it is late.
double Scheduler::expected_s(const Worker& worker, Id piece, double now_s) const {
  const double elapsed_s = now_s - worker.busy_since_s;
  const double speed = speed_of(worker);
  if (speed == 0) return elapsed_s;
  const double first_s = static_cast<double>(worker.in_hand.front().units.count) / speed;
  double in_s = std::fabs(first_s - elapsed_s);
  for (const Piece& held : worker.in_hand) {
    if (held.id != worker.in_hand.front().id) in_s += static_cast<double>(held.units.count) / speed;
    if (held.id == piece) break;
  }
  return in_s;
}

std::int64_t Scheduler::size_for(const Worker& worker, std::int64_t left, const Bounds& bounds) const {
  const double speed = speed_of(worker);
  if (speed == 0) return 1;
  const double half_s = static_cast<double>(left) / 2 / speed_of_all();
  const double units = speed * std::clamp(half_s, bounds.least_s, bounds.most_s);
  return std::clamp(static_cast<std::int64_t>(units), std::int64_t{1}, most_growth * worker.units_done);
}

Piece Scheduler::hand_out(int worker, Id from, std::int64_t count, double now_s) {
  Range& source = ranges_.at(from);
  const Units units{source.units.first + source.handed, std::min(count, source.left())};
  const Piece piece{next_id_++, units};
  source.handed += units.count;
  source.below.insert(piece.id);
  Range& range = ranges_[piece.id];
  range.units = units;
  range.above = from;
  range.holder = worker;
  Worker& holder = at(worker);
  if (holder.in_hand.empty()) holder.busy_since_s = now_s;
  holder.in_hand.push_back(piece);
  return piece;
}

/// A range is done, and perhaps the one above by that.
void Scheduler::complete(Id id, Row row) {
  const Range range = std::move(ranges_.at(id));
  drop_below(range);
  ranges_.erase(id);
  if (!range.above) {
    sum_ = std::move(row);
    return;
  }
  Range& above = ranges_.at(*range.above);
  add(above.sum, row);
  above.below.erase(id);
  if (above.left() == 0 && above.below.empty()) complete(*range.above, above.sum);
}

void Scheduler::drop_below(const Range& range) {
  for (const Id id : range.below) {
    drop_below(ranges_.at(id));
    ranges_.erase(id);
  }
}

}  // namespace nasvm::farm
