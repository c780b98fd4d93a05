#pragma once
/// \file
/// Workers of a farm in simulated time: of any speed, which may change, with messages that take their time, and with
/// deaths that are noticed late. A unit's row is {1, its number}.

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "vm/farm/lead.hpp"

namespace nasvm::test {

inline constexpr double never_s = std::numeric_limits<double>::infinity();

struct SimulatedWorker {
  double speed = 1000;  ///< units per second
  double changes_s = never_s;
  double speed_then = 1000;
  double dies_s = never_s;
  double noticed_after_s = 0.01;
};

class SimulatedCrew final : public farm::Crew {
 public:
  /// The first is the leader itself, which neither dies nor changes.
  SimulatedCrew(std::vector<SimulatedWorker> workers, double latency_s)
      : workers_(std::move(workers)), free_s_(workers_.size()), latency_s_(latency_s) {
    for (std::size_t worker = 1; worker < workers_.size(); ++worker) {
      const double dies_s = workers_[worker].dies_s;
      if (dies_s != never_s) {
        events_.push({dies_s + workers_[worker].noticed_after_s, {static_cast<int>(worker), true}});
      }
    }
  }

  [[nodiscard]] int size() const override { return static_cast<int>(workers_.size()) - 1; }

  void give(int worker, const farm::Piece& piece) override {
    ++given;
    most_given_units = std::max(most_given_units, piece.units.count);
    const auto index = static_cast<std::size_t>(worker);
    const double begin_s = std::max(free_s_[index], now_s_ + latency_s_);
    const double end_s = end_of(workers_[index], begin_s, static_cast<double>(piece.units.count));
    free_s_[index] = end_s;
    if (end_s >= workers_[index].dies_s) return;
    events_.push({end_s + latency_s_, {worker, false, {piece.id, end_s - begin_s, row_of(piece.units)}}});
  }

  std::optional<Heard> hear(std::chrono::nanoseconds patience) override {
    const double until_s = now_s_ + std::chrono::duration<double>(patience).count();
    if (events_.empty() || events_.top().at_s > until_s) {
      now_s_ = until_s;
      return std::nullopt;
    }
    now_s_ = std::max(now_s_, events_.top().at_s);
    Heard heard = events_.top().heard;
    events_.pop();
    return heard;
  }

  /// All of `units`, by the leader and this crew.
  farm::Yield lead(std::int64_t units) {
    const farm::Work work{units, [this](const farm::Units& part) {
                            now_s_ = end_of(workers_[0], now_s_, static_cast<double>(part.count));
                            return row_of(part);
                          }};
    return farm::lead(*this, work, [this] { return now_s_; });
  }

  /// Units in that time by all speeds together, as part of what has been done.
  [[nodiscard]] double efficiency(std::int64_t units) const {
    double speed = 0;
    for (const SimulatedWorker& worker : workers_) speed += worker.speed;
    return static_cast<double>(units) / speed / now_s_;
  }
  [[nodiscard]] double now_s() const { return now_s_; }

  int given = 0;
  std::int64_t most_given_units = 0;

 private:
  struct Event {
    double at_s;
    Heard heard;
    bool operator<(const Event& other) const { return at_s > other.at_s; }  // the earliest on top
  };

  static farm::Row row_of(const farm::Units& units) {
    const auto count = static_cast<double>(units.count);
    return {count, count * static_cast<double>(units.first) + count * (count - 1) / 2};
  }
  static double end_of(const SimulatedWorker& worker, double begin_s, double units) {
    const double before_s = std::max(worker.changes_s - begin_s, 0.0);
    if (units <= before_s * worker.speed) return begin_s + units / worker.speed;
    const double done = before_s == 0 ? 0 : before_s * worker.speed;
    return begin_s + before_s + (units - done) / worker.speed_then;
  }

  std::vector<SimulatedWorker> workers_;
  std::vector<double> free_s_;  ///< when each has done all that it was given
  double latency_s_;
  double now_s_ = 0;
  std::priority_queue<Event> events_;
};

}  // namespace nasvm::test
