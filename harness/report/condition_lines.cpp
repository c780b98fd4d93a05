#include "harness/report/condition_lines.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace nasvm {
namespace {

std::vector<Sampled> not_apart(std::span<const Sampled> samples) {
  std::vector<Sampled> kept;
  std::ranges::copy_if(samples, std::back_inserter(kept), [](const Sampled& sample) { return !sample.changed; });
  return kept;
}

/// What the figures were taken under: all samples where all are apart.
std::optional<Conditions> shown(std::span<const Sampled> samples) {
  const std::vector<Sampled> kept = not_apart(samples);
  return typical(kept.empty() ? samples : kept);
}

std::string apart_text(std::span<const Sampled> samples) {
  const std::size_t apart = samples.size() - not_apart(samples).size();
  if (apart == 0) return ".";
  if (apart == samples.size()) return "; they changed during every sample.";
  return fmt::format("; {} of {} samples were under others and count only where there are no more.", apart,
                     samples.size());
}

/// Single runs are not set apart, as nothing says which of them would be right: rows may then differ by conditions.
std::vector<std::string> variation_lines(std::span<const Sampled> samples, const Conditions& shown,
                                         const std::string& label) {
  const std::vector<Sampled> kept = not_apart(samples);
  const auto others = std::ranges::count_if(
      kept, [&](const Sampled& sample) { return sample.conditions && !are_same(*sample.conditions, shown); });
  if (others == 0) return {};
  const std::string of = label.empty() ? "" : " in" + label;
  // Some are said to be apart: these may stand in rows that have no more.
  const bool some_are_apart = kept.size() < samples.size();
  // What is typical of two lies between them.
  const bool all = static_cast<std::size_t>(others) == kept.size();
  const std::string which = some_are_apart ? "others" : "samples that count";
  const std::string who = all ? fmt::format("The {}{} were under different conditions", which, of)
                              : fmt::format("{} of {}{} {}{} were under other conditions than these", others,
                                            some_are_apart ? "the " : "", kept.size(), which, of);
  return {who + ": what differs between rows may come from that."};
}

std::string difference_line(std::size_t source) {
  return fmt::format(
      "{} and {} were measured under different conditions: what differs between them may come from that.",
      source_label(0), source_label(source));
}

}  // namespace

std::vector<std::string> condition_lines(std::span<const std::vector<Sampled>> by_source) {
  std::vector<std::string> lines;
  std::vector<std::string> differences;
  const auto first = by_source.empty() ? std::nullopt : shown(by_source.front());
  for (std::size_t source = 0; source < by_source.size(); ++source) {
    const auto conditions = shown(by_source[source]);
    if (!conditions) continue;
    const std::string label = by_source.size() > 1 ? " " + source_label(source) : "";
    lines.push_back(fmt::format("Conditions{}: {}{}", label, text_of(*conditions), apart_text(by_source[source])));
    std::ranges::copy(variation_lines(by_source[source], *conditions, label), std::back_inserter(lines));
    if (first && !are_same(*first, *conditions)) differences.push_back(difference_line(source));
  }
  lines.insert(lines.end(), differences.begin(), differences.end());
  return lines;
}

}  // namespace nasvm
