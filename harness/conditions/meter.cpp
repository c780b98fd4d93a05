#include "harness/conditions/meter.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/conditions/probe.hpp"
#include "vm/machine_topology.hpp"
#include "vm/proc.hpp"

namespace nasvm {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<double> numbers_of(std::string_view text) {
  std::istringstream words{std::string(text)};
  return {std::istream_iterator<double>(words), std::istream_iterator<double>()};
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double used_s(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

std::vector<ProcessTimes> times_of_all(double ticks_per_s) {
  std::vector<ProcessTimes> times;
  for (const pid_t process : all_processes()) {
    times.push_back(process_times(proc_text(proc_folder(process) / "stat"), ticks_per_s));
  }
  return times;
}

/// The cores that so many tasks and threads would use first; all, where they are more than there are.
std::vector<int> cores_used(int count) {
  std::vector<int> cores = usable_core_numbers();
  cores.resize(std::min(cores.size(), static_cast<std::size_t>(std::max(1, count))));
  return cores;
}

std::unique_ptr<MemoryProbe> make_memory_probe() {
  try {
    return std::make_unique<MemoryProbe>(data_caches().back().bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

class LocalMeter final : public ConditionsMeter {
 public:
  explicit LocalMeter(std::vector<pid_t> helpers)
      : helpers_(std::move(helpers)),
        ticks_per_s_(static_cast<double>(::sysconf(_SC_CLK_TCK))),
        memory_(make_memory_probe()) {}

  void begin(int cores) override {
    cores_ = cores_used(cores);
    before_ = look();
    began_ = count();
  }

  Sampled end() override {
    const Count ended = count();
    const Probed after = look();
    Conditions conditions;
    conditions.core_to_core_ns = middle_of(before_.core_to_core_ns, after.core_to_core_ns);
    conditions.memory_gb_s = middle_of(before_.memory_gb_s, after.memory_gb_s);
    conditions.elapsed_s = std::chrono::duration<double>(ended.at - began_.at).count();
    // The kernel's count of stolen time may go back.
    conditions.stolen_s = std::max(0.0, ended.all.stolen_s - began_.all.stolen_s);
    const double others_s = ended.all.busy_s - began_.all.busy_s - (ended.own_s - began_.own_s);
    conditions.load_others = std::max(0.0, others_s) / std::max(1e-3, conditions.elapsed_s);
    return {conditions, !is_steady(before_, after)};
  }

 private:
  struct Count {
    Clock::time_point at;
    ProcessorTimes all;
    double own_s = 0;
  };

  /// Nothing is known where the system allows no threads more.
  [[nodiscard]] Probed look() const {
    if (cores_.empty()) return {};
    try {
      return {core_to_core_ns(cores_), memory_ ? memory_->gb_s(cores_.front()) : 0};
    } catch (const std::system_error&) {
      return {};
    }
  }
  [[nodiscard]] Count count() const {
    return {Clock::now(), processor_times(proc_text("/proc/stat"), ticks_per_s_),
            used_s(RUSAGE_SELF) + used_s(RUSAGE_CHILDREN) + sum_s(times_of_all(ticks_per_s_), ::getpid(), helpers_)};
  }
  /// Of two figures, of which one may not be known.
  static double middle_of(double a, double b) { return a <= 0 || b <= 0 ? std::max(a, b) : (a + b) / 2; }

  std::vector<pid_t> helpers_;
  double ticks_per_s_;
  std::unique_ptr<MemoryProbe> memory_;  ///< none where there is no memory to spare
  std::vector<int> cores_;
  Probed before_;
  Count began_;
};

}  // namespace

ProcessorTimes processor_times(std::string_view proc_stat, double ticks_per_s) {
  // "cpu  user nice system idle iowait irq softirq steal guest guest_nice", proc(5); guests are part of user.
  if (!proc_stat.starts_with("cpu ")) return {};
  const std::vector<double> ticks = numbers_of(proc_stat.substr(4, proc_stat.find('\n') - 4));
  if (ticks.size() < 8) return {};
  return {(ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / ticks_per_s, ticks[7] / ticks_per_s};
}

ProcessTimes process_times(std::string_view stat, double ticks_per_s) {
  // "pid (name) state ppid ...", proc(5): a name may hold anything, the last parenthesis ends it.
  const auto end = stat.rfind(')');
  if (end == std::string_view::npos || end + 4 > stat.size()) return {};
  const std::vector<double> fields = numbers_of(stat.substr(end + 3));  // from field 4 on
  if (fields.size() < 14) return {};
  const std::vector<double> number = numbers_of(stat.substr(0, stat.find(' ')));
  return {number.empty() ? 0 : static_cast<long>(number.front()), static_cast<long>(fields[0]),
          (fields[10] + fields[11] + fields[12] + fields[13]) / ticks_per_s};
}

double sum_s(std::span<const ProcessTimes> processes, pid_t parent, std::span<const pid_t> helpers) {
  double sum = 0;
  for (const ProcessTimes& times : processes) {
    const bool helps = std::ranges::find(helpers, times.process) != helpers.end();
    if (helps || times.parent == parent) sum += times.cpu_s;
  }
  return sum;
}

std::unique_ptr<ConditionsMeter> make_conditions_meter(std::vector<pid_t> helpers) {
  return std::make_unique<LocalMeter>(std::move(helpers));
}

}  // namespace nasvm
