#pragma once
/// \file
/// `nasvm regress`: has anything really become slower?
///
/// The rule, for each case (kernel, class, np, threads, variant, transport) that both documents have. Let r be the
/// factor by which the new times are longer, estimated and bounded from ranks (statistics.hpp, ratio_by_ranks), t the
/// slowdown that matters (5 %), and m the number of cases:
///   slower     the lower bound of r is above 1 and its estimate is 1 + t or more. The bound's risk is (1 -
///   confidence)
///              divided by m, so that the risk of any false alarm in the whole comparison is (1 - confidence);
///   fine       the upper bound of r, of risk (1 - confidence), is below 1 + t;
///   undecided  otherwise, or with fewer than five runs on a side.
/// So both answers are proven ones, and silence of the data is never taken for good news.

#include <string>
#include <vector>

#include "harness/command.hpp"
#include "harness/statistics.hpp"

namespace nasvm {

struct RegressOptions {
  std::string baseline;
  std::string candidate;
  double threshold = 0.05;  ///< how much slower matters: 0.05 is five percent
  double confidence = 0.95;
};

enum class Verdict { fine, slower, undecided, failed };

/// What was found of one case.
struct CaseVerdict {
  std::string name;  ///< "ft class A, 8 tasks, direct"
  Verdict verdict = Verdict::undecided;
  double baseline_s = 0;  ///< medians
  double candidate_s = 0;
  Interval ratio;      ///< candidate / baseline
  std::string reason;  ///< for people: why undecided or failed
};

/// The rule for one case, `cases` of which are judged together. Times in seconds.
CaseVerdict judge(std::vector<double> baseline, std::vector<double> candidate, const RegressOptions& options,
                  std::size_t cases);

/// All cases that both documents have. Throws UsageError when there is none.
std::vector<CaseVerdict> judge_all(const Document& baseline, const Document& candidate,
                                   const RegressOptions& options);

/// failed (something slower, or unverified) before undecided before ok.
Exit overall(const std::vector<CaseVerdict>& verdicts);

/// Reads both documents, prints a line for each case and the conclusion.
CommandRow regress_command();

}  // namespace nasvm
