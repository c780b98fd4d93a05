#pragma once
/// \file
/// Who runs a program.

#include <map>
#include <string>
#include <vector>

#include "harness/cli/options.hpp"
#include "harness/commands/exec/record.hpp"
#include "harness/kernel_runs/record.hpp"
#include "harness/session/executor.hpp"

namespace nasvm {

struct ExecOptions {
  std::string program;  ///< as typed, seen from `folder`
  std::string folder;   ///< in which it runs, a whole path; empty: the working folder
  std::vector<std::string> arguments;
  std::vector<int> task_counts{4};
  std::vector<std::string> transports{"auto"};
  int runs = 1;
  int warmup = 0;
  Binding bind = Binding::core;
  double timeout_s = 3600;
  bool by_rank = false;
  bool tags_output = false;
  bool quiet = false;                    ///< no table unless it goes to a file
  std::string table_file;                ///< empty: standard error
  std::string expected;                  ///< regular expression of a line of output; empty: none
  std::vector<std::string> variables{};  ///< "NAME=value"
  std::vector<std::string> settings{};   ///< those of them that were given with their value
  MachineOptions machine;
  OutputOptions output;

  /// Warm-ups and measured ones.
  [[nodiscard]] std::size_t planned_runs() const {
    return task_counts.size() * transports.size() * static_cast<std::size_t>(warmup + runs);
  }
  /// Does anybody see what is measured?
  [[nodiscard]] bool is_shown() const {
    return !quiet || !table_file.empty() || !output.export_json.empty() || !output.export_csv.empty() ||
           !output.export_markdown.empty();
  }
};

/// One run of the program.
struct ExecSpec {
  int np = 1;
  std::string transport;
  int repeat = 0;
  bool warmup = false;
};

/// What it gave.
struct ExecResult {
  RunRecord run;
  std::vector<CallRecord> calls;
  std::vector<LengthRecord> lengths;
};

/// Fills what the tasks have told; the caller fills the rest.
class ProgramExecutor : public ExecutorOf<ExecSpec, ExecResult> {
 public:
  /// Exit status of the first program of the last run that has failed, as a shell has it; 0: none.
  virtual int program_status() = 0;
};
using ProgramExecutorFactory = ExecutorFactoryOf<ProgramExecutor, ExecOptions>;

/// The one over the virtual machine. Throws UsageError (program, hostfile) and RunError.
std::unique_ptr<ProgramExecutor> make_program_executor(const ExecOptions& options);

/// The program's name as documents have it.
std::string short_name(const std::string& program);

}  // namespace nasvm
