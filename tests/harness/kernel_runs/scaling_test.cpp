#include "harness/kernel_runs/scaling.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "../fake_executor.hpp"
#include "harness/kernel_runs/scaling_view.hpp"

using namespace nasvm;

namespace {

/// A run whose tasks are so long in messages.
RunRecord run_with(int np, double time_s, const std::vector<double>& communication_s) {
  RunRecord run;
  run.kernel = "cg";
  run.np = np;
  run.transport = "direct";
  run.verified = true;
  run.time_s = time_s;
  for (const double task_s : communication_s) {
    RankRecord task;
    task.rank = static_cast<int>(run.comm.by_rank.size());
    task.host = "box";
    task.time_s = task_s;
    run.comm.by_rank.push_back(task);
  }
  return run;
}

std::vector<Source> source_of(std::vector<RunRecord> runs) {
  Document document;
  document.records<RunRecord>() = std::move(runs);
  return {{"", std::move(document)}};
}

}  // namespace

TEST_CASE("scaling: useful time is what a task's timed region has beside messages") {
  RunRecord run = run_with(2, 10, {1, 4});
  CHECK(useful_time(run).mean_s == Approx(7.5));
  CHECK(useful_time(run).max_s == Approx(9));
  run.comm.by_rank[0].region_s = 5;  // it has left early
  CHECK(useful_time(run).mean_s == Approx(5));
  CHECK(useful_time(run).max_s == Approx(6));
}

TEST_CASE("scaling: efficiencies are POP's, and their products hold") {
  const auto sources = source_of({run_with(1, 16, {0}), run_with(4, 5, {0.5, 1, 1.5, 2})});
  const auto all = scaling_series(sources);
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].points.size() == 2);
  const ScalingPoint& four = all[0].points[1];
  CHECK(four.speedup == Approx(3.2));
  CHECK(four.load_balance() == Approx(3.75 / 4.5));
  CHECK(four.communication_efficiency() == Approx(0.9));
  CHECK(four.parallel_efficiency() == Approx(0.75));
  CHECK(four.computation_scalability == Approx(16.0 / 15));
  CHECK(four.global_efficiency() == Approx(0.8));  // speed-up / NP, since one task alone is useful all the time
  CHECK(all[0].points[0].speedup == Approx(1));
  CHECK(all[0].points[0].global_efficiency() == Approx(1));
  CHECK(has_sizes(all));
}

TEST_CASE("scaling: the reference is the smallest number of tasks, on the fewest hosts") {
  std::vector<RunRecord> runs{run_with(4, 3, {0, 0, 0, 0}), run_with(2, 8, {0, 0}), run_with(2, 6, {0, 0})};
  runs[0].host_count = 2;
  runs[1].host_count = 2;
  runs[2].host_count = 1;
  const auto sources = source_of(runs);
  const auto all = scaling_series(sources);
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].points.size() == 3);
  CHECK(all[0].points[all[0].reference].time_s == 6);
  std::vector<std::pair<int, int>> order;
  for (const ScalingPoint& point : all[0].points) order.emplace_back(point.hosts, point.np);
  CHECK(order == std::vector<std::pair<int, int>>{{1, 2}, {2, 2}, {2, 4}});
  CHECK(all[0].points[2].speedup == Approx(2));
}

TEST_CASE("scaling: kernels, classes, threads, variants, transports and documents are series of their own") {
  const RunRecord run = run_with(1, 1, {0});
  std::vector<RunRecord> runs(6, run);
  runs[1].kernel = "ft";
  runs[2].problem_class = 'A';
  runs[3].threads = 2;
  runs[4].variant = "merged";
  runs[5].transport = "daemon";
  std::vector<Source> sources = source_of(runs);
  sources.push_back(source_of({run}).front());
  const auto all = scaling_series(sources);
  CHECK(all.size() == 7);
  CHECK_FALSE(has_sizes(all));
}

TEST_CASE("scaling: figures are medians of the repeats") {
  const auto sources = source_of({run_with(2, 4, {1, 1}), run_with(2, 10, {5, 5}), run_with(2, 5, {1, 1})});
  const auto all = scaling_series(sources);
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].points.size() == 1);
  CHECK(all[0].points[0].time_s == 5);
  CHECK(all[0].points[0].parallel_efficiency() == Approx(0.8));
}

TEST_CASE("scaling: what did not verify has no efficiency, nor has what would be held against it") {
  std::vector<RunRecord> runs{run_with(1, 8, {0}), run_with(2, 4, {1, 1})};
  SECTION("the reference") {
    runs[0].verified = false;
    const auto sources = source_of(runs);
    const ScalingPoint point = scaling_series(sources)[0].points[1];
    CHECK(std::isnan(point.speedup));
    CHECK(std::isnan(point.computation_scalability));
    CHECK(point.parallel_efficiency() == Approx(0.75));
  }
  SECTION("the run itself") {
    runs[1].verified = false;
    const auto sources = source_of(runs);
    const ScalingPoint point = scaling_series(sources)[0].points[1];
    CHECK(std::isnan(point.speedup));
    CHECK(std::isnan(point.parallel_efficiency()));
  }
  SECTION("a record without tasks") {
    runs[1].comm.by_rank.clear();
    const auto sources = source_of(runs);
    const ScalingPoint point = scaling_series(sources)[0].points[1];
    CHECK(point.speedup == Approx(2));
    CHECK(std::isnan(point.parallel_efficiency()));
  }
}

TEST_CASE("scaling: lines of CSV say which parameters and hosts were asked for, where any run was with such") {
  using Catch::Contains;
  std::vector<RunRecord> runs{run_with(1, 8, {0}), run_with(1, 8, {0})};
  CHECK_THAT(scaling_csv(source_of(runs)), Contains(",version,commit\n"));
  runs[1].parameters = {{"order", "token"}};
  CHECK_THAT(scaling_csv(source_of(runs)),
             Contains(",version,commit,parameters\n") && Contains(",\n") && Contains(",order:token\n"));
  runs[0].host_count = 1;
  CHECK_THAT(scaling_csv(source_of(runs)), Contains(",commit,host_count,parameters\n") && Contains(",1,\n"));
}
