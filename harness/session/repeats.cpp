#include "harness/session/repeats.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace nasvm {
namespace {

/// The samples of one side of one work.
struct SampleSide {
  std::string work;
  std::string side;
  std::vector<const TakenSample*> samples;
  std::vector<bool> alike{};

  [[nodiscard]] int good() const { return static_cast<int>(std::ranges::count(alike, true)); }
  /// Has it too few because others are not like them?
  [[nodiscard]] bool lacks(int runs) const { return good() < runs && good() < static_cast<int>(samples.size()); }
  [[nodiscard]] std::vector<Sampled> sampled() const {
    std::vector<Sampled> all;
    for (const TakenSample* sample : samples) all.push_back(*sample->sampled.front());
    return all;
  }
};

/// In the order of their first samples.
std::vector<SampleSide> sides_of(std::span<const TakenSample> samples) {
  std::vector<SampleSide> sides;
  for (const TakenSample& sample : samples) {
    auto found = std::ranges::find_if(
        sides, [&](const SampleSide& one) { return one.work == sample.work && one.side == sample.side; });
    if (found == sides.end()) found = sides.insert(found, {sample.work, sample.side, {}});
    found->samples.push_back(&sample);
  }
  return sides;
}

/// Judges the sides of one work together.
void judge(std::vector<SampleSide>& sides, const std::string& work) {
  std::vector<SampleSide*> own;
  std::vector<std::vector<Sampled>> samples;
  for (SampleSide& side : sides) {
    if (side.work != work) continue;
    own.push_back(&side);
    samples.push_back(side.sampled());
  }
  const std::vector<SampledSide> views(samples.begin(), samples.end());
  // Of one sample a side nothing says which is right: each counts, unless the machine changed while it was taken.
  const bool single = std::ranges::all_of(views, [](SampledSide side) { return side.size() < 2; });
  const auto flags = alike(views);
  for (std::size_t i = 0; i < own.size(); ++i) {
    own[i]->alike = single ? std::vector<bool>{!views[i].front().changed} : flags[i];
  }
}

std::vector<SampleSide> judged(std::span<const TakenSample> samples) {
  std::vector<SampleSide> sides = sides_of(samples);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i].alike.empty()) judge(sides, sides[i].work);
  }
  return sides;
}

}  // namespace

Repeats::Repeats(int runs) : runs_(runs), rounds_left_(runs < 2 ? 0 : (runs + 1) / 2) {}

std::vector<Repeat> Repeats::next(std::span<const TakenSample> samples) {
  std::vector<Repeat> round;
  if (rounds_left_ == 0) return round;
  for (const SampleSide& side : judged(samples)) {
    if (side.lacks(runs_)) round.push_back({side.work, side.side, static_cast<int>(side.samples.size())});
  }
  if (backwards_) std::ranges::reverse(round);
  backwards_ = !backwards_;
  --rounds_left_;
  return round;
}

std::vector<std::string> Repeats::set_apart(std::span<const TakenSample> samples) const {
  std::vector<std::string> lines;
  for (const SampleSide& side : judged(samples)) {
    for (std::size_t i = 0; i < side.samples.size(); ++i) {
      for (Sampled* sampled : side.samples[i]->sampled) sampled->changed = !side.alike[i];
    }
    if (runs_ < 2 || !side.lacks(runs_)) continue;
    lines.push_back(
        fmt::format("{}, {}: {} of {} samples were taken under the same conditions, {} were asked for; "
                    "not tried again",
                    side.work, side.side, side.good(), side.samples.size(), runs_));
  }
  return lines;
}

}  // namespace nasvm
