#include "kernels/mg/mg.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/mg/problem.hpp"
#include "support/thread_machine.hpp"
#include "vm/collective/costs.hpp"
#include "vm/status.hpp"

using namespace nasvm;

namespace {

Problem problem_of(char name, int threads = 1, const std::string& variant = "") {
  Problem problem;
  problem.variant = variant;
  problem.problem_class = name;
  problem.threads = threads;
  return problem;
}

Problem paper_problem_of(char name, const std::string& order, int threads = 1) {
  Problem problem = problem_of(name, threads, "paper");
  problem.parameters["order"] = order;
  return problem;
}

/// What all tasks of one run report, and what they sent together.
struct Run {
  std::vector<Outcome> outcomes;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;

  [[nodiscard]] bool verified() const {
    return std::ranges::all_of(outcomes, [](const Outcome& outcome) { return outcome.verified; });
  }
};

Run run(int tasks, const std::function<Outcome(Comm&)>& body) {
  Run result;
  result.outcomes.resize(static_cast<std::size_t>(tasks));
  test::run_ranks(tasks, [&](Comm& comm) { result.outcomes[static_cast<std::size_t>(comm.rank())] = body(comm); });
  for (const Outcome& outcome : result.outcomes) {
    const PeerCounters total = outcome.communication.total();
    result.bytes += total.bytes_sent;
    result.messages += total.messages_sent;
  }
  return result;
}

Run run_kernel(const Problem& problem, int tasks) {
  return run(tasks, [&](Comm& comm) { return mg::kernel.run(comm, problem); });
}

void check_verified_with_expected_traffic(const Problem& problem, int tasks) {
  const Run result = run_kernel(problem, tasks);
  const Traffic expected = mg::kernel.traffic(problem, tasks);
  CHECK(result.verified());
  CHECK(expected.exact);
  CHECK(result.bytes == expected.volume_bytes);
  CHECK(result.messages == expected.messages);
}

}  // namespace

TEST_CASE("mg verifies class S on any number of tasks, with the traffic that its formulas say", "[lanes]") {
  const int tasks = GENERATE(range(1, 18), values({31, 32, 33, 40, 64}));
  CAPTURE(tasks);
  check_verified_with_expected_traffic(problem_of('S'), tasks);
}

TEST_CASE("mg verifies class W", "[lanes]") { check_verified_with_expected_traffic(problem_of('W'), GENERATE(1, 6)); }

TEST_CASE("mg verifies with threads inside tasks", "[lanes]") {
  check_verified_with_expected_traffic(problem_of('S', 3), GENERATE(1, 2));
}

TEST_CASE("mg traffic follows the closed formulas of its documentation for 2, 4 and 8 tasks") {
  const char name = GENERATE('S', 'W', 'A', 'B', 'C', 'D', 'E', 'F');
  const std::uint64_t tasks = GENERATE(2, 4, 8);
  const mg::Parameters& problem = mg::parameters(name);
  const auto edge = static_cast<std::uint64_t>(problem.edge());
  const auto iterations = static_cast<std::uint64_t>(problem.iterations);
  // Both halos of a grid of n^3 points, `planes` deep together.
  const auto halos = [&](std::uint64_t n, std::uint64_t planes) {
    const std::uint64_t gaps = n < 64 ? 0 : 40 * (planes - 2);
    return collective::Cost{2 * tasks, 8 * tasks * (planes * n * n + gaps)};
  };
  collective::Cost cycle = collective::allgather_cost(static_cast<int>(tasks), 8 * 16 * 256 / tasks);
  for (std::uint64_t n = 32; n < edge; n *= 2) cycle = cycle + halos(n, n == edge / 2 ? 6 : 7);
  const collective::Cost norms = 2 * collective::allreduce_cost(static_cast<int>(tasks), 8);
  const collective::Cost expected = norms + iterations * cycle + (iterations - 1) * halos(edge, 7);

  const Traffic traffic = mg::kernel.traffic(problem_of(name), static_cast<int>(tasks));
  CHECK(traffic.messages == expected.messages);
  CHECK(traffic.volume_bytes == expected.bytes);
}

TEST_CASE("mg class A on two tasks moves 30.8 MB in 72 messages") {
  const Traffic traffic = mg::kernel.traffic(problem_of('A'), 2);
  CHECK(traffic.volume_bytes == 30769056);
  CHECK(traffic.messages == 72);
}

TEST_CASE("mg alone sends nothing") {
  const Traffic traffic = mg::kernel.traffic(problem_of('C'), 1);
  CHECK(traffic.volume_bytes == 0);
  CHECK(traffic.messages == 0);
}

TEST_CASE("mg's variant paper verifies class S on any number of tasks, with the traffic that its formulas say",
          "[lanes]") {
  const std::string order = GENERATE("overlapped", "plain", "token");
  const int tasks = GENERATE(range(1, 18), values({31, 32, 33, 40}));
  CAPTURE(tasks, order);
  check_verified_with_expected_traffic(paper_problem_of('S', order), tasks);
}

TEST_CASE("mg's variant paper verifies class W, and with threads inside tasks") {
  const std::string order = GENERATE("overlapped", "plain", "token");
  check_verified_with_expected_traffic(paper_problem_of('W', order), GENERATE(1, 6));
  check_verified_with_expected_traffic(paper_problem_of('S', order, 3), GENERATE(1, 2));
}

