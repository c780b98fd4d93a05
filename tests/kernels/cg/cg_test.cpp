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

Traffic expected_traffic(const Problem& problem, int tasks, test::Hosts hosts) {
  if (problem.variant == "paper" || tasks == 1 || hosts == test::Hosts::one)
    return cg::kernel.traffic(problem, tasks);
  const auto traffic = problem.variant == "merged" ? cg::merged_traffic : cg::classic_traffic;
  return traffic(cg::parameters(problem.problem_class), tasks, cg::Prefer::few_messages);
}

/// Runs the class and compares verification and counters with what they must be.
void check_run(const Problem& problem, int tasks, test::Hosts hosts = test::Hosts::one) {
  const auto body = [&](Comm& comm) {
    const Outcome outcome = cg::kernel.run(comm, problem);
    const PeerCounters own = outcome.communication.total();
    const std::uint64_t bytes = comm.allreduce_value(own.bytes_sent);
    const std::uint64_t messages = comm.allreduce_value(own.messages_sent);
    const int verified = comm.allreduce_value(outcome.verified ? 1 : 0);
    if (comm.rank() != 0) return;
    const Traffic expected = expected_traffic(problem, tasks, hosts);
    INFO("class " << problem.problem_class << " " << problem.variant << " on " << tasks << " tasks, error "
                  << outcome.details[1].second);
    CHECK(verified == tasks);
    CHECK(expected.exact);
    CHECK(bytes == expected.volume_bytes);
    CHECK(messages == expected.messages);
    CHECK(outcome.time_s > 0);
  };
  test::run_ranks(tasks, body, test::Memory::closed, hosts);
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

TEST_CASE("cg: tasks on two hosts verify, with few messages") {
  const std::string variant = GENERATE("classic", "merged");
  for (int tasks = 1; tasks <= 17; ++tasks) check_run(problem_of('S', 1, variant), tasks, test::Hosts::two);
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
  struct Expected {
    std::uint64_t rows, cols;
    std::uint64_t column_messages, row_messages;  ///< of a task, to get or give all pieces
    std::uint64_t shared_sums, column_sums;       ///< messages beside those
    std::uint64_t allreduce;
  };
  const auto check = [](const Expected& e) {
    const std::uint64_t tasks = e.rows * e.cols;
    const std::uint64_t vector = 8 * 1400;
    const std::uint64_t volume = 25 * (vector * (e.rows - 1) + 16 * tasks * (e.rows - 1) + 16 * e.shared_sums) +
                                 26 * vector * (e.cols - 1) + 8 * (tasks - 1);
    const std::uint64_t messages =
        25 * (tasks * e.column_messages + e.shared_sums) + 26 * tasks * e.row_messages + e.allreduce + tasks - 1;
    INFO(tasks << " tasks");
    const cg::Parameters& s = cg::parameters('S');
    const Traffic merged = cg::merged_traffic(s, static_cast<int>(tasks), cg::Prefer::few_messages);
    CHECK(merged.volume_bytes == 15 * (volume + 16 * e.allreduce));
    CHECK(merged.messages == 15 * messages);
    const Traffic classic = cg::classic_traffic(s, static_cast<int>(tasks), cg::Prefer::few_messages);
    CHECK(classic.volume_bytes == 15 * (volume + 8 * e.allreduce + 24 * 8 * e.column_sums));
    CHECK(classic.messages == 15 * (messages + 24 * e.column_sums));
  };
  check({1, 1, 0, 0, 0, 0, 0});
  check({2, 1, 1, 0, 0, 0, 2});
  check({2, 2, 1, 1, 4, 4, 8});  // sums are exchanged in each row
  check({4, 2, 2, 1, 8, 8, 24});
  check({3, 3, 2, 2, 4, 10, 26});   // one row leads
  check({4, 4, 2, 2, 12, 18, 64});  // two of four rows lead
  check({5, 3, 3, 2, 16, 16, 38});  // none has all pieces before its last message
  check({17, 1, 5, 0, 0, 0, 66});
}

TEST_CASE("cg: with few rounds, volume and messages follow the documented formulas") {
  const auto check = [](std::uint64_t rows, std::uint64_t cols, std::uint64_t allreduce) {
    const std::uint64_t tasks = rows * cols;
    const std::uint64_t vector = 8 * 1400;
    const std::uint64_t volume = 25 * (vector * (rows - 1) + 16 * tasks * (rows + cols - 2)) +
                                 26 * vector * (cols - 1) + 16 * allreduce + 8 * (tasks - 1);
    const std::uint64_t messages = 25 * tasks * (rows + cols - 2) + 26 * tasks * (cols - 1) + allreduce + tasks - 1;
    INFO(tasks << " tasks");
    const cg::Parameters& s = cg::parameters('S');
    const Traffic merged = cg::merged_traffic(s, static_cast<int>(tasks), cg::Prefer::few_rounds);
    CHECK(merged.volume_bytes == 15 * volume);
    CHECK(merged.messages == 15 * messages);
    // classic: beside that an allreduce of one number for each step but the first, whose sum goes with another
    const Traffic classic = cg::classic_traffic(s, static_cast<int>(tasks), cg::Prefer::few_rounds);
    CHECK(classic.volume_bytes == 15 * (volume + 24 * 8 * allreduce));
    CHECK(classic.messages == 15 * (messages + 24 * allreduce));
  };
  check(1, 1, 0);
  check(2, 1, 2);
  check(4, 4, 64);
  check(17, 1, 66);
}

TEST_CASE("cg: two tasks that halve their common block send each other a piece in each product") {
  const cg::Parameters& b = cg::parameters('B');
  for (const auto traffic : {cg::classic_traffic, cg::merged_traffic}) {
    const Traffic halving = traffic(b, 2, cg::Prefer::few_rounds);
    // The same problem, but for its size too small for that.
    cg::Parameters sparse = b;
    sparse.nonzer = 1;
    const Traffic whole = traffic(sparse, 2, cg::Prefer::few_rounds);
    CHECK(halving.messages == whole.messages + 75 * 26 * 2);
    CHECK(halving.volume_bytes == whole.volume_bytes + 75 * 26 * 8 * 75000);
  }
}

TEST_CASE("cg: between hosts both recurrences send fewer messages and bytes than the paper counts") {
  const std::string variant = GENERATE("classic", "merged");
  for (const int tasks : {4, 9, 16}) {
    INFO(variant << " on " << tasks << " tasks");
    const Traffic ours = expected_traffic(problem_of('A', 1, variant), tasks, test::Hosts::two);
    const Traffic of_paper = cg::kernel.traffic(problem_of('A', 1, "paper"), tasks);
    CHECK(ours.messages < of_paper.messages);
    CHECK(ours.volume_bytes < of_paper.volume_bytes);
  }
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
