#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "kernels/ep/ep.hpp"
#include "kernels/ep/problem.hpp"
#include "kernels/ep/verify.hpp"
#include "support/thread_machine.hpp"
#include "vm/status.hpp"

using namespace nasvm;

namespace {

std::vector<Outcome> run(int tasks, const Problem& problem) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(tasks));
  test::run_ranks(
      tasks, [&](Comm& comm) { outcomes[static_cast<std::size_t>(comm.rank())] = ep::kernel.run(comm, problem); });
  return outcomes;
}

/// Every task verifies, says the same, and together they sent what the formula says.
void check(int tasks, const Problem& problem) {
  INFO("class " << problem.problem_class << " on " << tasks << " tasks");
  const std::vector<Outcome> outcomes = run(tasks, problem);
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
  for (const Outcome& outcome : outcomes) {
    CHECK(outcome.verified);
    CHECK(outcome.time_s > 0);
    CHECK(outcome.details == outcomes.front().details);
    bytes += outcome.communication.total().bytes_sent;
    messages += outcome.communication.total().messages_sent;
  }
  const Traffic expected = ep::kernel.traffic(problem, tasks);
  CHECK(expected.exact);
  CHECK(bytes == expected.volume_bytes);
  CHECK(messages == expected.messages);
}

ep::Tally official_result(const ep::Parameters& parameters) {
  return {parameters.sx, parameters.sy, parameters.counts.value_or(ep::Counts{})};
}

}  // namespace

// The plain loop is the faster one where sanitizers watch, so it has the larger part of the work.
TEST_CASE("ep: class S verifies and sends what the formula says on 1 to 17 tasks") {
  for (int tasks = 1; tasks <= 17; ++tasks) check(tasks, {.problem_class = 'S', .variant = "reference"});
}

TEST_CASE("ep: class S verifies with the vectorised loop") {
  for (const int tasks : {1, 2, 7, 17}) check(tasks, {.problem_class = 'S'});
  for (const int tasks : {1, 3}) check(tasks, {.problem_class = 'S', .variant = "portable"});
}

TEST_CASE("ep: class S verifies with more tasks than batches") { check(300, {.problem_class = 'S'}); }

TEST_CASE("ep: class W verifies") { check(3, {.problem_class = 'W'}); }

TEST_CASE("ep: threads inside a task verify") { check(3, {.problem_class = 'S', .threads = 3}); }

TEST_CASE("ep: batches divided by a pilot computation verify") {
  for (const int tasks : {1, 2, 5}) {
    check(tasks, {.problem_class = 'S', .variant = "reference", .parameters = {{"balance", "pilot"}}});
  }
}

TEST_CASE("ep: verification takes the official results and nothing that is off") {
  for (const char letter : ep::class_letters) {
    const ep::Parameters& parameters = ep::parameters(letter);
    const ep::Tally right = official_result(parameters);
    CHECK(ep::verify(parameters, right).passed());
    ep::Tally wrong_x = right;
    wrong_x.sx *= 1 + 2e-8;
    CHECK_FALSE(ep::verify(parameters, wrong_x).passed());
    ep::Tally wrong_y = right;
    wrong_y.sy *= 1 - 2e-8;
    CHECK_FALSE(ep::verify(parameters, wrong_y).passed());
    ep::Tally nothing = right;
    nothing.sx = nothing.sy = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(ep::verify(parameters, nothing).passed());
    if (!parameters.counts) continue;
    ep::Tally wrong_count = right;
    ++wrong_count.counts[5];
    CHECK_FALSE(ep::verify(parameters, wrong_count).passed());
  }
}

TEST_CASE("ep: what it says of itself") {
  CHECK(ep::kernel.name == "ep");
  CHECK(ep::kernel.classes == "SWABCDEF");
  CHECK(ep::kernel.size_text({.problem_class = 'S'}) == "33554432");
  CHECK(ep::kernel.mega_operations({.problem_class = 'A'}) == Approx(536.870912));
  CHECK(ep::parameters('F').batches() == std::int64_t{1} << 28);
  CHECK(ep::kernel.traffic({}, 1).messages == 0);
  CHECK(ep::kernel.traffic({}, 4).volume_bytes == 8 * 96);
}

TEST_CASE("ep: unknown words are the user's mistakes") {
  const std::vector<Problem> problems{
      {.problem_class = 'X'}, {.variant = "fast"}, {.parameters = {{"balance", "odd"}}}};
  for (const Problem& problem : problems) {
    CHECK_THROWS_AS(test::run_ranks(1, [&](Comm& comm) { (void)ep::kernel.run(comm, problem); }), UsageError);
  }
}
