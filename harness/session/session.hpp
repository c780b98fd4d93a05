#pragma once
/// \file
/// What every command that measures has in common: progress, exports, and what is done after an error.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/cli/options.hpp"
#include "harness/report/formats.hpp"
#include "harness/session/output.hpp"
#include "harness/session/progress.hpp"
#include "vm/status.hpp"

namespace nasvm {

/// What a command measures: steps, known before anything is started. Made for one session.
class Measurement {
 public:
  virtual ~Measurement() = default;

  /// A line for people about each step, in their order: "mg class S, 4 tasks, direct (warm-up)".
  [[nodiscard]] virtual std::vector<std::string> steps() const = 0;
  /// Starts what the steps need and says on which machine that is. Blocks. Throws UsageError and RunError.
  virtual MachineRecord start() = 0;
  /// Puts into the document what stands there before the first step. Blocks.
  virtual void add_facts(Document&) {}
  /// Carries out a step: its results go into the document, complaints to `progress`. Blocks. Throws RunError.
  virtual void carry_out(std::size_t step, Document& document, Progress& progress) = 0;
  /// Names of steps that what was measured asks for, numbered on from the last one; none: all is done, and the
  /// document is complete. Complaints go to `progress`.
  virtual std::vector<std::string> more_steps(Document&, Progress&) { return {}; }
  /// Marks the samples that were not taken under the conditions of those beside them. After an error, too; only where
  /// there are results.
  virtual void judge(Document&) {}
  /// Ends what has been started; after an error, too. Throws RunError.
  virtual void stop() = 0;
  /// Of all steps that were carried out: failed when a result was wrong.
  [[nodiscard]] virtual Exit status() const = 0;
  /// Advice on what was measured, once all went well.
  virtual void advise(const Source&, Progress&) const {}
};

/// How the results are shown.
struct Showing {
  const View& view;
  std::span<const Format> formats;
  const OutputOptions& output;
  Columns columns = Columns::usual;
};

/// Carries out all steps and prints the results. Exports are opened first and rewritten after every step; the
/// document says that `command` has made it. Returns the measurement's status; throws UsageError and RunError, the
/// latter after what had been measured until then is exported and printed.
Exit measure(Measurement& measurement, const Showing& showing, std::vector<std::string> command,
             const Console& console);

}  // namespace nasvm
