#pragma once
/// \file
/// What `nasvm regress` has found, before it takes the shape of a format. Pure.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/commands/regress/samples.hpp"
#include "harness/statistics.hpp"
#include "vm/status.hpp"

namespace nasvm {

enum class Finding { fine, slower, undecided, failed };

/// "fine", "slower", "undecided", "failed".
std::string_view to_text(Finding verdict);

struct CaseVerdict {
  std::string name;  ///< "ft class A, 8 tasks, direct"
  FigureKind figure;
  Finding verdict = Finding::undecided;
  double baseline = 0;  ///< medians, in the figure's unit; 0: nothing was measured, or nothing of it counts
  double candidate = 0;
  std::size_t baseline_samples = 0;
  std::size_t candidate_samples = 0;
  Interval ratio;        ///< by which factor the new side is worse, above 1; all 0: not known
  double tolerance = 0;  ///< 0.05: up to five per cent worse does not matter
  std::string reason;    ///< for people: why undecided or failed; empty otherwise
};

/// Of the two ends of an interval, each for itself.
struct EndRisks {
  double low = 0;
  double high = 0;
};

struct Judgement {
  std::string baseline;  ///< files, or a build
  std::string candidate;
  std::vector<CaseVerdict> cases;
  std::vector<std::string> notes{};  ///< what else was seen: cases that are new, facts that have shrunk
  std::vector<std::string> rule{};   ///< what was tested, with its error rates
  /// Under which conditions the samples of both sides were taken, and what was set apart.
  std::vector<std::string> conditions{};
  bool is_calibration = false;  ///< of a build with itself: what could not be decided says nothing of it
  std::string broken{};         ///< the launch that failed: the rest is what was known before; empty: none has
  bool lacks_file = false;      ///< one that was asked for could not be written
  std::string_view middles = "medians";  ///< what `baseline` and `candidate` of a case are, for people
  /// With which chances a true ratio lies below the low end of an interval, or above its high end; 0: there is none.
  EndRisks interval{};

  [[nodiscard]] std::size_t count(Finding verdict) const;
};

/// "4 cases: 3 fine, 1 slower, 0 undecided, 0 failed."
std::string summary_of(const Judgement& judgement);

/// broken (by a launch, or a file that could not be written) before failed (something slower, wrong, missing or
/// grown) before undecided before ok; a calibration is ok where it has found any tolerance.
Exit overall(const Judgement& judgement);

/// How much worse does not matter, case by case.
struct Tolerances {
  double usual = 0.05;
  std::map<std::pair<std::string, std::string>, double> by_case{};  ///< of name and figure; others have the usual one

  [[nodiscard]] double of(const ComparedCase& one) const;
};

/// A line for people where single cases have tolerances, but not all of these. Throws UsageError where none has.
std::vector<std::string> tolerance_notes(const Tolerances& tolerances, const std::vector<ComparedCase>& cases);

/// A value as it counts: the larger, the worse.
double cost_of(const FigureKind& figure, double value);

/// Whatever the times are: name, medians and numbers of all samples; failed when something is wrong with the new
/// side, undecided with the reason when the baseline's results are wrong.
CaseVerdict facts_of(const ComparedCase& one, const Tolerances& tolerances);

/// A line for each case that the new side alone has, and for facts that have shrunk.
std::vector<std::string> notes_of(const std::vector<ComparedCase>& cases);

}  // namespace nasvm
