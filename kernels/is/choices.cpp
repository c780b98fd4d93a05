#include "kernels/is/choices.hpp"

#include <string>

#include <fmt/format.h>

#include "kernels/common/caches.hpp"

namespace nasvm::is {
namespace {

/// By how much: times of a few rankings scatter.
constexpr double clearly = 1.05;

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

TuningChoice chunk_choice(std::uint64_t first_level_bytes) {
  return {"chunk", fmt::format("{} keys", chunk_keys_for(first_level_bytes)),
          fmt::format("half of a first-level cache of {}", cache_size_text(static_cast<double>(first_level_bytes)))};
}

KeyPacker::Way faster_packing(const PackingTimes& times) {
  using enum KeyPacker::Way;
  return times.past_cache_s > clearly * times.straight_s ? straight : past_cache;
}

TuningChoice tried_packing(const PackingTimes& times) {
  const bool is_straight = faster_packing(times) == KeyPacker::Way::straight;
  return {"packing", is_straight ? "straight" : "past the cache",
          fmt::format("in a trial a ranking took {:.3g} ms straight, {:.3g} ms past the cache; straight must be "
                      "{:.0f} % faster",
                      times.straight_s * 1e3, times.past_cache_s * 1e3, (clearly - 1) * 100)};
}

TuningChoice untried_packing() { return {"packing", "straight", "tasks do not read each other's memory"}; }

TuningChoices choices_of_run(int tasks) {
  if (tasks == 1) return {};
  return {splitting_choice(tasks, instructions_here()), chunk_choice(caches_here().front().bytes)};
}

TuningChoices choices() {
  const Instructions here = instructions_here();
  const char* const vectors = vectors_of(here);
  const TuningChoice chunk = chunk_choice(caches_here().front().bytes);
  const TuningChoice by_trial{
      "packing", "by trial",
      "in each run of tasks that read each other's memory: keys straight there, or gathered and "
      "past the cache"};
  if (vectors == nullptr) return {splitting_choice(2, here), chunk, by_trial};
  return {{"splitting", vectors,
           fmt::format("the processor has it; with more than {} tasks the owner of each key is looked up",
                       most_owners_by_vectors)},
          chunk,
          by_trial};
}

}  // namespace nasvm::is
