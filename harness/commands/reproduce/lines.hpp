#pragma once
/// \file
/// What tables and plots of `nasvm reproduce` show: measured cases and the paper's rows, brought to the same figures.

#include <string>
#include <string_view>
#include <vector>

#include "harness/commands/reproduce/efficiency.hpp"
#include "harness/commands/reproduce/record.hpp"
#include "harness/kernel_runs/run_cases.hpp"

namespace nasvm {

/// The testbed of a document. Throws UsageError when it names none.
const TestbedRecord& testbed_of(const Source& source);

/// One kernel on one testbed in one way. Not a number: not known.
struct ReproducedLine {
  std::string what;       ///< "the paper, 1994", "paper", "tuned"
  std::string transport;  ///< "PVM daemon", "fsend", "daemon", "direct"
  double time_s = 0;
  double volume_bytes = 0;
  double messages = 0;
  double comm_s = 0;  ///< the longest of any task, as all that follows
  double idle_s = 0;
  double efficiency = 0;
  std::string verified;  ///< empty: the paper's
};

/// All of a kernel on a testbed.
struct Reproduction {
  std::string kernel;
  char problem_class = 'S';
  int np = 1;
  /// The paper's row; nullptr when this is another problem.
  const PaperRow* paper = nullptr;
  std::vector<ReproducedLine> lines;  ///< the paper's first

  /// nullptr when there is none.
  [[nodiscard]] const ReproducedLine* find(std::string_view what, std::string_view transport) const;
  /// The same over any transport: for what does not depend on it.
  [[nodiscard]] const ReproducedLine* find(std::string_view what) const;
};

/// What lines of the paper's are called, and their transports.
inline constexpr std::string_view paper_line = "the paper, 1994";
inline constexpr std::string_view paper_daemon = "PVM daemon";
inline constexpr std::string_view paper_fsend = "fsend";

/// The variant that a kernel has by default, for which speed counts.
std::string usual_variant(std::string_view kernel);

/// What plain sockets took for the messages of variant paper; nullptr when that was not measured.
const YardstickRecord* find_yardstick(const Source& source, const Reproduction& reproduction);

/// Kernel by kernel. Points into the document.
std::vector<Reproduction> reproductions_of(const Source& source);

}  // namespace nasvm
