#include "harness/commands/peers/npb_block.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

namespace nasvm {
namespace {

constexpr double printed_half_digit_s = 0.005;

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// 0 for what is none, as "NaN" and "Infinity", which a division by a time of 0 gives.
template <typename Number>
Number number_of(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(static_cast<double>(value)) ? value : Number{};
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// "cg" of " CG Benchmark Completed."; empty for other lines.
std::string completed_kernel(std::string_view line) {
  const std::string_view text = trimmed(line);
  const auto end = text.find(" Benchmark Completed");
  return end == std::string_view::npos ? std::string() : lower(text.substr(0, end));
}

using Entries = std::map<std::string, std::string, std::less<>>;

/// All "NAME = VALUE" from the line of completion on.
Entries entries_of(std::span<const std::string> lines) {
  Entries entries;
  for (const std::string& line : lines) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    entries.emplace(trimmed(std::string_view(line).substr(0, equals)),
                    trimmed(std::string_view(line).substr(equals + 1)));
  }
  return entries;
}

std::string entry(const Entries& entries, std::string_view name) {
  const auto found = entries.find(name);
  return found == entries.end() ? std::string() : found->second;
}

}  // namespace

std::optional<NpbBlock> parse_npb_block(std::span<const std::string> lines) {
  const auto begin =
      std::ranges::find_if(lines, [](const std::string& line) { return !completed_kernel(line).empty(); });
  if (begin == lines.end()) return {};
  const Entries entries = entries_of({begin, lines.end()});
  if (!entries.contains("Time in seconds") || !entries.contains("Verification")) return {};
  NpbBlock block;
  block.kernel = completed_kernel(*begin);
  const std::string letter = entry(entries, "Class");
  if (letter.size() == 1) block.problem_class = letter[0];
  // Serial programs do not say.
  block.processes = entries.contains("Total processes") ? number_of<int>(entry(entries, "Total processes")) : 1;
  block.time_s = number_of<double>(entry(entries, "Time in seconds"));
  block.mops = number_of<double>(entry(entries, "Mop/s total"));
  block.verified = entry(entries, "Verification") == "SUCCESSFUL";
  block.version = entry(entries, "Version");
  block.flags = entries.contains("FFLAGS") ? entry(entries, "FFLAGS") : entry(entries, "CFLAGS");
  return block;
}

double exact_time_s(const NpbBlock& block, double mega_operations) {
  if (block.mops <= 0) return block.time_s;
  const double time_s = mega_operations / block.mops;
  // A little beyond the rounding: operations are counted a little differently here and there.
  const double allowed = printed_half_digit_s + 1e-3 * block.time_s;
  return std::abs(time_s - block.time_s) <= allowed ? time_s : block.time_s;
}

}  // namespace nasvm
