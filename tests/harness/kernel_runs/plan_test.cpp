#include "harness/kernel_runs/plan.hpp"

#include <catch2/catch.hpp>

#include "harness/kernel_runs/kernel_runs.hpp"
#include "vm/status.hpp"

using namespace nasvm;

namespace {

RunOptions options_for(std::vector<std::string_view> names, std::vector<std::string> transports, int runs) {
  RunOptions options;
  for (const std::string_view name : names) options.kernels.push_back(find_kernel(name));
  options.transports = std::move(transports);
  options.runs = runs;
  return options;
}

std::vector<std::string> order_of(const std::vector<RunSpec>& plan) {
  std::vector<std::string> order;
  for (const RunSpec& spec : plan) {
    order.push_back(std::string(spec.kernel->name) + (spec.warmup ? " warm " : " ") + spec.transport + " " +
                    std::to_string(spec.repeat));
  }
  return order;
}

}  // namespace

TEST_CASE("plan: two transports are interleaved A B B A") {
  CHECK(order_of(make_plan(options_for({"cg"}, {"daemon", "direct"}, 3))) ==
        std::vector<std::string>{"cg daemon 0", "cg direct 0", "cg direct 1", "cg daemon 1", "cg daemon 2",
                                 "cg direct 2"});
}

TEST_CASE("plan: three transports turn round each time") {
  CHECK(
      order_of(make_plan(options_for({"cg"}, {"daemon", "direct", "auto"}, 2))) ==
      std::vector<std::string>{"cg daemon 0", "cg direct 0", "cg auto 0", "cg auto 1", "cg direct 1", "cg daemon 1"});
}

TEST_CASE("plan: each kernel is warmed up over each transport before it is measured") {
  RunOptions options = options_for({"ft", "is"}, {"daemon", "direct"}, 1);
  options.warmup = 1;
  CHECK(order_of(make_plan(options)) == std::vector<std::string>{"ft warm daemon 0", "ft warm direct 0",
                                                                 "ft daemon 0", "ft direct 0", "is warm daemon 0",
                                                                 "is warm direct 0", "is daemon 0", "is direct 0"});
}

TEST_CASE("plan: every run has the problem that the options describe") {
  RunOptions options = options_for({"ep"}, {"direct"}, 1);
  options.classes = {'W'};
  options.task_counts = {7};
  options.threads = 2;
  options.parameters["balance"] = "pilot";
  const RunSpec spec = make_plan(options).at(0);
  CHECK(spec.problem.problem_class == 'W');
  CHECK(spec.np == 7);
  CHECK(spec.problem.threads == 2);
  CHECK(spec.problem.parameters == options.parameters);
}

TEST_CASE("plan: a farm is measured once, over the daemons, which carry its messages whatever is asked for") {
  RunOptions options = options_for({"ep"}, {"daemon", "direct"}, 2);
  options.variants = {"farm"};
  const auto plan = make_plan(options);
  CHECK(order_of(plan) == std::vector<std::string>{"ep daemon 0", "ep daemon 1"});
  const std::string remark = farm_remark(plan, options.transports);
  CHECK(remark.find("through the daemons, not over daemon, direct") != std::string::npos);
  CHECK(farm_remark(plan, {"daemon"}).empty());
  options.transports = {"mpi"};
  CHECK_THROWS_AS(check_spawning(make_plan(options)), UsageError);
  options.variants = {"tuned"};
  CHECK(farm_remark(make_plan(options), options.transports).empty());
}

TEST_CASE("plan: a farm broadcasts nothing, multicast is refused") {
  RunOptions options = options_for({"ep"}, {"daemon"}, 1);
  options.multicast = "nak";
  options.variants = {"tuned"};
  CHECK_NOTHROW(check_spawning(make_plan(options)));
  options.variants = {"tuned", "farm"};
  CHECK_THROWS_WITH(check_spawning(make_plan(options)), Catch::Contains("--multicast nak: ep's variant farm") &&
                                                            Catch::Contains("leave one of them out"));
}

TEST_CASE("plan: a parameter that has its default makes no other case by being given") {
  RunOptions options = options_for({"ep"}, {"direct"}, 1);
  const std::string usual = work_of(make_plan(options).at(0));
  options.parameters["balance"] = find_kernel("ep")->parameter("balance")->values.front();
  CHECK(make_plan(options).at(0).problem.parameters.empty());
  CHECK(work_of(make_plan(options).at(0)) == usual);
  options.parameters["balance"] = "pilot";
  CHECK(work_of(make_plan(options).at(0)) != usual);
}

