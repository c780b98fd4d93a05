#include <cctype>

#include <fmt/format.h>

#include "harness/kernel_runs/record.hpp"
#include "harness/kernel_runs/run_cases.hpp"
#include "harness/kernel_runs/view.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {
namespace {

/// The line with which the kernel's reference code reports its verification; EP and IS have none but the block's.
std::string verification_text(const RunRecord& run) {
  const Kernel* kernel = find_kernel(run.kernel);
  if (kernel == nullptr || kernel->verification_lines.success.empty()) return "";
  return fmt::format("{}\n", run.verified ? kernel->verification_lines.success : kernel->verification_lines.failure);
}

template <typename Value>
std::string entry(std::string_view name, const Value& value) {
  return fmt::format(" {:<16}= {:>24}\n", name, value);
}

/// Digits and dots, as programs expect: "0.1.0-rc1" becomes "0.1.0".
std::string plain_version(const std::string& version) {
  const auto end =
      std::find_if(version.begin(), version.end(), [](unsigned char c) { return std::isdigit(c) == 0 && c != '.'; });
  return {version.begin(), end};
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// Also of a result that did not verify: the reference codes print time and speed of those, too. Only here; records
/// have no speed then, and those of others may lack it.
double mops_of(const RunRecord& run, const Kernel* kernel, const Problem& problem) {
  if ((run.verified && run.mops > 0) || kernel == nullptr || run.time_s <= 0) return run.mops;
  return mega_operations_done(*kernel, problem, run) / run.time_s;
}

std::string rate_entries(double mops, int processes) {
  return entry("Mop/s total", fmt::format("{:.2f}", mops)) +
         entry("Mop/s/process", fmt::format("{:.2f}", mops / processes));
}

std::string block(const RunRecord& run, const BuildRecord& build) {
  const Kernel* kernel = find_kernel(run.kernel);
  Problem problem;
  problem.problem_class = run.problem_class;
  problem.threads = run.threads;
  problem.variant = run.variant;
  std::string text = entry("Class", run.problem_class);
  text += entry("Size", kernel == nullptr ? "-" : kernel->size_text(problem));
  text += entry("Iterations", kernel == nullptr ? 0 : iterations_done(*kernel, problem, run));
  text += entry("Time in seconds", fmt::format("{:.6f}", run.time_s));
  text += entry("Total processes", run.np) + entry("Active procs", run.np);
  text += rate_entries(mops_of(run, kernel, problem), run.np);
  text += entry("Operation type", kernel == nullptr ? "-" : kernel->operation_type);
  text += entry("Verification", run.verified ? "SUCCESSFUL" : "UNSUCCESSFUL");
  text += entry("Version", plain_version(build.version));
  text += entry("Compile date", build.date);
  return text;
}

/// What the reference codes do not have: after their block, in the same shape.
std::string communication_entries(const RunRecord& run) {
  const CommRecord& comm = run.comm;
  std::string text = entry("Transport", run.transport);
  text += entry("Threads/process", run.threads);
  text += entry("Comm. volume MB", fmt::format("{:.6f}", static_cast<double>(comm.volume_bytes) / 1e6));
  text += entry("Comm. messages", comm.messages);
  if (!run.verified) return text;
  text += entry("Comm. time max", fmt::format("{:.6f}", comm.time_max_s));
  text += entry("Comm. time mean", fmt::format("{:.6f}", comm.time_mean_s));
  text += entry("Idle time max", fmt::format("{:.6f}", comm.idle_max_s));
  text += entry("Idle time mean", fmt::format("{:.6f}", comm.idle_mean_s));
  return text;
}

}  // namespace

std::string render_npb(const Report& report) {
  std::string text;
  for (const Source& source : report.sources) {
    for (const RunRecord& run : source.document.records<RunRecord>()) {
      const std::string title = upper(run.kernel);
      text += fmt::format("\n\n NAS Parallel Benchmarks 3.4 -- {} Benchmark\n\n", title);
      text += verification_text(run);
      text += fmt::format("\n\n {} Benchmark Completed.\n", title);
      text += block(run, source.document.build) + "\n" + communication_entries(run) + "\n";
    }
  }
  return text;
}

}  // namespace nasvm
