#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "kernels/cg/cg.hpp"
#include "kernels/cg/problem.hpp"
#include "support/thread_machine.hpp"
#include "vm/status.hpp"

using namespace nasvm;

namespace {

Problem problem_of(char problem_class, int threads = 1, const std::string& variant = "") {
  Problem problem;
  problem.variant = variant;
  problem.problem_class = problem_class;
  problem.threads = threads;
  return problem;
}

/// Runs the class and compares verification and counters with what they must be.
void check_run(const Problem& problem, int tasks) {
  test::run_ranks(tasks, [&](Comm& comm) {
    const Outcome outcome = cg::kernel.run(comm, problem);
    const PeerCounters own = outcome.communication.total();
    const std::uint64_t bytes = comm.allreduce_value(own.bytes_sent);
    const std::uint64_t messages = comm.allreduce_value(own.messages_sent);
    const int verified = comm.allreduce_value(outcome.verified ? 1 : 0);
    if (comm.rank() != 0) return;
    const Traffic expected = cg::kernel.traffic(problem, tasks);
    INFO("class " << problem.problem_class << " " << problem.variant << " on " << tasks << " tasks, error "
                  << outcome.details[1].second);
    CHECK(verified == tasks);
    CHECK(expected.exact);
    CHECK(bytes == expected.volume_bytes);
    CHECK(messages == expected.messages);
    CHECK(outcome.time_s > 0);
  });
}

bool verifies(const cg::Parameters& problem) {
  bool verified = false;
  test::run_ranks(2, [&](Comm& comm) {
    const Outcome outcome = cg::solve(comm, problem, 1, cg::classic_recurrence);
    if (comm.rank() == 0) verified = outcome.verified;
  });
  return verified;
}

}  // namespace

TEST_CASE("cg: class S verifies on every number of tasks, with the traffic that is derived") {
  const std::string variant = GENERATE("classic", "merged", "paper");
  for (int tasks = 1; tasks <= 17; ++tasks) check_run(problem_of('S', 1, variant), tasks);
  check_run(problem_of('S', 1, variant), 24);
}

TEST_CASE("cg: class W verifies") {
  const std::string variant = GENERATE("classic", "merged", "paper");
  check_run(problem_of('W', 1, variant), 1);
  check_run(problem_of('W', 1, variant), 7);
}

TEST_CASE("cg: threads inside the tasks change nothing") {
  const std::string variant = GENERATE("classic", "merged", "paper");
  check_run(problem_of('S', 2, variant), 1);
  check_run(problem_of('S', 2, variant), 2);
}

TEST_CASE("cg: a different problem does not verify") {
  const cg::Parameters s = cg::parameters('S');
  REQUIRE(verifies(s));
  cg::Parameters wrong_shift = s;
  wrong_shift.shift += 5;
  CHECK_FALSE(verifies(wrong_shift));
  cg::Parameters too_short = s;
  too_short.outer_steps = 8;
  CHECK_FALSE(verifies(too_short));
  cg::Parameters too_large = s;
  ++too_large.order;
  CHECK_FALSE(verifies(too_large));
  cg::Parameters other_value = s;
  other_value.zeta *= 1 + 2e-10;
  CHECK_FALSE(verifies(other_value));
}

TEST_CASE("cg: the details name zeta, its error and the residual") {
  test::run_ranks(1, [](Comm& comm) {
    const Outcome outcome = cg::kernel.run(comm, problem_of('S'));
    REQUIRE(outcome.details.size() == 3);
    CHECK(outcome.details[0].first == "zeta");
    CHECK(outcome.details[0].second.substr(0, 12) == "8.5971775078");
    CHECK(outcome.details[1].first == "error");
    CHECK(outcome.details[2].first == "residual");
    CHECK(std::stod(outcome.details[2].second) < 1e-13);
  });
}

