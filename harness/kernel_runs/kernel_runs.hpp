#pragma once
/// \file
/// Carrying out runs of a plan: what every command that runs kernels has in common.

#include <functional>
#include <string>
#include <vector>

#include "harness/report/cases.hpp"
#include "harness/kernel_runs/executor.hpp"
#include "harness/session/exports.hpp"
#include "harness/kernel_runs/plan.hpp"
#include "harness/session/progress.hpp"
#include "vm/status.hpp"

namespace nasvm {

/// Runs once; the record has what the executor found and what only the plan knows. Blocks. Throws RunError.
RunRecord run_once(Executor& executor, const RunSpec& spec);

/// One line for people about a run that did not verify.
std::string failure_text(const RunSpec& spec, const RunRecord& record);

/// How a command that runs kernels shows its results.
struct Views {
  Render print;  ///< on standard output
  Render json;   ///< these three in the files that the options name
  Render csv;
  Render markdown;
};

/// Runs everything that the options ask for and prints the results. Exports are opened before the executor is made
/// and rewritten after every run; `add_facts` puts into the document what else the command wants there, before the
/// first run. Exit::failed when a verification failed (the other runs still go on); throws UsageError and RunError,
/// the latter after what had been measured until then is printed.
Exit run_all(const RunOptions& options, const ExecutorFactory& make_executor, const Console& console,
             const Views& views, const std::function<void(Document&)>& add_facts = {});

/// Carries out the plan; the results grow in `source`, and with them the exports. Says whether everything verified.
bool carry_out(const std::vector<RunSpec>& plan, Executor& executor, Source& source, Exports& exports,
               Progress& progress);

}  // namespace nasvm
