#include "harness/commands/io/plan.hpp"

#include "harness/commands/io/paper/tables.hpp"
#include "harness/session/plan.hpp"

namespace nasvm {
namespace {

/// One pattern with one number of tasks and one length of accesses, by all methods.
void append_methods(std::vector<IoSpec>& round, const IoOptions& options, IoSpec spec) {
  for (const std::string& method : options.methods) {
    spec.method = method;
    for (const std::uint64_t disk : options.disk_bytes) {
      // Only the file cache has one whose size could be tried.
      if (method != "edonio" && disk != options.disk_bytes.front()) continue;
      spec.disk_bytes = disk;
      round.push_back(spec);
    }
  }
}

std::vector<IoSpec> round_of(const IoOptions& options) {
  if (!options.report.empty()) return paper_cases(options.tables, options.quick);
  std::vector<IoSpec> round;
  for (const std::string& pattern : options.patterns) {
    for (const int np : options.np) {
      for (const std::uint64_t access : options.accesses) {
        append_methods(round, options,
                       {.method = {},
                        .pattern = pattern,
                        .np = np,
                        .grid = options.grid,
                        .access_bytes = access,
                        .data_bytes = options.data_bytes,
                        .preload = options.preload});
      }
    }
  }
  return round;
}

}  // namespace

std::vector<IoSpec> make_io_plan(const IoOptions& options) {
  std::vector<IoSpec> plan;
  append_rounds(plan, round_of(options), options.runs, [](IoSpec& spec, int repeat) { spec.repeat = repeat; });
  return plan;
}

}  // namespace nasvm
