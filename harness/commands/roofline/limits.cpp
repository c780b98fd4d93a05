#include "harness/commands/roofline/limits.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <latch>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>

#include <fmt/format.h>

#include "harness/conditions/huge_array.hpp"
#include "harness/text.hpp"
#include "kernels/common/machine_loops.hpp"
#include "vm/available.hpp"
#include "vm/launch/signal_watch.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double try_s = 0.02;  ///< how long one try should take
constexpr int tries = 5;
constexpr std::uint64_t least_memory_bytes = std::uint64_t{64} << 20;
constexpr const char* no_memory =
    "no memory to measure the limits of the machine with; the limits of user (ulimit -v) and control groups have to "
    "leave 128 MiB for each core, more where caches are large";

/// The cores that this process may use, or one that it hopes for.
std::vector<int> core_numbers() {
  const std::vector<int> cores = usable_core_numbers();
  return cores.empty() ? std::vector<int>{0} : cores;
}

/// Does the same on several cores at once, each in its own thread. The threads time themselves: another one that did
/// would take one of their cores.
template <typename MakeWork>
class Team {
 public:
  /// `make_work()` is called in each thread and gives what it then does again and again.
  Team(std::span<const int> cores, MakeWork make_work)
      : cores_(cores),
        make_work_(make_work),
        together_(std::ssize(cores)),
        begins_(cores.size()),
        ends_(cores.size()) {}

  /// Most calls of the work per second, by all together. Throws RunError where the system does not allow a thread for
  /// each core, or has no memory for what they do.
  double best_rate() {
    std::vector<std::jthread> threads;
    try {
      for (std::size_t member = 0; member < cores_.size(); ++member) {
        threads.emplace_back([this, member] { work(member); });
      }
    } catch (const std::system_error& error) {
      call_off();
      throw RunError(
          fmt::format("cannot start {}, one for each core: {}; the limits of system and user have to allow them",
                      counted(cores_.size(), "thread"), error.code().message()));
    } catch (const std::bad_alloc&) {
      call_off();
      throw RunError(no_memory);
    }
    decided_.count_down();
    threads.clear();  // which waits for them
    if (lacks_memory_) throw RunError(no_memory);
    return best_rate_;
  }

 private:
  using Once = std::invoke_result_t<MakeWork&>;

  void call_off() {
    cancelled_ = true;
    decided_.count_down();
  }

  void work(std::size_t member) {
    decided_.wait();
    if (cancelled_) return;
    std::unique_ptr<const Once> once;
    try {
      // Binding makes the figure steadier; where it is not allowed, it is measured without.
      (void)bind_to_cores(std::span(cores_).subspan(member, 1));
      once = std::make_unique<const Once>(make_work_());
    } catch (const std::bad_alloc&) {
      lacks_memory_ = true;
    }
    // The others must not wait for a member that has nothing to do.
    together_.arrive_and_wait();
    if (!lacks_memory_) measure(member, *once);
  }

  /// All members see the same times, and so go the same way.
  void measure(std::size_t member, const Once& once) {
    std::int64_t rounds = 1;
    double seconds = time(member, once, rounds);
    while (seconds < try_s / 4) seconds = time(member, once, rounds *= 4);
    rounds = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(rounds) * try_s / seconds));
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i < tries; ++i) least = std::min(least, time(member, once, rounds));
    if (member == 0) best_rate_ = static_cast<double>(rounds) * static_cast<double>(cores_.size()) / least;
  }

  /// Seconds from the first member's beginning to the last one's end.
  double time(std::size_t member, const Once& once, std::int64_t rounds) {
    together_.arrive_and_wait();
    begins_[member] = Clock::now();
    for (std::int64_t round = 0; round < rounds; ++round) once();
    ends_[member] = Clock::now();
    together_.arrive_and_wait();
    return std::chrono::duration<double>(std::ranges::max(ends_) - std::ranges::min(begins_)).count();
  }

  std::span<const int> cores_;
  MakeWork make_work_;
  std::latch decided_{1};                  ///< whether all members are there
  bool cancelled_ = false;                 ///< they are not
  std::atomic<bool> lacks_memory_{false};  ///< one of them
  std::barrier<> together_;
  std::vector<Clock::time_point> begins_, ends_;
  double best_rate_ = 0;
};