TEST_CASE("plan: every class has every number of tasks, kernel by kernel, each with its own repeats") {
  RunOptions options = options_for({"cg", "is"}, {"daemon", "direct"}, 2);
  options.classes = {'S', 'W'};
  options.task_counts = {1, 2};
  std::vector<std::string> sizes;
  for (const RunSpec& spec : make_plan(options)) {
    const std::string size = std::string(spec.kernel->name) + spec.problem.problem_class + std::to_string(spec.np);
    if (sizes.empty() || sizes.back() != size) sizes.push_back(size);
  }
  CHECK(sizes == std::vector<std::string>{"cgS1", "cgS2", "cgW1", "cgW2", "isS1", "isS2", "isW1", "isW2"});
  CHECK(make_plan(options).size() == 2 * 2 * 2 * 2 * 2);
}

TEST_CASE("plan: every number of tasks is on every number of hosts that is not larger") {
  RunOptions options = options_for({"cg"}, {"direct"}, 1);
  options.task_counts = {1, 4};
  options.host_counts = {1, 2, 4};
  std::vector<std::pair<int, int>> sizes;
  for (const RunSpec& spec : make_plan(options)) sizes.emplace_back(spec.np, spec.hosts);
  CHECK(sizes == std::vector<std::pair<int, int>>{{1, 1}, {4, 1}, {4, 2}, {4, 4}});
}

TEST_CASE("plan: more hosts than there are are refused with both figures") {
  CHECK_NOTHROW(check_hosts({1, 2}, 2));
  CHECK_NOTHROW(check_hosts({0}, 1));
  CHECK_THROWS_WITH(check_hosts({1, 4}, 2), Catch::Contains("--hosts 4") && Catch::Contains("2 hosts"));
}

TEST_CASE("plan: variants take turns as transports do, and have their names where they are not the usual ones") {
  RunOptions options = options_for({"cg"}, {"daemon", "direct"}, 2);
  options.variants = {"classic", "merged"};
  std::vector<std::string> names;
  for (const RunSpec& spec : make_plan(options)) names.push_back(name_of(spec));
  const std::string classic = "cg class S, 4 tasks, ";
  const std::string merged = classic + "variant merged, ";
  CHECK(names == std::vector{classic + "daemon", classic + "direct", merged + "daemon", merged + "direct",
                             merged + "direct", merged + "daemon", classic + "direct", classic + "daemon"});
}

TEST_CASE("plan: a farm beside another variant has one transport, the other all") {
  RunOptions options = options_for({"ep"}, {"shm", "direct"}, 1);
  options.variants = {"farm", "tuned"};
  std::vector<std::string> ways;
  for (const RunSpec& spec : make_plan(options)) ways.push_back(spec.problem.variant + " " + spec.transport);
  CHECK(ways == std::vector<std::string>{"farm daemon", "tuned shm", "tuned direct"});
}

TEST_CASE("plan: the default variant is named, a chosen one kept") {
  RunOptions options = options_for({"is"}, {"direct"}, 1);
  CHECK(make_plan(options).at(0).problem.variant == find_kernel("is")->variants.front().name);
  options.variants = {"histogram"};
  CHECK(make_plan(options).at(0).problem.variant == "histogram");
}

TEST_CASE("plan: a problem larger than the memory is refused with both figures") {
  const std::vector<RunSpec> plan = make_plan(options_for({"ft"}, {"direct"}, 1));
  const std::uint64_t needed = plan[0].kernel->memory_bytes(plan[0].problem, plan[0].np);
  CHECK_NOTHROW(check_memory(plan, needed));
  try {
    check_memory(plan, needed - 1);
    FAIL("not refused");
  } catch (const RunError& error) {
    const std::string text = error.what();
    CHECK(text.find("no memory: ft class S") == 0);
    CHECK(text.find("(" + std::to_string(needed) + " bytes)") != std::string::npos);
    CHECK(text.find("(" + std::to_string(needed - 1) + " bytes) are available") != std::string::npos);
  }
}

TEST_CASE("plan: more threads than the system allows are refused with all figures") {
  RunOptions options = options_for({"ep"}, {"direct"}, 1);
  options.task_counts = {7};
  options.threads = 100;
  const std::vector<RunSpec> plan = make_plan(options);
  CHECK_NOTHROW(check_threads(plan, 700));
  try {
    check_threads(plan, 699);
    FAIL("not refused");
  } catch (const UsageError& error) {
    CHECK(std::string(error.what())
              .find("--threads 100: with 7 tasks that is 700 threads, this system allows 699 more") == 0);
  }
}
