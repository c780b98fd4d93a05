#include "harness/commands/io/plan.hpp"

#include <fmt/format.h>

#include "harness/commands/io/methods/method.hpp"
#include "harness/commands/io/paper/tables.hpp"
#include "harness/commands/io/pattern.hpp"
#include "harness/report/numbers.hpp"
#include "harness/session/machines.hpp"
#include "harness/session/plan.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

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

/// Patterns of blocks are not made to be asked: they have memory as long as an access, which nobody has checked yet.
std::uint64_t file_bytes(const IoSpec& spec, std::uint64_t block_bytes) {
  const IoPatternRow& pattern = io_pattern(spec.pattern);
  if (!pattern.has_grid) return block_bytes * static_cast<std::uint64_t>(spec.np);
  return pattern.make({.tasks = spec.np, .grid = spec.grid, .access_bytes = spec.access_bytes})->file_bytes();
}

}  // namespace

std::vector<IoSpec> make_io_plan(const IoOptions& options) {
  std::vector<IoSpec> plan;
  append_rounds(plan, round_of(options), options.runs, [](IoSpec& spec, int repeat) { spec.repeat = repeat; });
  return plan;
}

void check_space(const IoOptions& options, const std::filesystem::space_info& space) {
  // Some file systems, such as ramfs, do not say.
  if (names_hosts(options.machine) || space.capacity == 0) return;
  for (const IoSpec& spec : round_of(options)) {
    const std::uint64_t needed = file_bytes(spec, options.block_bytes);
    if (spec.method == mounted_method || needed <= space.available) continue;
    throw UsageError(fmt::format(
        "--dir {}: {} of {} needs {}, {} are free there; smaller blocks (-b) or grids (--grid) would fit",
        options.folder, spec.pattern, counted(spec.np, "task"), bytes_text(needed), bytes_text(space.available)));
  }
}

}  // namespace nasvm