/// Best rate of the team in units per second, when one call of the work by one core is `units`. Throws Interrupted
/// before it: figures take long where others use the cores, too, and nothing waits for signals meanwhile.
template <typename MakeWork>
double best_rate(std::span<const int> cores, double units, MakeWork make_work) {
  take_held_signal();
  return units * Team(cores, make_work).best_rate();
}

/// Keeps a value from being optimised away.
void keep(double value) {
  volatile double kept = value;
  (void)kept;
}

/// Shared, as what a thread does again and again may be copied.
std::shared_ptr<HugeArray<double>> make_array(std::size_t count) {
  return std::make_shared<HugeArray<double>>(count, 1.0);
}

double read_rate(std::span<const int> cores, std::uint64_t bytes) {
  const std::size_t count = bytes / sizeof(double);
  return best_rate(cores, static_cast<double>(count * sizeof(double)),
                   [count] { return [data = make_array(count)] { keep(machine_loops::read(data->span())); }; });
}

double triad_rate(std::span<const int> cores, std::uint64_t bytes) {
  const std::size_t count = bytes / 3 / sizeof(double);
  return best_rate(cores, static_cast<double>(3 * count * sizeof(double)), [count] {
    return [a = make_array(count), b = make_array(count), c = make_array(count)] {
      machine_loops::triad(a->span(), b->span(), c->span(), 0.5);
    };
  });
}

double multiply_add_rate(std::span<const int> cores) {
  constexpr std::int64_t rounds = 10'000;
  double unused = 0;
  const double operations = machine_loops::multiply_add(rounds, unused);
  return best_rate(cores, operations, [] {
    return [] {
      double result = 0;
      (void)machine_loops::multiply_add(rounds, result);
      keep(result);
    };
  });
}

LimitRecord bandwidth(const std::string& what, std::span<const int> cores, std::uint64_t probe,
                      std::uint64_t capacity) {
  LimitRecord limit;
  limit.what = what;
  limit.cores = static_cast<int>(cores.size());
  limit.bytes = capacity;
  limit.read_gb_s = read_rate(cores, probe) * 1e-9;
  limit.triad_gb_s = triad_rate(cores, probe) * 1e-9;
  return limit;
}

void measure_on(std::span<const int> cores, std::span<const CacheLevel> levels, std::vector<LimitRecord>& limits) {
  const int count = static_cast<int>(cores.size());
  for (const CacheLevel& level : levels) {
    limits.push_back(bandwidth("L" + std::to_string(level.level), cores, probe_bytes(level), level.bytes));
  }
  limits.push_back(bandwidth("memory", cores, probe_memory_bytes(levels, count), 0));
  LimitRecord compute;
  compute.what = compute_limit;
  compute.cores = count;
  compute.gflop_s = multiply_add_rate(cores) * 1e-9;
  limits.push_back(compute);
}

}  // namespace

std::uint64_t probe_bytes(const CacheLevel& level) { return level.least_share_bytes / 2; }

std::uint64_t probe_memory_bytes(std::span<const CacheLevel> levels, int cores) {
  std::uint64_t held = 0;
  for (const CacheLevel& level : levels) held += level.bytes;
  return std::max(least_memory_bytes, 4 * held / static_cast<std::uint64_t>(cores));
}

std::vector<LimitRecord> measure_limits(std::span<const int> core_counts) {
  const std::vector<int> cores = core_numbers();
  std::vector<LimitRecord> limits;
  std::vector<std::size_t> done;
  for (const int wanted : core_counts) {
    const std::size_t count = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(wanted, 1)), 1, cores.size());
    if (std::find(done.begin(), done.end(), count) != done.end()) continue;
    done.push_back(count);
    const std::span<const int> used = std::span(cores).first(count);
    const std::vector<CacheLevel> levels = cache_levels(used);
    const std::uint64_t needed = 2 * count * probe_memory_bytes(levels, static_cast<int>(count));
    if (needed > available_memory_bytes()) throw RunError(no_memory);
    measure_on(used, levels, limits);
  }
  return limits;
}

}  // namespace nasvm
