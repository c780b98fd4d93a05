#pragma once
/// \file
/// Who computes which units of a divisible piece of work next: weighted factoring, where workers may be of any speed,
/// change it and vanish. Pure bookkeeping: no messages, and time is an argument.
///
/// A worker gets ranges of units, two at a time so that it need not wait for the next one. The length of a range is
/// half of the worker's share of what is left, by measured speeds, between bounds of time. When nothing is left but
/// what others have in hand, an idle worker computes that once more, beginning with what is expected last: in parts,
/// which count when all of them are there, unless the whole comes first. So each unit counts once, however often it
/// was handed out, and the end waits neither for a slow worker nor for one whose death nobody has noticed.
///
/// Source: S. Flynn Hummel, J. Schmidt, R. N. Uma, J. Wein, "Load-sharing in heterogeneous systems via weighted
/// factoring", SPAA 1996.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace nasvm::farm {

/// Units of work, one after the other.
struct Units {
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool operator==(const Units&) const = default;
};

/// Units that one worker is to compute at a stretch.
struct Piece {
  std::uint64_t id = 0;
  Units units;
};

/// What adds up: equally many numbers for any units. Those of neighbouring units are added one by one.
using Row = std::vector<double>;

class Scheduler {
 public:
  /// How long a piece should take its worker.
  struct Bounds {
    double least_s = 0.002;  ///< some ten times what it takes to hand it over
    double most_s = 0.1;     ///< so much is lost with a worker, at most
  };

  Scheduler(std::int64_t units, int workers);

  /// What this worker is to compute next; nothing when it has enough in hand, or could not help.
  std::optional<Piece> next(int worker, double now_s, const Bounds& bounds);
  /// A worker has computed a piece, in so many seconds of its own.
  void finish(int worker, std::uint64_t piece, double spent_s, Row row, double now_s);
  /// A worker is gone, and what it had in hand is to be computed by others.
  void lose(int worker);

  [[nodiscard]] bool done() const { return ranges_.empty(); }
  /// Of all units, when done.
  [[nodiscard]] const Row& sum() const { return sum_; }

  /// Units per second of late; 0: not known yet.
  [[nodiscard]] double speed(int worker) const { return speed_of(at(worker)); }
  /// The mean of those of all other workers that are there; 0: not known yet, or there is none.
  [[nodiscard]] double mean_speed_of_others(int worker) const;
  /// Units that were handed out when they were in another worker's hand already.
  [[nodiscard]] std::int64_t units_again() const { return units_again_; }

 private:
  using Id = std::uint64_t;

  /// Units that count together: all work at the top, below it pieces, below them parts of pieces that are computed
  /// once more.
  struct Range {
    Units units;
    std::optional<Id> above;
    std::optional<int> holder;  ///< the worker that computes it
    std::int64_t handed = 0;    ///< so many, the first ones, went to ranges below
    std::set<Id> below;         ///< that are not done
    Row sum;                    ///< of those that are
    [[nodiscard]] std::int64_t left() const { return units.count - handed; }
  };

  struct Worker {
    std::vector<Piece> in_hand;  ///< in the order handed out; may be done by others already
    double busy_since_s = 0;     ///< with the first of them
    double units = 0;            ///< that it has computed of late,
    double seconds = 0;          ///< and in which time
    std::int64_t units_done = 0;
    bool lost = false;
  };

  [[nodiscard]] const Worker& at(int worker) const { return workers_[static_cast<std::size_t>(worker)]; }
  [[nodiscard]] Worker& at(int worker) { return workers_[static_cast<std::size_t>(worker)]; }
  static double speed_of(const Worker& worker) { return worker.seconds > 0 ? worker.units / worker.seconds : 0; }
  [[nodiscard]] double speed_of_all() const;
  [[nodiscard]] bool is_below_own(int worker, const Range& range) const;
  [[nodiscard]] std::optional<Id> unassigned_for(int worker) const;
  [[nodiscard]] std::optional<Id> latest(double now_s) const;
  [[nodiscard]] double expected_s(const Worker& worker, Id piece, double now_s) const;
  [[nodiscard]] std::int64_t size_for(const Worker& worker, std::int64_t left, const Bounds& bounds) const;
  Piece hand_out(int worker, Id from, std::int64_t count, double now_s);
  void complete(Id id, Row row);
  void drop_below(const Range& range);

  std::map<Id, Range> ranges_;  ///< that are not done
  std::vector<Worker> workers_;
  Row sum_;
  Id next_id_ = 1;
  std::int64_t units_again_ = 0;
};

}  // namespace nasvm::farm
