#include "harness/commands/io/plan.hpp"

#include "harness/session/plan.hpp"

namespace nasvm {

std::vector<IoSpec> make_io_plan(const IoOptions& options) {
  std::vector<IoSpec> round;
  for (const int np : options.np) {
    for (const std::uint64_t access : options.accesses) {
      for (const std::string& method : options.methods) {
        // Only the file cache has one whose size could be tried.
        for (const std::uint64_t disk : options.disk_bytes) {
          if (method == "edonio" || disk == options.disk_bytes.front()) round.push_back({method, np, access, disk});
        }
      }
    }
  }
  std::vector<IoSpec> plan;
  append_rounds(plan, round, options.runs, [](IoSpec& spec, int repeat) { spec.repeat = repeat; });
  return plan;
}

}  // namespace nasvm
