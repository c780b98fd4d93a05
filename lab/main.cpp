/// \file
/// nasvm-lab-wire: carries the frames of a lab's hosts with delay, reordering and duplication. Started by
/// scripts/lab.

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "lab/wire.hpp"
#include "vm/status.hpp"

namespace {

using nasvm::UsageError;
using nasvm::lab::LossyLink;
using nasvm::lab::Wire;

/// What a frame that is to be overtaken may be late by.
constexpr std::chrono::milliseconds lateness{1};
/// What may be on its way on each link: 100 ms at 5 Gbit/s.
constexpr std::size_t transit_bytes = 64 << 20;
constexpr double unit = 1e-5;

std::uint32_t parse_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw UsageError("'" + std::string(text) + "': expected a number");
  }
  return number;
}

Wire::Link parse_link(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    throw UsageError("'" + std::string(text) + "': expected two interfaces such as port1:link1");
  }
  return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

void carry(const std::vector<std::string_view>& arguments) {
  if (arguments.size() < 4) {
    throw UsageError(
        "expected DELAY (microseconds) REORDERING DUPLICATION (in 1/100000) and links, HOST-SIDE:SWITCH-SIDE...");
  }
  LossyLink::Options path;
  path.delay = std::chrono::microseconds(parse_number(arguments[0]));
  path.reordering = unit * parse_number(arguments[1]);
  path.duplication = unit * parse_number(arguments[2]);
  path.lateness = lateness;
  path.transit_bytes = transit_bytes;
  std::vector<Wire::Link> links;
  for (auto text = arguments.begin() + 3; text != arguments.end(); ++text) links.push_back(parse_link(*text));
  Wire wire(links, path);
  std::puts("ready");
  std::fflush(stdout);
  wire.run();
}

}  // namespace

int main(int count, char** words) {
  try {
    carry({words + 1, words + count});
  } catch (...) {
    const auto [exit_status, text] = nasvm::current_complaint();
    std::fprintf(stderr, "nasvm-lab-wire: %s\n", text.c_str());
    return static_cast<int>(exit_status);
  }
}
