#include "harness/conditions/conditions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "harness/statistics.hpp"

namespace nasvm {
namespace {

// Two threads of one core, cores of one cache and cores of two chips lie a factor of two and more apart; repeats of
// the probe within a fifth. Memory is shared with strangers on virtual machines, and repeats lie within a quarter.
constexpr double most_latency_factor = 1.5;
constexpr double most_bandwidth_factor = 1.4;

// Of one core: what changes times by a few per cent. Times of processes are known in ticks of 10 ms, several times
// for each sample, so that short samples know less.
constexpr double most_stolen = 0.03;
constexpr double most_load = 0.25;
constexpr double ticks_s = 0.05;

bool within(double a, double b, double factor) {
  return a <= 0 || b <= 0 || std::max(a, b) <= factor * std::min(a, b);
}

double share(double seconds, double elapsed_s) { return elapsed_s > 0 ? seconds / elapsed_s : 0; }

bool same_probes(const Probed& a, const Probed& b) {
  return within(a.core_to_core_ns, b.core_to_core_ns, most_latency_factor) &&
         within(a.memory_gb_s, b.memory_gb_s, most_bandwidth_factor);
}

Probed probed(const Conditions& conditions) { return {conditions.core_to_core_ns, conditions.memory_gb_s}; }

bool is_like(const Sampled& sample, const Conditions& reference) {
  return !sample.conditions || (!sample.changed && are_same(*sample.conditions, reference));
}

struct Score {
  std::size_t fewest = 0;
  std::size_t all = 0;

  auto operator<=>(const Score&) const = default;
};

Score score_of(std::span<const SampledSide> sides, const Conditions& reference) {
  Score score{static_cast<std::size_t>(-1), 0};
  for (const SampledSide side : sides) {
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(side, [&](const Sampled& sample) { return is_like(sample, reference); }));
    score.fewest = std::min(score.fewest, count);
    score.all += count;
  }
  return score;
}

/// Those that can stand for others: steady, and with every figure that any sample has, as one that is not known would
/// be like all.
std::vector<Conditions> references(std::span<const SampledSide> sides) {
  std::vector<Conditions> steady;
  for (const SampledSide side : sides) {
    for (const Sampled& sample : side) {
      if (sample.conditions && !sample.changed) steady.push_back(*sample.conditions);
    }
  }
  for (const auto figure : {&Conditions::core_to_core_ns, &Conditions::memory_gb_s}) {
    const auto unknown = [figure](const Conditions& one) { return one.*figure <= 0; };
    if (!std::ranges::all_of(steady, unknown)) std::erase_if(steady, unknown);
  }
  return steady;
}

double middle(SampledSide samples, double Conditions::*figure) {
  std::vector<double> all;
  for (const Sampled& sample : samples) {
    if (sample.conditions) all.push_back((*sample.conditions).*figure);
  }
  return median(all);
}

/// Of those that know the figure.
double known_middle(SampledSide samples, double Conditions::*figure) {
  std::vector<Sampled> known;
  std::ranges::copy_if(samples, std::back_inserter(known), [figure](const Sampled& sample) {
    return sample.conditions && (*sample.conditions).*figure > 0;
  });
  return known.empty() ? 0 : middle(known, figure);
}

}  // namespace

void describe(Fields& fields, Conditions& conditions) {
  fields.real("core_to_core_ns", conditions.core_to_core_ns, Need::optional);
  fields.real("memory_gb_s", conditions.memory_gb_s, Need::optional);
  fields.real("stolen_s", conditions.stolen_s, Need::optional);
  fields.real("load_others", conditions.load_others, Need::optional);
  fields.real("elapsed_s", conditions.elapsed_s, Need::optional);
}

void describe_sampled(Fields& fields, Sampled& sampled) {
  fields.part("conditions", sampled.conditions);
  if (fields.has("conditions_changed", sampled.conditions.has_value()))
    fields.boolean("conditions_changed", sampled.changed);
}

bool is_steady(const Probed& before, const Probed& after) { return same_probes(before, after); }

bool are_same(const Conditions& a, const Conditions& b) {
  const double shorter_s = std::max(1e-3, std::min(a.elapsed_s, b.elapsed_s));
  const double unsure = ticks_s / shorter_s;
  const double stolen = std::abs(share(a.stolen_s, a.elapsed_s) - share(b.stolen_s, b.elapsed_s));
  return same_probes(probed(a), probed(b)) && stolen <= most_stolen + unsure &&
         std::abs(a.load_others - b.load_others) <= most_load + unsure;
}

std::vector<std::vector<bool>> alike(std::span<const SampledSide> sides) {
  std::optional<Conditions> best;
  Score best_score;
  for (const Conditions& reference : references(sides)) {
    const Score score = score_of(sides, reference);
    if (best && score <= best_score) continue;
    best = reference;
    best_score = score;
  }
  std::vector<std::vector<bool>> chosen;
  for (const SampledSide side : sides) {
    std::vector<bool>& flags = chosen.emplace_back();
    for (const Sampled& sample : side) flags.push_back(!sample.conditions || (best && is_like(sample, *best)));
  }
  return chosen;
}

std::optional<Conditions> typical(SampledSide samples) {
  if (std::ranges::none_of(samples, [](const Sampled& sample) { return sample.conditions.has_value(); })) return {};
  return Conditions{known_middle(samples, &Conditions::core_to_core_ns),
                    known_middle(samples, &Conditions::memory_gb_s), middle(samples, &Conditions::stolen_s),
                    middle(samples, &Conditions::load_others), middle(samples, &Conditions::elapsed_s)};
}

std::string text_of(const Conditions& conditions) {
  std::string text;
  if (conditions.core_to_core_ns > 0) text += fmt::format("core to core {:.0f} ns, ", conditions.core_to_core_ns);
  if (conditions.memory_gb_s > 0) text += fmt::format("memory {:.1f} GB/s, ", conditions.memory_gb_s);
  return text + fmt::format("stolen {:.1f} % of a core, load by others {:.1f}",
                            100 * share(conditions.stolen_s, conditions.elapsed_s), conditions.load_others);
}

}  // namespace nasvm
