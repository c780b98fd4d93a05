#include "harness/commands/regress/block_conditions.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "harness/text.hpp"

namespace nasvm {

bool is_steady_block(SampledSide baseline, SampledSide candidate) {
  return std::ranges::all_of(std::array{baseline, candidate}, [](SampledSide side) {
    const std::vector<bool> like = alike(std::array{side}).front();
    return std::ranges::find(like, false) == like.end();
  });
}

bool is_set_apart(SampledSide baseline, SampledSide candidate, std::size_t wanted, ChangedBlocks& changed) {
  if (is_steady_block(baseline, candidate)) return false;
  const bool apart = changed.again < wanted / 2;
  ++(apart ? changed.again : changed.counted);
  return apart;
}

std::vector<std::string> condition_lines_of(SampledSide baseline, SampledSide candidate) {
  std::vector<std::string> lines;
  const auto before = typical(baseline);
  const auto now = typical(candidate);
  if (before) lines.push_back(fmt::format("Conditions of base: {}.", text_of(*before)));
  if (now) lines.push_back(fmt::format("Conditions of new:  {}.", text_of(*now)));
  if (before && now && !are_same(*before, *now)) {
    lines.emplace_back(
        "Base and new were measured under different conditions: what differs between them may come from that.");
  }
  return lines;
}

std::string text_of(const ChangedBlocks& changed, std::size_t blocks) {
  if (changed == ChangedBlocks{}) return "";
  std::string text = fmt::format("Conditions changed in {} of {}: {} taken again", changed.again + changed.counted,
                                 counted(blocks + changed.again, "block"),
                                 changed.again == 1 ? "1 was" : fmt::format("{} were", changed.again));
  if (changed.counted > 0) {
    text += fmt::format(", {} all the same, as at most half as many again are",
                        changed.counted == 1 ? "1 counts" : fmt::format("{} count", changed.counted));
  }
  return text + ".";
}

}  // namespace nasvm
