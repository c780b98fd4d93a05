#include "harness/commands/exec/heat_map.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "harness/report/numbers.hpp"

namespace nasvm {
namespace {

constexpr int most_characters = 64;
/// Nothing, then eighths of the largest.
constexpr std::string_view shades = ".:-=+*#%@";

char shade_of(std::uint64_t bytes, std::uint64_t largest) {
  const double share = largest > 0 ? static_cast<double>(bytes) / static_cast<double>(largest) : 0;
  if (bytes == 0) return shades.front();
  const auto levels = static_cast<double>(shades.size() - 1);
  return shades[1 + static_cast<std::size_t>(std::min(share * levels, levels - 1))];
}

std::string ranks_text(int first, int count, int ranks) {
  const int last = std::min(first + count, ranks) - 1;
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

}  // namespace

Grid heat_map_grid(const RunRecord& run, const std::string& what) {
  const int each = (run.np - 1) / most_characters + 1;
  const auto places = static_cast<std::size_t>((run.np - 1) / each) + 1;
  std::vector<std::vector<std::uint64_t>> bytes(places, std::vector<std::uint64_t>(places));
  std::uint64_t largest = 0;
  for (const PairRecord& pair : run.comm.by_pair) {
    // Documents can say anything.
    if (pair.from >= run.np || pair.to >= run.np) continue;
    auto& cell = bytes[static_cast<std::size_t>(pair.from / each)][static_cast<std::size_t>(pair.to / each)];
    largest = std::max(largest, cell += pair.bytes);
  }
  Grid grid;
  grid.heading = {what + ": who sends how much to whom"};
  grid.columns = {{"From", ""}, {fmt::format("to 0 ... {}", run.np - 1), "", Align::left}};
  grid.blocks.emplace_back();
  for (std::size_t from = 0; from < places; ++from) {
    std::string line;
    for (const std::uint64_t cell : bytes[from]) line += shade_of(cell, largest);
    grid.blocks.front().rows.push_back({{ranks_text(static_cast<int>(from) * each, each, run.np), line}});
  }
  grid.notes = {fmt::format("{} nothing, then eighths of the most, {}{}.", shades.front(), bytes_text(largest),
                            each > 1 ? fmt::format("; each character stands for {} x {} tasks", each, each) : "")};
  return grid;
}

}  // namespace nasvm
