#include "harness/commands/regress/sequential.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace nasvm {
namespace {

/// Each some 1.7 times the one before: what a decision costs too much for being late stays below that, and eight
/// looks share the risks.
constexpr std::array<std::size_t, 8> blocks_at_looks{8, 14, 24, 40, 70, 120, 200, 340};
constexpr std::size_t blocks_to_confirm = 450;

/// Chance of such blocks where the true factor is `bound` at most.
double chance_of(std::span<const double> blocks, double bound) {
  std::vector<double> above(blocks.begin(), blocks.end());
  for (double& value : above) value -= std::log(bound);
  return signed_rank_probability(above.size(), signed_rank_statistic(above));
}

/// Where it is `bound` at least.
double chance_of_less(std::span<const double> blocks, double bound) {
  std::vector<double> turned(blocks.begin(), blocks.end());
  for (double& value : turned) value = -value;
  return chance_of(turned, 1 / bound);
}

/// Which multiple of its deviation a normal variable exceeds with that chance, at most 0.5.
double normal_excess(double chance) {
  double low = 0;
  double high = 40;
  while (high - low > 1e-6) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > chance ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::span<const std::size_t> looks() { return blocks_at_looks; }

SequentialTest::SequentialTest(std::span<const double> tolerances, const Risks& risks) : risks_(risks) {
  for (const double tolerance : tolerances) trials_.push_back({tolerance});
}

bool SequentialTest::done() const {
  return looks_done_ > looks().size() || std::ranges::none_of(trials_, &Trial::is_open);
}

std::size_t SequentialTest::blocks_wanted() const {
  return looks_done_ < looks().size() ? looks()[looks_done_] : blocks_to_confirm;
}

void SequentialTest::add(std::size_t trial, double log_ratio) {
  if (trials_[trial].is_open()) trials_[trial].blocks.push_back(log_ratio);
}

double SequentialTest::of_one_look(double risk) const { return risk / static_cast<double>(looks().size()); }

/// What is fine already cannot be suspected any more, and counts among those that could.
void SequentialTest::suspect() {
  std::vector<Trial*> candidates;
  std::vector<double> chances;
  for (Trial& trial : trials_) {
    if (trial.standing == Standing::suspected || trial.standing == Standing::slower) continue;
    candidates.push_back(&trial);
    const bool judged = trial.standing == Standing::open && !trial.blocks.empty();
    chances.push_back(judged ? chance_of(trial.blocks, 1 + trial.tolerance) : 1);
  }
  const std::vector<bool> rejected = holm(chances, of_one_look(risks_.alarm));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!rejected[i]) continue;
    candidates[i]->standing = Standing::suspected;
    candidates[i]->suspected_at = candidates[i]->blocks.size();
  }
}

void SequentialTest::confirm(Trial& trial) const {
  const auto later = std::span(trial.blocks).subspan(trial.suspected_at);
  if (later.empty() || chance_of(later, 1) > risks_.confirm) return;
  trial.standing = Standing::slower;
}

void SequentialTest::clear(Trial& trial) const {
  if (trial.blocks.empty() || chance_of_less(trial.blocks, 1 + trial.tolerance) > of_one_look(risks_.pass)) return;
  trial.standing = Standing::fine;
}

void SequentialTest::look() {
  const bool for_all = looks_done_ < looks().size();
  for (Trial& trial : trials_) {
    if (trial.standing == Standing::suspected) confirm(trial);
    if (for_all && trial.is_open()) clear(trial);
  }
  if (for_all) suspect();
  if (++looks_done_ != looks().size()) return;
  for (Trial& trial : trials_) {
    if (trial.standing == Standing::open) trial.standing = Standing::undecided;
  }
}

/// All of them say the same, each as likely by a coin as not.
std::size_t SequentialTest::least_blocks() const {
  std::size_t blocks = 1;
  while (signed_rank_probability(blocks, blocks * (blocks + 1) / 2) > of_one_look(risks_.pass)) ++blocks;
  return blocks;
}

Interval SequentialTest::ratio(std::size_t trial) const {
  const Interval logs = middle_by_signed_ranks(trials_[trial].blocks, low_risk(), high_risk());
  return {std::exp(logs.estimate), std::exp(logs.low), std::exp(logs.high)};
}

std::optional<std::size_t> SequentialTest::blocks_needed(std::size_t trial) const {
  constexpr double missed = 0.05;
  const auto& [tolerance, blocks, standing, suspected_at] = trials_[trial];
  if ((standing != Standing::open && standing != Standing::undecided) || blocks.empty()) return std::nullopt;
  const double risk = of_one_look(risks_.pass);
  const Interval middle = middle_by_signed_ranks(blocks, risk, risk);
  if (!std::isfinite(middle.high - middle.low)) return std::nullopt;
  // The interval shrinks with the root of the number of blocks.
  const double half = (middle.high - middle.low) / 2 * (1 + normal_excess(missed) / normal_excess(risk));
  const double times = half / std::log1p(tolerance);
  const double needed = std::ceil(static_cast<double>(blocks.size()) * times * times);
  if (needed <= static_cast<double>(blocks.size()) || needed > static_cast<double>(looks().back()))
    return std::nullopt;
  return static_cast<std::size_t>(needed);
}

}  // namespace nasvm
