#include "kernels/ep/farm.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "kernels/ep/ep.hpp"
#include "support/thread_machine.hpp"
#include "vm/status.hpp"

using namespace nasvm;

namespace {

const Problem problem{.problem_class = 'S', .variant = "farm"};

std::vector<double> sum_of(const std::vector<std::int64_t>& ends, const Problem& of = problem) {
  std::vector<double> sum;
  for (std::size_t part = ends.size(); part-- > 0;) {
    const std::int64_t begin = part == 0 ? 0 : ends[part - 1];
    const std::vector<double> row = ep::farmed_work.compute(of, begin, ends[part] - begin);
    sum.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) sum[i] += row[i];
  }
  return sum;
}

}  // namespace

TEST_CASE("ep farm: class S verifies") {
  const std::int64_t units = ep::farmed_work.units(problem);
  CHECK(units * ep::unit_batches == 256);
  const Outcome outcome = ep::farmed_work.conclude(problem, sum_of({units}));
  CHECK(outcome.verified);
  CHECK(outcome.details.front().first == "sx");
}

TEST_CASE("ep farm: the result has the same bits however the units were divided and in whatever order they came") {
  const auto whole = sum_of({64});
  CHECK(sum_of({1, 5, 6, 40, 41, 64}) == whole);
  std::vector<std::int64_t> singles;
  for (std::int64_t end = 1; end <= 64; ++end) singles.push_back(end);
  CHECK(sum_of(singles) == whole);
  Problem threaded = problem;
  threaded.threads = 3;
  CHECK(sum_of({2, 64}, threaded) == whole);
}

TEST_CASE("ep farm: a wrong result does not verify") {
  auto sum = sum_of({64});
  sum[0] += 1;
  CHECK_FALSE(ep::farmed_work.conclude(problem, sum).verified);
}

TEST_CASE("ep farm: the tasks of a Comm cannot run it") {
  CHECK_THROWS_AS(test::run_ranks(1, [](Comm& comm) { (void)ep::kernel.run(comm, problem); }), UsageError);
}

TEST_CASE("ep farm: its traffic is a bound from above, none of a task alone") {
  CHECK(ep::kernel.traffic(problem, 1).messages == 0);
  const Traffic bound = ep::kernel.traffic(problem, 4);
  CHECK_FALSE(bound.exact);
  CHECK(bound.messages == std::uint64_t{3} * 2 * 64);
}
