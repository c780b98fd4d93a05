#pragma once
/// \file
/// The order of a task that is to be a program of others, and what such a task reports.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/commands/exec/record.hpp"
#include "harness/kernel_runs/task_report.hpp"
#include "vm/abi/launch/program_task.hpp"

namespace nasvm {

inline constexpr std::string_view order_kind_program = "program";

/// As text for the machine, and back.
std::string order_text(const abi::ProgramOrder& order);
abi::ProgramOrder program_order(std::string_view text);

/// What the library says when the program has called MPI_Finalize (vm/abi/mpi/report.hpp).
struct ProgramReport {
  TaskReport task;
  std::vector<CallRecord> calls;
  std::vector<LengthRecord> lengths;
};
/// Nothing for a text that is none: what a program of tasks reports of itself.
std::optional<ProgramReport> program_report(std::string_view text);

}  // namespace nasvm
