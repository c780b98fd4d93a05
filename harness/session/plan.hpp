#pragma once
/// \file
/// The order in which measurements take turns.

#include <algorithm>
#include <utility>
#include <vector>

namespace nasvm {

/// Appends a round of steps again and again, in the order A B C, C B A, A B C, ... so that drift of the machine hits
/// all alike; `number` is called for each step appended with the number of its round.
template <typename Step, typename Number>
void append_rounds(std::vector<Step>& plan, std::vector<Step> round, int rounds, Number number) {
  for (int i = 0; i < rounds; ++i) {
    for (Step step : round) {
      number(step, i);
      plan.push_back(std::move(step));
    }
    std::reverse(round.begin(), round.end());
  }
}

/// Appends the warm-ups, then the repeats of steps that have a number (`repeat`) and may be a warm-up (`warmup`).
template <typename Step>
void append_repeats(std::vector<Step>& plan, const std::vector<Step>& round, int warmups, int repeats) {
  for (const bool warmup : {true, false}) {
    append_rounds(plan, round, warmup ? warmups : repeats, [warmup](Step& step, int number) {
      step.repeat = number;
      step.warmup = warmup;
    });
  }
}

}  // namespace nasvm
