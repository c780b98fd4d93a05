#include "kernels/is/choices.hpp"

#include <string>

#include <fmt/format.h>

namespace nasvm::is {
namespace {

/// The vectors that keys are split by, if any.
const char* vectors_of(const Instructions& instructions) {
  if (instructions.avx512) return "AVX-512";
  return instructions.avx2 ? "AVX2" : nullptr;
}

}  // namespace

TuningChoice splitting_choice(int owners, const Instructions& instructions) {
  const char* const vectors = vectors_of(instructions);
  const bool looked_up = split_loop(owners, instructions) == split_plain;
  const std::string chosen = looked_up ? "look-up" : vectors;
  if (vectors == nullptr) return {"splitting", chosen, "the processor has neither AVX-512 nor AVX2"};
  return {"splitting", chosen,
          fmt::format("{} serves up to {} tasks, of which there are {}", vectors, most_owners_by_vectors, owners)};
}

TuningChoices choices_of_run(int tasks) {
  if (tasks == 1) return {};
  return {splitting_choice(tasks, instructions_here())};
}

TuningChoices choices() {
  const Instructions here = instructions_here();
  const char* const vectors = vectors_of(here);
  if (vectors == nullptr) return {splitting_choice(2, here)};
  return {{"splitting", vectors,
           fmt::format("the processor has it; with more than {} tasks the owner of each key is looked up",
                       most_owners_by_vectors)}};
}

}  // namespace nasvm::is