TEST_CASE("cg: volume and messages follow the documented formulas") {
  const auto of = [](int tasks) { return cg::kernel.traffic(problem_of('S', 1, "merged"), tasks); };
  const auto volume = [](std::uint64_t tasks, std::uint64_t rows, std::uint64_t cols, std::uint64_t allreduce) {
    const std::uint64_t vector = 8 * 1400;
    return 15 * (25 * (vector * (rows - 1) + 16 * tasks * (rows + cols - 2)) + 26 * vector * (cols - 1) +
                 (16 + 8) * allreduce);
  };
  const auto messages = [](std::uint64_t tasks, std::uint64_t rows, std::uint64_t cols, std::uint64_t allreduce) {
    return 15 * (25 * tasks * (rows + cols - 2) + 26 * tasks * (cols - 1) + 2 * allreduce);
  };
  CHECK(of(1).volume_bytes == 0);
  CHECK(of(1).messages == 0);
  CHECK(of(2).volume_bytes == volume(2, 2, 1, 2));
  CHECK(of(2).messages == messages(2, 2, 1, 2));
  CHECK(of(17).volume_bytes == volume(17, 17, 1, 66));
  CHECK(of(17).messages == messages(17, 17, 1, 66));
  CHECK(of(16).volume_bytes == volume(16, 4, 4, 64));
  CHECK(of(16).messages == messages(16, 4, 4, 64));
  // classic: an allreduce of one number for each step but the first, whose sum goes with another
  const auto classic_of = [](int tasks) { return cg::kernel.traffic(problem_of('S'), tasks); };
  CHECK(classic_of(1).messages == 0);
  CHECK(classic_of(17).volume_bytes == of(17).volume_bytes + 15 * 24 * 8 * 66);
  CHECK(classic_of(17).messages == of(17).messages + 15 * 24 * 66);
  CHECK(classic_of(16).volume_bytes == of(16).volume_bytes + 15 * 24 * 8 * 64);
  CHECK(classic_of(16).messages == of(16).messages + 15 * 24 * 64);
}

TEST_CASE("cg: variant paper on class A sends as many messages as the paper counts on 4, 9 and 16 tasks") {
  const auto of = [](int tasks) { return cg::kernel.traffic(problem_of('A', 1, "paper"), tasks); };
  CHECK(of(1).messages == 0);
  CHECK(of(4).messages == 7116);
  CHECK(of(9).messages == 19756);
  CHECK(of(16).messages == 37920);
  // 15 outer steps, 26 products of three vectors for each column but one; sums of 8 bytes
  const auto volume = [](std::uint64_t side) {
    return 15 * 26 * 3 * (side - 1) * 14000 * 8 + (15 * 53 + 1) * 2 * (side * side - 1) * 8;
  };
  CHECK(of(4).volume_bytes == volume(2));
  CHECK(of(9).volume_bytes == volume(3));
  CHECK(of(16).volume_bytes == volume(4));
}

TEST_CASE("cg: in variant paper tasks that the square leaves over send nothing") {
  for (const int tasks : {5, 6, 7, 8}) {
    CHECK(cg::kernel.traffic(problem_of('S', 1, "paper"), tasks).messages ==
          cg::kernel.traffic(problem_of('S', 1, "paper"), 4).messages);
  }
  test::run_ranks(6, [](Comm& comm) {
    const Outcome outcome = cg::kernel.run(comm, problem_of('S', 1, "paper"));
    const PeerCounters own = outcome.communication.total();
    if (comm.rank() >= 4 && own.messages_sent + own.messages_received > 0) throw std::runtime_error("not idle");
  });
}

TEST_CASE("cg: class R, the paper's problem, has ten outer steps and one zeta in every variant") {
  const Problem problem = problem_of('R', 1, GENERATE("classic", "merged", "paper"));
  CHECK(cg::kernel.iterations(problem) == 10);
  check_run(problem, 4);
}

TEST_CASE("cg: the kernel describes itself") {
  CHECK(cg::kernel.name == "cg");
  CHECK(cg::kernel.variant("").name == "classic");
  CHECK_THROWS_WITH(cg::kernel.variant("tuned"), Catch::Contains("classic, merged and paper"));
  CHECK(cg::kernel.size_text(problem_of('A')) == "14000");
  CHECK(cg::kernel.iterations(problem_of('B')) == 75);
  CHECK(cg::kernel.mega_operations(problem_of('A')) ==
        Approx(2.0 * 15 * 14000 * (3 + 132 + 25 * (5 + 132) + 3) / 1e6));
  for (const char letter : cg::kernel.classes) CHECK(cg::parameters(letter).order > 0);
  const std::uint64_t matrix_of_f = std::uint64_t{54000000} * 32 * 32 * 22;
  CHECK(cg::kernel.memory_bytes(problem_of('F'), 4) > matrix_of_f);
  CHECK(cg::kernel.memory_bytes(problem_of('F'), 4) < matrix_of_f / 10 * 11);
}

TEST_CASE("cg: an unknown class is a usage error that names the classes") {
  CHECK_THROWS_AS(cg::parameters('X'), UsageError);
  CHECK_THROWS_WITH(cg::parameters('X'), Catch::Contains("SWABCDEF"));
}
