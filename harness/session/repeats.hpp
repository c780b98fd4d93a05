#pragma once
/// \file
/// Samples that are taken again because the machine was not the same: which, how often, and which are set apart in
/// the end. Pure decisions (docs/decisions/conditions.md).

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/conditions/conditions.hpp"
#include "harness/session/progress.hpp"

namespace nasvm {

/// One sample: of which work, and on which side of the comparison (transport, program) it stands.
struct TakenSample {
  std::string work;
  std::string side;
  std::vector<Sampled*> sampled;  ///< of all its records, equal; never none
};

/// Behind the name of a step.
inline constexpr std::string_view again_remark = " (again: conditions changed)";

/// A sample to be taken.
struct Repeat {
  std::string work;
  std::string side;
  int number = 0;  ///< from 0, as repeats are numbered
};

class Repeats {
 public:
  /// Each side of each work is to have `runs` samples under the same conditions. One run is not repeated: there is no
  /// saying which side would be right.
  explicit Repeats(int runs);

  /// The next round: one sample of each side that has too few; the order of sides alternates. None when all have
  /// enough, or after half as many rounds as runs.
  std::vector<Repeat> next(std::span<const TakenSample> samples);
  /// Marks the samples that are not like the others of their work; where no side has two, only those whose own
  /// conditions changed. Returns a line for people for each side that has too few, where it was tried.
  std::vector<std::string> set_apart(std::span<const TakenSample> samples) const;

 private:
  int runs_;
  int rounds_left_;
  bool backwards_ = false;
};

/// Appends the next round of a measurement to its plan: for each sample to be taken again the step of the plan that
/// it repeats (`is_repeat_of(sample, step)`), with its number. Returns the steps' names (`name_of(step)`). When there
/// is none, samples are set apart, and complaints go to `progress`; where it does not come to that,
/// Measurement::judge sets them apart.
template <typename Step, typename IsRepeatOf, typename NameOf>
std::vector<std::string> append_again(Repeats& rounds, std::span<const TakenSample> samples, std::vector<Step>& plan,
                                      Progress& progress, IsRepeatOf is_repeat_of, NameOf name_of) {
  std::vector<std::string> names;
  for (const Repeat& sample : rounds.next(samples)) {
    Step again = *std::ranges::find_if(plan, [&](const Step& step) { return is_repeat_of(sample, step); });
    again.repeat = sample.number;
    names.push_back(name_of(again) + std::string(again_remark));
    plan.push_back(std::move(again));
  }
  if (!names.empty()) return names;
  for (const std::string& line : rounds.set_apart(samples)) progress.note(line);
  return {};
}

}  // namespace nasvm
