#pragma once
/// \file
/// The decision while launches of two builds take turns: when to stop, and what is known then. Pure
/// (docs/decisions/regress.md).
///
/// A block is four launches of one case, two of each build, in the order A B B A or B A A B by the toss of a coin.
/// Its value is the logarithm of how many times worse the better launch of the new build was than that of the old
/// one: most of what disturbs launches makes them longer. Where the builds do not differ, the coin alone decides its
/// sign, whatever the machine does: Wilcoxon's signed-rank test is exact then, under drift, outliers and several
/// modes, too.
///
/// All open cases are looked at together, after 8, 14, 24, 40, 70, 120, 200 and 340 blocks of each. Each look has an
/// equal part of the risks (Pocock's spending, "Group Sequential Methods in the Design and Analysis of Clinical
/// Trials", with Bonferroni's bound in place of the joint distribution):
///   suspected  "not worse by more than the tolerance" is rejected by Holm's procedure over all cases that are not
///              suspected yet, those found fine among them (Ye, Li, Liu, Yao, "A Group Sequential Holm Procedure with
///              Multiple Primary Endpoints");
///   slower     of a suspected case, when blocks taken after that reject "not worse at all", by themselves; for what
///   is
///              suspected at the last look, there are 450 blocks;
///   fine       "worse by the tolerance or more" is rejected.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/statistics.hpp"

namespace nasvm {

struct Risks {
  double alarm = 0.05;    ///< of any false suspicion in the whole call, all cases and looks together
  double pass = 0.05;     ///< of a case that is worse by its tolerance or more to be found fine, all looks together
  double confirm = 0.05;  ///< of a false suspicion to be confirmed, at one look
};

/// Blocks of a case at each look.
std::span<const std::size_t> looks();

/// `undecided`: at all looks; `dropped`: left out, as it cannot be measured.
enum class Standing { open, suspected, slower, fine, undecided, dropped };

/// One case.
struct Trial {
  double tolerance = 0;          ///< how much worse does not matter: 0.05 is five per cent
  std::vector<double> blocks{};  ///< natural logarithms of ratios, new to old
  Standing standing = Standing::open;
  std::size_t suspected_at = 0;  ///< blocks that had been seen then

  /// Does it need more blocks?
  [[nodiscard]] bool is_open() const { return standing == Standing::open || standing == Standing::suspected; }
};

class SequentialTest {
 public:
  /// A case for each tolerance.
  explicit SequentialTest(std::span<const double> tolerances, const Risks& risks = {});

  [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }
  /// No case is open, or nothing is looked at any more.
  [[nodiscard]] bool done() const;
  /// How many blocks open cases have at the next look; only while it is not done.
  [[nodiscard]] std::size_t blocks_wanted() const;
  /// Another block of a case; passed over when it is not open any more.
  void add(std::size_t trial, double log_ratio);
  void drop(std::size_t trial) { trials_[trial].standing = Standing::dropped; }
  /// Judges all open cases by what they have, be it less than was wanted; only while it is not done.
  void look();

  /// With fewer blocks of a case nothing can be found fine, whatever they are.
  [[nodiscard]] std::size_t least_blocks() const;
  /// Risk of the lower bound of a ratio: that of one look for the first case that Holm's procedure rejects.
  [[nodiscard]] double low_risk() const { return of_one_look(risks_.alarm) / static_cast<double>(trials_.size()); }
  /// Risk of the upper one: that of one look.
  [[nodiscard]] double high_risk() const { return of_one_look(risks_.pass); }
  /// By which factor the case is worse, with bounds of these risks. Only with blocks.
  [[nodiscard]] Interval ratio(std::size_t trial) const;
  /// How many blocks in all would mostly find a case fine that is not decided and not worse at all, if they scatter
  /// as its own do (by normal approximation). None where too few blocks tell how they scatter, where the last look is
  /// too early, and where those there are would have been enough: then it is too near to its tolerance.
  [[nodiscard]] std::optional<std::size_t> blocks_needed(std::size_t trial) const;

 private:
  [[nodiscard]] double of_one_look(double risk) const;
  void suspect();
  void confirm(Trial& trial) const;
  void clear(Trial& trial) const;

  std::vector<Trial> trials_;
  Risks risks_;
  std::size_t looks_done_ = 0;
};

}  // namespace nasvm
