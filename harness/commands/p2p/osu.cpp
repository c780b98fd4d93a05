#include "harness/commands/p2p/osu.hpp"

#include <cmath>

#include <fmt/format.h>

namespace nasvm {
namespace {

// Widths of the fields in the OSU Micro-Benchmarks' output.
constexpr int size_width = 10;
constexpr int field_width = 18;

// Of the OSU Micro-Benchmarks with these widths and titles.
constexpr std::string_view layout_version = "5.9";

}  // namespace

std::string osu_field(std::string_view text) { return fmt::format("{:>{}}", text, field_width); }

std::string osu_field(double value, int decimals) {
  return osu_field(std::isnan(value) || value == 0 ? "-" : fmt::format("{:.{}f}", value, decimals));
}

std::string osu_size(std::string_view text) { return fmt::format("{:<{}}", text, size_width); }

std::string osu_first_title(std::string_view text) { return fmt::format("{:<{}}", text, field_width); }

std::string osu_title(std::string_view test, const Document& document, std::string_view over) {
  return fmt::format("# OSU MPI {} Test (layout; measured by nasvm {} over {})\n", test, document.build.version,
                     over);
}

std::string osu_program_title(std::string_view test, const Document& document, std::string_view over) {
  return fmt::format("# Measured by nasvm {} over {}, laid out as by\n# OSU MPI {} Test v{}\n",
                     document.build.version, over, test, layout_version);
}

}  // namespace nasvm
