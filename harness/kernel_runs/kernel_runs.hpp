#pragma once
/// \file
/// Measuring kernels: what every command that runs them has in common.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/kernel_runs/executor.hpp"
#include "harness/kernel_runs/plan.hpp"
#include "harness/session/repeats.hpp"
#include "harness/session/session.hpp"

namespace nasvm {

/// Runs once. The record, with what the executor found and what only the plan knows, goes into the document unless it
/// is a warm-up's; a result that is wrong is complained of. True when it was right. Blocks. Throws RunError.
bool run_once(Executor& executor, const RunSpec& spec, Document& document, Progress& progress);

/// The name of its records (run_cases.hpp): what runs must have in common to be compared.
std::string work_of(const RunSpec& spec);

/// The runs of a document as samples, each with its transport as its side.
std::vector<TakenSample> samples_of_runs(Document& document);

/// All runs that options ask for. A failed verification fails the measurement, and the other runs still go on.
class KernelRuns final : public Measurement {
 public:
  using AddFacts = std::function<void(Document& document, const std::vector<RunSpec>& plan)>;

  /// `add_facts` puts into the document what else the command wants there. The options must outlive this. Throws
  /// RunError when a run needs more memory than there is, UsageError when it has more threads than the system allows.
  KernelRuns(const RunOptions& options, ExecutorFactory make_executor, AddFacts add_facts = {});

  [[nodiscard]] std::vector<std::string> steps() const override;
  MachineRecord start() override;
  void add_facts(Document& document) override;
  void carry_out(std::size_t step, Document& document, Progress& progress) override;
  std::vector<std::string> more_steps(Document& document, Progress& progress) override;
  void judge(Document& document) override { repeats_.set_apart(samples_of_runs(document)); }
  void stop() override { executor_.reset(); }
  [[nodiscard]] Exit status() const override { return verified_ ? Exit::ok : Exit::failed; }
  /// Times far from the others.
  void advise(const Source& source, Progress& progress) const override;

 private:
  const RunOptions& options_;
  ExecutorFactory make_executor_;
  AddFacts add_facts_;
  std::vector<RunSpec> plan_;
  Repeats repeats_;
  std::unique_ptr<Executor> executor_;
  bool verified_ = true;
};

}  // namespace nasvm
