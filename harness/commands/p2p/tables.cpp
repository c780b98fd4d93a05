#include "harness/commands/p2p/tables.hpp"

#include <fmt/format.h>

namespace nasvm {

std::string repeats_note(const std::string& runs) {
  return fmt::format("Medians of {} runs, taken in alternating order. Spread: (largest - smallest) / median", runs);
}

}  // namespace nasvm
