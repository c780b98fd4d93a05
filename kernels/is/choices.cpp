#include "kernels/is/choices.hpp"

#include <string>

#include <fmt/format.h>

namespace nasvm::is {
namespace {

/// The loop for up to so many owners that a processor with those instructions has, if any.
struct Vectorised {
  const char* name = nullptr;
  int most_owners = 0;
};

Vectorised vectorised(const Instructions& instructions) {
  if (instructions.avx512) return {"AVX-512", most_owners_avx512};
  if (instructions.avx2) return {"AVX2", most_owners_avx2};
  return {};
}

}  // namespace

TuningChoice splitting_choice(int owners, const Instructions& instructions) {
  const auto [name, most_owners] = vectorised(instructions);
  const bool looked_up = split_loop(owners, instructions) == split_plain;
  const std::string chosen = looked_up ? "look-up" : name;
  if (name == nullptr) return {"splitting", chosen, "the processor has neither AVX-512 nor AVX2"};
  return {"splitting", chosen,
          fmt::format("{} takes less time up to {} tasks, of which there are {}", name, most_owners, owners)};
}

TuningChoices choices_of_run(int tasks) {
  if (tasks == 1) return {};
  return {splitting_choice(tasks, instructions_here())};
}

TuningChoices choices() {
  const Instructions here = instructions_here();
  const auto [name, most_owners] = vectorised(here);
  if (name == nullptr) return {splitting_choice(2, here)};
  return {
      {"splitting", name,
       fmt::format("the processor has it; with more than {} tasks the owner of each key is looked up", most_owners)}};
}

}  // namespace nasvm::is
