#include "harness/commands/roofline/limits.hpp"

#include <sys/syscall.h>

#include <catch2/catch.hpp>

#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <string>
#include <thread>

#include "support/memory_limit.hpp"
#include "support/refused_calls.hpp"
#include "support/sanitizer.hpp"
#include "support/skip.hpp"
#include "vm/launch/machine.hpp"
#include "vm/launch/signal_watch.hpp"
#include "vm/status.hpp"

using namespace nasvm;

TEST_CASE("limits: what is gone through lies in the level that is meant") {
  // Of three cores, two of which share the farther cache.
  const CacheLevel near{2, 3 << 20, 1 << 20};
  const CacheLevel far{3, 64 << 20, 16 << 20};
  CHECK(probe_bytes(near) == 1 << 19);
  CHECK(probe_bytes(far) == 8 << 20);
  const std::array levels{near, far};
  CHECK(probe_memory_bytes(levels, 1) == std::uint64_t{4} * (67 << 20));
  CHECK(probe_memory_bytes(levels, 2) == std::uint64_t{2} * (67 << 20));
  CHECK(probe_memory_bytes(std::span(levels).first(1), 3) == 64 << 20);
}

TEST_CASE("limits: where the system allows no threads more, that is said") {
  bool is_filtered = false;
  std::string complaint;
  // The filters are of this thread alone.
  std::thread([&] {
    is_filtered = test::refuse_call(SYS_clone3, EAGAIN) && test::refuse_call(SYS_clone, EAGAIN);
    if (!is_filtered) return;
    try {
      (void)measure_limits(std::array{1});
    } catch (const RunError& error) {
      complaint = error.what();
    }
  }).join();
  if (!is_filtered) return test::skip("this system forbids filters of system calls");
  CHECK_THAT(complaint, Catch::Contains("cannot start 1 thread, one for each core: "));
}

TEST_CASE("limits: where memory ends only in the threads, that is said") {
  if (test::sanitized) return test::skip("a sanitizer takes more memory than this test leaves");
  enum Status : int { said = 10, no_threads, other_words, measured, no_limit };
  const int status = test::status_in_child([] {
    // For two stacks, and at most one of the two arrays that memory is measured with.
    if (!test::limit_memory(std::uint64_t{100} << 20)) return no_limit;
    try {
      (void)measure_limits(std::array{2});
      return measured;
    } catch (const RunError& error) {
      const std::string text = error.what();
      if (text.starts_with("cannot start")) return no_threads;
      return text.starts_with("no memory to measure") ? said : other_words;
    }
  });
  if (status == no_threads) return test::skip("stacks are too large here");
  CHECK(status == said);
}

TEST_CASE("limits: a signal that waits ends the measurement") {
  const SignalHold hold;
  REQUIRE(::raise(SIGTERM) == 0);
  CHECK_THROWS_AS(measure_limits(std::array{1}), Interrupted);
}

TEST_CASE("limits: every figure of this host is positive and finite") {
  const std::array counts{1, 1, 1'000'000};
  const std::vector<LimitRecord> limits = measure_limits(counts);
  REQUIRE_FALSE(limits.empty());
  int compute = 0;
  int memory = 0;
  for (const LimitRecord& limit : limits) {
    CAPTURE(limit.what, limit.cores);
    CHECK(limit.cores >= 1);
    compute += limit.what == "compute" ? 1 : 0;
    memory += limit.what == "memory" ? 1 : 0;
    if (limit.what == "compute") {
      CHECK((std::isfinite(limit.gflop_s) && limit.gflop_s > 0));
    } else {
      CHECK((std::isfinite(limit.read_gb_s) && limit.read_gb_s > 0));
      CHECK((std::isfinite(limit.triad_gb_s) && limit.triad_gb_s > 0));
    }
  }
  // One core, and all of them unless that is the same; each number once.
  CHECK(compute == memory);
  CHECK(compute <= 2);
  CHECK(limits.front().cores == 1);
}
