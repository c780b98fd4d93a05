// A bare ring of cache lines from one core to another: what a fence behind each message costs, and what asking for
// lines ahead of time saves. `short_ring [ROUNDS [WORK]]`: WORK passes of an empty loop for each message on both
// sides. g++ -O2 -march=native -o short_ring short_ring.cpp -lpthread
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

struct alignas(64) Line {
  std::atomic<std::uint64_t> word{0};
  std::uint64_t payload = 0;
};
constexpr std::size_t size = 4096;  // 256 KiB
constexpr std::size_t messages = 400'000;
std::array<Line, size> ring;
alignas(64) std::atomic<std::uint64_t> taken{0};

struct Way {
  const char* name;
  bool fence;
  std::size_t ahead;  // lines; 0: none is asked for
};

void run_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void compute(int passes) {
  for (int i = 0; i < passes; ++i) asm volatile("" ::: "memory");
}

Line& at(std::size_t position) { return ring[position % size]; }

void read_all(int work) {
  run_on(1);
  std::size_t told = 0;
  for (std::size_t read = 0; read < messages;) {
    if (at(read).word.load(std::memory_order_acquire) == 0) continue;
    compute(work);
    if (++read - told >= size / 4) taken.store(told = read, std::memory_order_release);
  }
}

double stream(const Way& way, int work) {
  for (Line& line : ring) line.word = 0;
  taken = 0;
  const double begin = now_ns();
  std::thread reader(read_all, work);
  run_on(0);
  std::size_t seen = 0;
  for (std::size_t written = 0; written < messages; ++written) {
    while (written + 2 - seen > size) seen = taken.load(std::memory_order_acquire);
    at(written + 1).word.store(0, std::memory_order_relaxed);
    if (way.ahead != 0) __builtin_prefetch(&at(written + way.ahead), 1);
    at(written).payload = written;
    compute(work);
    at(written).word.store(1, std::memory_order_release);
    if (way.fence) std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  reader.join();
  return (now_ns() - begin) / messages;
}

/// A line from one core to the other.
double distance() {
  constexpr std::uint64_t turns = 20'000;
  std::atomic<std::uint64_t>& word = at(0).word;
  word = 0;
  std::thread other([&] {
    run_on(1);
    for (std::uint64_t i = 0; i < turns; ++i) {
      while (word.load(std::memory_order_acquire) != 2 * i + 1) {
      }
      word.store(2 * i + 2, std::memory_order_release);
    }
  });
  run_on(0);
  const double begin = now_ns();
  for (std::uint64_t i = 0; i < turns; ++i) {
    word.store(2 * i + 1, std::memory_order_release);
    while (word.load(std::memory_order_acquire) != 2 * i + 2) {
    }
  }
  const double spent = now_ns() - begin;
  other.join();
  return spent / turns / 2;
}

void print(const char* name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::printf("%-24s %4.0f (%.0f to %.0f) ns\n", name, values[values.size() / 2], values.front(), values.back());
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  const int work = argc > 2 ? std::atoi(argv[2]) : 60;
  const std::array<Way, 4> ways{{{"fence", true, 0},
                                 {"fence, lines ahead", true, 8},
                                 {"no fence", false, 0},
                                 {"no fence, lines ahead", false, 8}}};
  std::vector<double> distances;
  std::array<std::vector<double>, ways.size()> times;
  for (int round = 0; round < rounds; ++round) {
    distances.push_back(distance());
    for (std::size_t i = 0; i < ways.size(); ++i) times[i].push_back(stream(ways[i], work));
  }
  print("a line, one way", distances);
  for (std::size_t i = 0; i < ways.size(); ++i) print(ways[i].name, times[i]);
}
