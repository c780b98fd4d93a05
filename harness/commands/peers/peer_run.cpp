#include "harness/commands/peers/peer_run.hpp"

#include <algorithm>
#include <cctype>
#include <csignal>

#include <fmt/format.h>

#include "harness/commands/peers/npb_block.hpp"
#include "vm/process/programs.hpp"

namespace nasvm {
namespace {

constexpr std::size_t longest_complaint = 200;

bool speaks_of_an_error(const std::string& line) {
  static constexpr std::string_view word = "error";
  const auto same = [](unsigned char a, char b) { return std::tolower(a) == b; };
  return std::search(line.begin(), line.end(), word.begin(), word.end(), same) != line.end();
}

/// The program's own words about what was wrong; empty when there are none.
std::string complaint(const MpiProgramResult& result) {
  for (const auto* lines : {&result.output, &result.errors}) {
    const auto found = std::ranges::find_if(*lines, speaks_of_an_error);
    if (found == lines->end()) continue;
    const auto begin = found->find_first_not_of(' ');
    return found->substr(begin, longest_complaint);
  }
  return {};
}

std::string why_no_result(const MpiProgramResult& result, std::chrono::milliseconds timeout) {
  if (result.overdue) {
    return fmt::format("has not finished within {} s (--timeout)", std::chrono::duration<double>(timeout).count());
  }
  const std::string words = complaint(result);
  if (result.ended_well) return words.empty() ? "has printed no result block" : words;
  return words.empty() ? result.ending : fmt::format("{}: {}", result.ending, words);
}

/// What the block says it is must be what was asked for.
std::string mismatch(const NpbBlock& block, const RunSpec& asked) {
  if (block.kernel == asked.kernel->name && block.problem_class == asked.problem.problem_class &&
      block.processes == asked.np) {
    return {};
  }
  return fmt::format("has run {} class {} on {} processes", block.kernel, block.problem_class, block.processes);
}

/// malloc asks for huge pages (glibc 2.35 and newer; older ones ignore it), as our large arrays do.
std::vector<std::string> environment_of(PeerWay way) {
  if (way != PeerWay::huge_pages) return {};
  return {"GLIBC_TUNABLES=glibc.malloc.hugetlb=1"};
}

}  // namespace

MpiProgramResult run_over_ours(const MpiProgram& program, const std::string& transport,
                               std::chrono::milliseconds timeout) {
  return run_program({.program = process::own_program(),
                      .arguments = {"mpiexec", "-n", std::to_string(program.tasks), "-timeout",
                                    fmt::format("{}", std::chrono::duration<double>(timeout).count()), "--transport",
                                    transport, "--", program.path},
                      .death_signal = SIGTERM},
                     timeout);
}

PeerRecord run_peer(const PeerLaunchers& launch, const PeerStep& step, std::chrono::milliseconds timeout) {
  const MpiProgram program{step.program, step.np, environment_of(step.way)};
  const MpiProgramResult result = step.way == PeerWay::over_ours ? launch.over_ours(program, step.transport, timeout)
                                                                 : launch.mpi(program, timeout);
  PeerRecord record;
  record.kernel = step.kernel->name;
  record.problem_class = step.problem.problem_class;
  record.np = step.np;
  record.repeat = step.repeat;
  record.program = step.program;
  record.way = step.way;
  record.transport = step.transport;
  const auto block = parse_npb_block(result.output);
  if (!block || result.overdue || !result.ended_well) {
    record.failure = why_no_result(result, timeout);
    return record;
  }
  record.version = block->version;
  record.flags = block->flags;
  record.failure = mismatch(*block, step);
  if (!record.failure.empty() || !block->verified) return record;
  const double time_s = exact_time_s(*block, step.kernel->mega_operations(step.problem));
  if (time_s <= 0) {
    // It would count as infinitely fast.
    record.failure = "has printed a time of 0 s, too short for its clock";
    return record;
  }
  record.verified = true;
  record.time_s = time_s;
  record.mops = block->mops;
  return record;
}

}  // namespace nasvm
