#pragma once
/// \file
/// Measures the conditions of samples on this host.

#include <sys/types.h>

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "harness/conditions/conditions.hpp"

namespace nasvm {

/// Times of all processors since the start of the system, from /proc/stat.
struct ProcessorTimes {
  double busy_s = 0;
  double stolen_s = 0;
};
ProcessorTimes processor_times(std::string_view proc_stat, double ticks_per_s);

/// Of one process, from /proc/PID/stat: with the children that have ended and been waited for.
struct ProcessTimes {
  long process = 0;
  long parent = 0;
  double cpu_s = 0;
};
ProcessTimes process_times(std::string_view stat, double ticks_per_s);
/// The sum over the children of `parent`, and the helpers.
double sum_s(std::span<const ProcessTimes> processes, pid_t parent, std::span<const pid_t> helpers);

/// One for a session; samples one after the other.
class ConditionsMeter {
 public:
  virtual ~ConditionsMeter() = default;
  /// A sample that uses that many cores is about to begin. Blocks for some 10 ms.
  virtual void begin(int cores) = 0;
  /// It is over. Blocks for some 10 ms.
  virtual Sampled end() = 0;
};

/// What `measure` gives, with the conditions meanwhile as its `sampled`; without a meter it has none.
template <typename Measure>
auto under_conditions(ConditionsMeter* meter, int cores, Measure measure) {
  if (meter != nullptr) meter->begin(cores);
  auto result = measure();
  if (meter != nullptr) result.sampled = meter->end();
  return result;
}

/// Own processes are this one and its children: daemons, launchers of message systems, and what they have waited for;
/// and `helpers`, those of this host that work for it all the same: a kept machine's.
std::unique_ptr<ConditionsMeter> make_conditions_meter(std::vector<pid_t> helpers = {});

/// Makes a meter; empty: conditions are not measured.
using ConditionsMeterFactory = std::function<std::unique_ptr<ConditionsMeter>()>;

}  // namespace nasvm
