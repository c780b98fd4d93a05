#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/ft/benchmark.hpp"
#include "kernels/ft/ft.hpp"
#include "support/thread_machine.hpp"
#include "vm/status.hpp"

using namespace nasvm;

namespace {

Problem problem_of(char problem_class, int threads = 1, const std::string& variant = {}) {
  Problem problem;
  problem.variant = variant;
  problem.problem_class = problem_class;
  problem.threads = threads;
  return problem;
}

std::vector<Outcome> run(int tasks, char problem_class, int threads = 1, const std::string& variant = {},
                         test::Memory memory = test::Memory::closed) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(tasks));
  const Problem problem = problem_of(problem_class, threads, variant);
  test::run_ranks(
      tasks, [&](Comm& comm) { outcomes[static_cast<std::size_t>(comm.rank())] = ft::kernel.run(comm, problem); },
      memory);
  return outcomes;
}

void check_verified_everywhere(const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    CHECK(outcome.verified);
    CHECK(outcome.time_s > 0);
    CHECK(outcome.details == outcomes.front().details);
  }
}

void check_traffic(const std::vector<Outcome>& outcomes, const Problem& problem) {
  const Traffic expected = ft::kernel.traffic(problem, static_cast<int>(outcomes.size()));
  PeerCounters sum;
  for (const Outcome& outcome : outcomes) {
    const PeerCounters task = outcome.communication.total();
    sum.bytes_sent += task.bytes_sent;
    sum.bytes_received += task.bytes_received;
    sum.messages_sent += task.messages_sent;
    sum.messages_received += task.messages_received;
  }
  CHECK(expected.exact);
  CHECK(sum.bytes_sent == expected.volume_bytes);
  CHECK(sum.bytes_received == expected.volume_bytes);
  CHECK(sum.messages_sent == expected.messages);
  CHECK(sum.messages_received == expected.messages);
}

void check_class(int tasks, char problem_class, const std::string& variant = {}, int threads = 1,
                 test::Memory memory = test::Memory::closed) {
  INFO("class " << problem_class << " on " << tasks << " tasks of " << threads << " threads, variant " << variant);
  const std::size_t pieces_before = test::created_pieces();
  const std::vector<Outcome> outcomes = run(tasks, problem_class, threads, variant, memory);
  // Each task has a window.
  const bool windows = memory == test::Memory::shared && tasks <= (problem_class == 'S' ? 64 : 32);
  if (windows) CHECK(test::created_pieces() - pieces_before >= static_cast<std::size_t>(tasks));
  check_verified_everywhere(outcomes);
  check_traffic(outcomes, problem_of(problem_class, threads, variant));
}

}  // namespace

TEST_CASE("ft: class S verifies and moves what the formula says on 1 to 17 tasks") {
  for (int tasks = 1; tasks <= 17; ++tasks) check_class(tasks, 'S');
}

TEST_CASE("ft: with windows it verifies and moves what the formula says, until somebody has no planes or rows") {
  for (const int tasks : {2, 3, 7, 8, 16, 17, 64, 65}) check_class(tasks, 'S', {}, 1, test::Memory::shared);
  for (const int tasks : {3, 32, 33}) check_class(tasks, 'W', {}, 1, test::Memory::shared);
  check_class(3, 'S', {}, 2, test::Memory::shared);
  check_class(3, 'S', {}, 1, test::Memory::unshared_by_one);
}

TEST_CASE("ft: with FFTW, class S verifies and moves what the formula says") {
  for (const int tasks : {1, 2, 3, 7, 16, 70}) check_class(tasks, 'S', "fftw");
  check_class(5, 'W', "fftw");
}

TEST_CASE("ft: in the paper's decomposition class S verifies and moves what the formula says on 1 to 17 tasks") {
  for (int tasks = 1; tasks <= 17; ++tasks) check_class(tasks, 'S', "paper");
}

TEST_CASE("ft: in the paper's decomposition grids that do not divide evenly verify") {
  check_class(70, 'S', "paper");
  check_class(5, 'W', "paper");
}

TEST_CASE("ft: in the paper's decomposition there are as many messages and bytes as the paper counted") {
  const auto traffic = [](char problem_class, int tasks) {
    return ft::kernel.traffic(problem_of(problem_class, 1, "paper"), tasks);
  };
  // Table 10, where MB are 2^20 bytes; the text has 1568 for the table's 1500. Checksums come on top.
  CHECK(traffic('A', 8).messages == 826);
  CHECK(traffic('A', 8).volume_bytes == (1568U << 20) + 6 * 7 * 16);
  CHECK(traffic('R', 16).messages == 3450);
  CHECK(traffic('R', 16).volume_bytes == (420U << 20) + 6 * 15 * 16);
  CHECK(100 * ft::kernel.traffic(problem_of('A'), 8).volume_bytes <= 51 * traffic('A', 8).volume_bytes);
  CHECK(100 * ft::kernel.traffic(problem_of('R'), 16).volume_bytes <= 51 * traffic('R', 16).volume_bytes);
}

TEST_CASE("ft: the paper's reduced problem has the same checksums with every engine") {
  for (const std::string variant : {"tuned", "fftw", "paper"}) check_class(2, 'R', variant);
}

TEST_CASE("ft: class S verifies with more tasks than planes") { check_class(70, 'S'); }

TEST_CASE("ft: class W, whose grid is no cube, verifies with slabs of unequal width") {
  for (const int tasks : {3, 5, 33}) check_class(tasks, 'W');
}

TEST_CASE("ft: threads inside a task verify") {
  for (const std::string variant : {"tuned", "fftw", "paper"}) {
    check_class(1, 'S', variant, 3);
    check_class(3, 'S', variant, 2);
  }
}

TEST_CASE("ft: the classes are those that the kernel claims") {
  CHECK(ft::kernel.classes == "SWABCDEFR");
  for (const char letter : ft::kernel.classes) CHECK(ft::parameters(letter).letter == letter);
  CHECK(ft::kernel.size_text(problem_of('A')) == "256x256x128");
  CHECK(ft::kernel.size_text(problem_of('R')) == "128x128x128");
  CHECK(ft::kernel.iterations(problem_of('A')) == 6);
  CHECK(ft::kernel.iterations(problem_of('C')) == 20);
  CHECK(ft::kernel.iterations(problem_of('F')) == 25);
}

TEST_CASE("ft: an unknown class is a usage error that says which there are") {
  CHECK_THROWS_WITH(run(1, 'X'), Catch::Contains("'X'") && Catch::Contains("SWABCDEF"));
  CHECK_THROWS_AS(run(1, 'X'), UsageError);
}

TEST_CASE("ft: an unknown engine is a usage error that says which there are") {
  CHECK_THROWS_WITH(run(1, 'S', 1, "mkl"), Catch::Contains("'mkl'") && Catch::Contains("tuned, fftw and paper"));
}

TEST_CASE("ft: one wrong official checksum fails the verification on every task") {
  const ft::Parameters& official = ft::parameters('S');
  std::vector<ft::Complex> wrong(official.checksums.begin(), official.checksums.end());
  wrong[3] *= 1 + 1e-11;
  const ft::Parameters problem{'S', official.grid, wrong};
  std::array<bool, 3> verified{true, true, true};
  test::run_ranks(3, [&](Comm& comm) {
    verified[static_cast<std::size_t>(comm.rank())] =
        ft::run_benchmark(comm, problem, ft::EngineKind::fused, 1).verified;
  });
  CHECK(verified == std::array<bool, 3>{false, false, false});
}
