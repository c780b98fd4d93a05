#include "harness/conditions/probe.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

#include "harness/statistics.hpp"
#include "vm/machine_topology.hpp"

namespace nasvm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds deadline{20};
constexpr int batches = 20;
constexpr int round_trips = 100;  ///< of a batch: 5 to 50 us, shorter than what a scheduler gives at once
constexpr int looks_per_clock = 256;
constexpr std::size_t most_pairs = 4;

constexpr std::uint64_t least_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;
constexpr std::size_t pieces = 8;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void stay_on(int core) { (void)bind_to_cores(std::array{core}); }

/// Two threads that answer each other through one cache line.
class PingPong {
 public:
  double least_ns(int core, int other) {
    // They join by themselves: the second may not come to be.
    std::jthread answering([this, other] { answer(other); });
    std::jthread asking([this, core] { ask(core); });
    asking.join();
    answering.join();
    return least_s_ == never ? 0 : least_s_ * 1e9 / (2 * round_trips);
  }

 private:
  static constexpr double never = std::numeric_limits<double>::max();
  static constexpr std::uint32_t over = std::numeric_limits<std::uint32_t>::max();

  /// False: the deadline has passed.
  bool wait_for(std::uint32_t value) const {
    for (;;) {
      for (int look = 0; look < looks_per_clock; ++look) {
        const std::uint32_t now = line_.load(std::memory_order_acquire);
        if (now == value) return true;
        if (now == over) return false;
      }
      if (Clock::now() > end_) return false;
    }
  }

  void answer(int core) {
    stay_on(core);
    for (std::uint32_t turn = 1; wait_for(turn); turn += 2) line_.store(turn + 1, std::memory_order_release);
  }

  bool ask_once(std::uint32_t& turn) {
    line_.store(++turn, std::memory_order_release);
    return wait_for(++turn);
  }

  void ask(int core) {
    stay_on(core);
    std::uint32_t turn = 0;
    bool answered = ask_once(turn);  // the other thread is there
    for (int batch = 0; answered && batch < batches; ++batch) {
      const auto begin = Clock::now();
      for (int i = 0; answered && i < round_trips; ++i) answered = ask_once(turn);
      if (answered) least_s_ = std::min(least_s_, seconds_since(begin));
    }
    line_.store(over, std::memory_order_release);
  }

  alignas(128) std::atomic<std::uint32_t> line_{0};
  alignas(128) double least_s_ = never;
  Clock::time_point end_ = Clock::now() + deadline;
};

std::size_t probe_words(std::uint64_t cache_bytes) {
  return std::clamp(2 * cache_bytes, least_bytes, most_bytes) / sizeof(std::uint64_t);
}

/// Reads all words; the sum keeps the compiler from leaving it out.
double read_gb_s(std::span<const std::uint64_t> words) {
  static std::atomic<std::uint64_t> sink;
  const auto begin = Clock::now();
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words) sum += word;
  sink.store(sum, std::memory_order_relaxed);
  return static_cast<double>(words.size_bytes()) * 1e-9 / std::max(1e-9, seconds_since(begin));
}

}  // namespace

double core_to_core_ns(int core, int other) { return PingPong().least_ns(core, other); }

double core_to_core_ns(std::span<const int> cores) {
  if (cores.size() < 2) return 0;
  const std::size_t pairs = std::min(most_pairs, cores.size() - 1);
  double most_ns = 0;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const std::size_t first = pair * (cores.size() - 1) / pairs;
    most_ns = std::max(most_ns, core_to_core_ns(cores[first], cores[first + 1]));
  }
  return most_ns;
}

MemoryProbe::MemoryProbe(std::uint64_t cache_bytes) : words_(probe_words(cache_bytes), 1) {}

double MemoryProbe::gb_s(int core) const {
  std::vector<double> rates;
  std::jthread reader([&] {
    stay_on(core);
    const std::span<const std::uint64_t> all = words_.span();
    const std::size_t length = all.size() / pieces;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      rates.push_back(read_gb_s(all.subspan(piece * length, length)));
    }
  });
  reader.join();
  return median(rates);
}

}  // namespace nasvm