TEST_CASE("mg's variant paper exchanges 17 times on the finest grid, 4 times in a cycle on those between") {
  const std::string order = GENERATE("overlapped", "plain");
  const auto of = [&](char name, int tasks) { return mg::kernel.traffic(paper_problem_of(name, order), tasks); };
  // grids of 256 to 8 points with 8 tasks, of 4 with 4, of 2 with 2; 4 + 2 leave; two sums
  CHECK(of('A', 8).messages == 17 * 16 + 4 * (4 * (5 * 16 + 8) + 2 * 4 + 2 * (4 + 2)) + 2 * 14);
  CHECK(of('A', 8).messages == 1788);
  const std::uint64_t lower =
      4 * (16 * (128 * 128 + 64 * 64 + 32 * 32 + 16 * 16 + 8 * 8) + 8 * 4 * 4) + 2 * 4 * 2 * 2;
  const std::uint64_t rejoining = 2 * (4 * 4 * 4 + 2 * 2 * 2);
  CHECK(of('A', 8).volume_bytes == 8 * (17 * 16 * 256 * 256 + 4 * (lower + rejoining) + 2 * 14));
  // the paper's reduced problem is class W: grids of 128 to 16 points with 16 tasks, then 8, 4, 2
  CHECK(of('W', 16).messages == 17 * 32 + 4 * (4 * (3 * 32 + 16 + 8) + 2 * 4 + 2 * (8 + 4 + 2)) + 2 * 30);
  CHECK(of('W', 16).messages == 2668);
}

TEST_CASE("mg's token goes once along the tasks in each exchange") {
  const auto of = [&](const char* order) { return mg::kernel.traffic(paper_problem_of('A', order), 8); };
  const std::uint64_t tokens = 17 * 7 + 4 * (4 * (5 * 7 + 3) + 2 * 1);
  CHECK(of("token").messages == of("plain").messages + tokens);
  CHECK(of("token").volume_bytes == of("plain").volume_bytes + tokens);
}

TEST_CASE("mg does not verify with a wrong coefficient", "[lanes]") {
  mg::Parameters problem = mg::parameters('S');
  SECTION("the smoother of the large classes") { problem.smoother = mg::parameters('B').smoother; }
  SECTION("a slightly different face weight") { problem.smoother.face *= 1 + 1e-6; }
  SECTION("one iteration too few") { --problem.iterations; }
  const Run result = run(2, [&](Comm& comm) { return mg::solve(comm, problem, 1); });
  for (const Outcome& outcome : result.outcomes) CHECK_FALSE(outcome.verified);
  const Run on_ring =
      run(2, [&](Comm& comm) { return mg::solve_on_ring(comm, problem, 1, mg::MessageOrder::plain); });
  for (const Outcome& outcome : on_ring.outcomes) CHECK_FALSE(outcome.verified);
}

TEST_CASE("mg reports the norm and its error, the same on every task") {
  const Run result = run_kernel(problem_of('S'), 3);
  const auto& details = result.outcomes.front().details;
  REQUIRE(details.size() == 2);
  CHECK(details[0].first == "L2 norm");
  CHECK(std::stod(details[0].second) == Approx(0.5307707005734e-04).epsilon(1e-8));
  CHECK(details[1].first == "error");
  CHECK(std::stod(details[1].second) < 1e-8);
  for (const Outcome& outcome : result.outcomes) {
    CHECK(outcome.details == details);
    CHECK(outcome.time_s > 0);
  }
}

TEST_CASE("mg describes its classes") {
  const Problem problem = problem_of('B');
  CHECK(mg::kernel.size_text(problem) == "256x256x256");
  CHECK(mg::kernel.iterations(problem) == 20);
  CHECK(mg::kernel.mega_operations(problem) == Approx(58.0 * 20 * 16.777216));
  // Two fine grids of 128 MiB and the coarser ones.
  CHECK(mg::kernel.memory_bytes(problem, 1) > 2U * (128U << 20));
  CHECK(mg::kernel.memory_bytes(problem, 1) < 3U * (128U << 20));
  CHECK(mg::kernel.memory_bytes(problem_of('B', 4), 1) > mg::kernel.memory_bytes(problem, 1));
  for (const char name : mg::kernel.classes) CHECK(mg::kernel.iterations(problem_of(name)) > 0);
}

TEST_CASE("mg's variant paper says in which order its messages were sent, overlapped unless told otherwise") {
  const auto told = [](const Problem& problem) { return run_kernel(problem, 2).outcomes.front().details.back(); };
  const auto expected = [](const char* order) {
    return std::pair<std::string, std::string>("order of messages", order);
  };
  CHECK(told(problem_of('S', 1, "paper")) == expected("overlapped"));
  CHECK(told(paper_problem_of('S', "token")) == expected("token"));
}

TEST_CASE("mg's variant paper takes three grids and their shadows") {
  const std::uint64_t grids = 3U * (128U << 20);
  CHECK(mg::kernel.memory_bytes(problem_of('A', 1, "paper"), 1) > grids);
  CHECK(mg::kernel.memory_bytes(problem_of('A', 1, "paper"), 8) < grids / 5 * 7);
}

TEST_CASE("mg refuses an unknown class") { CHECK_THROWS_AS(mg::kernel.iterations(problem_of('X')), UsageError); }
