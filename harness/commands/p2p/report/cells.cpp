#include "harness/commands/p2p/report/cells.hpp"

#include <fmt/format.h>

#include "harness/report/numbers.hpp"
#include "harness/statistics.hpp"

namespace nasvm {

std::string spread_text(std::span<const double> repeats, bool wrong) {
  if (repeats.size() < 2) return "";
  const Summary summary = summarize(repeats);
  if (wrong || summary.median == 0) return "-";
  return fmt::format("{:.0f} %", 100 * (summary.max - summary.min) / summary.median);
}

std::vector<std::string> aligned_texts(std::span<const double> values, bool whole) {
  const int decimals = whole ? 0 : decimals_for(values);
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fixed_text(value, decimals));
  return texts;
}

std::string data_text(bool wrong, DataCheck check) { return std::string(to_text(wrong ? DataCheck::failed : check)); }

}  // namespace nasvm
