#include "vm/farm/lead.hpp"

#include <utility>

namespace nasvm::farm {
namespace {

using namespace std::chrono_literals;

/// The leader's own pieces are short: in between it looks after its workers.
constexpr Scheduler::Bounds bounds_of_leader{.least_s = 0.0005, .most_s = 0.001};
/// A leader this much slower than its workers leaves the computing to them, so that none of them waits for it,
constexpr double slow = 0.5;
/// as long as it hears of them this often.
constexpr double most_silence_s = 0.05;
/// After so long without news, somebody idle may have to compute what a late worker has in hand.
constexpr std::chrono::nanoseconds look_again = 1ms;

class Leader {
 public:
  Leader(Crew& crew, const Work& work, const std::function<double()>& now_s)
      : crew_(crew), work_(work), now_s_(now_s), scheduler_(work.units, 1 + crew.size()), heard_s_(now_s()) {}

  Yield run() {
    while (!scheduler_.done()) {
      hand_out();
      if (!compute_some()) hear(look_again);
      while (hear(0ns)) {
      }
    }
    return {scheduler_.sum(), scheduler_.units_again()};
  }

 private:
  void hand_out() {
    for (int worker = 1; worker <= crew_.size(); ++worker) {
      while (const auto piece = scheduler_.next(worker, now_s_(), {})) crew_.give(worker, *piece);
    }
  }

  [[nodiscard]] bool only_leads() const {
    return scheduler_.speed(0) < slow * scheduler_.mean_speed_of_others(0) && scheduler_.speed(0) > 0 &&
           now_s_() - heard_s_ < most_silence_s;
  }

  bool compute_some() {
    if (only_leads()) return false;
    const auto piece = scheduler_.next(0, now_s_(), bounds_of_leader);
    if (!piece) return false;
    const double begin_s = now_s_();
    Row row = work_.compute(piece->units);
    const double end_s = now_s_();
    scheduler_.finish(0, piece->id, end_s - begin_s, std::move(row), end_s);
    return true;
  }

  bool hear(std::chrono::nanoseconds patience) {
    auto heard = crew_.hear(patience);
    if (!heard) return false;
    heard_s_ = now_s_();
    Crew::Result& result = heard->result;
    if (heard->is_gone) scheduler_.lose(heard->worker);
    else scheduler_.finish(heard->worker, result.piece, result.spent_s, std::move(result.row), heard_s_);
    return true;
  }

  Crew& crew_;
  const Work& work_;
  const std::function<double()>& now_s_;
  Scheduler scheduler_;
  double heard_s_;  ///< when it heard of a worker last
};

}  // namespace

Yield lead(Crew& crew, const Work& work, const std::function<double()>& now_s) {
  return Leader(crew, work, now_s).run();
}

}  // namespace nasvm::farm
