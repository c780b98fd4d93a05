#include "harness/commands/reproduce/plan.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/text.hpp"

using namespace nasvm;

namespace {

std::vector<std::string> names_of(const char* testbed, bool quick, const std::vector<const Kernel*>& kernels) {
  std::vector<std::string> names;
  for (const Launch& launch : make_launches(testbed_record(*find_testbed(testbed), quick), kernels)) {
    names.push_back(name_of(launch));
  }
  return names;
}

std::vector<const Kernel*> all_kernels() {
  std::vector<const Kernel*> all;
  for (const Kernel& kernel : kernels()) all.push_back(&kernel);
  return all;
}

}  // namespace

TEST_CASE("plan of reproduce: of media that all share the fastest is measured beside the slowest") {
  const auto names = [](const std::vector<const Testbed*>& chosen) {
    std::vector<std::string_view> all;
    all.reserve(chosen.size());
    for (const Testbed* testbed : chosen) all.push_back(testbed->name);
    return all;
  };
  const Testbed *ethernet = find_testbed("ethernet"), *fddi = find_testbed("fddi"),
                *gigaswitch = find_testbed("gigaswitch");
  const Schedule all = schedule_of({ethernet, fddi, gigaswitch}, false);
  CHECK(names(all.in_turns) == std::vector<std::string_view>{"gigaswitch", "ethernet"});
  CHECK(all.beside == fddi);
  const Schedule quick = schedule_of({ethernet, fddi, gigaswitch}, true);
  CHECK(names(quick.in_turns) == std::vector<std::string_view>{"ethernet", "fddi", "gigaswitch"});
  CHECK(quick.beside == nullptr);
  const Schedule two = schedule_of({fddi, gigaswitch}, false);
  CHECK(names(two.in_turns) == std::vector<std::string_view>{"fddi", "gigaswitch"});
  CHECK(two.beside == nullptr);
}

TEST_CASE("plan of reproduce: the paper's problems, variant paper and the usual one") {
  CHECK(names_of("ethernet", false, {find_kernel("ft"), find_kernel("mg")}) ==
        std::vector<std::string>{
            "ft class R, 16 tasks, paper over daemon,direct", "ft class R, 16 tasks, tuned over daemon,direct",
            "ft class R, 16 tasks, messages of paper over plain sockets",
            "mg class W, 16 tasks, paper over daemon,direct", "mg class W, 16 tasks, tuned over daemon,direct",
            "mg class W, 16 tasks, messages of paper over plain sockets",
            "mg class W, 16 tasks, paper, --order plain over direct",
            "mg class W, 16 tasks, paper, --order token over direct"});
  CHECK(names_of("fddi", false, {find_kernel("cg")}).front() == "cg class A, 4 tasks, paper over daemon,direct");
  CHECK(names_of("gigaswitch", false, {find_kernel("cg"), find_kernel("is")}).front() ==
        "cg class A, 9 tasks, paper over daemon,direct");
}

TEST_CASE("plan of reproduce: EP also where one host is slowed, in three ways, beside what could be had") {
  CHECK(names_of("fddi", false, {find_kernel("ep")}) ==
        std::vector<std::string>{"ep class A, 8 tasks, tuned, --balance pilot over daemon,direct",
                                 "ep class A, 8 tasks, tuned over daemon,direct",
                                 "ep class B, 8 tasks, tuned, hosts held alike over direct",
                                 "ep class B, 8 tasks, tuned, one host slowed over direct",
                                 "ep class B, 8 tasks, tuned, --balance pilot, one host slowed over direct",
                                 "ep class B, 8 tasks, farm, one host slowed over daemon"});
  for (const Launch& launch : make_launches(testbed_record(*find_testbed("ethernet"), false), {find_kernel("ep")})) {
    CHECK(launch.shares == HostShares::free);  // too many hosts
  }
  CHECK(share_alike(8, 2) == Approx(0.2));
  CHECK(share_alike(8, 64) == 1);
}

TEST_CASE("plan of reproduce: testbeds have the paper's rate, or the one that is asked for") {
  CHECK(testbed_record(*find_testbed("gigaswitch"), false).rate_mbit_s == 100);
  CHECK(testbed_record(*find_testbed("gigaswitch"), false, 25).rate_mbit_s == 25);
}

TEST_CASE("plan of reproduce: a token is for media that all share") {
  CHECK(names_of("gigaswitch", false, {find_kernel("mg")}).back() ==
        "mg class A, 8 tasks, paper, --order plain over direct");
}

TEST_CASE("plan of reproduce: every kernel has the problems of every testbed, and no more tasks than hosts") {
  for (const Testbed& testbed : testbeds()) {
    CAPTURE(testbed.name);
    int most = 0;
    for (const Launch& launch : make_launches(testbed_record(testbed, false), all_kernels())) {
      CHECK(launch.kernel->classes.find(launch.problem_class) != std::string_view::npos);
      most = std::max(most, launch.np);
    }
    CHECK(most == testbed.hosts);
  }
}

TEST_CASE("plan of reproduce: quick is small, and leaves out what takes minutes") {
  const TestbedRecord testbed = testbed_record(*find_testbed("ethernet"), true);
  CHECK(testbed.hosts == 4);
  for (const Launch& launch : make_launches(testbed, all_kernels())) {
    CHECK(launch.problem_class == 'S');
    CHECK(launch.np == 4);
    CHECK(launch.kernel->name != "ft");
    CHECK(launch.kernel->name != "cg");
  }
  CHECK_FALSE(names_of("fddi", true, {find_kernel("ft")}).empty());
}

TEST_CASE("plan of reproduce: a launch as nasvm run's command line") {
  const auto launches = make_launches(testbed_record(*find_testbed("ethernet"), false), {find_kernel("mg")});
  CHECK(joined(arguments_of(launches.back(), "e.hosts", 60), " ") ==
        "run mg --class W --np 16 --variant paper --transport direct --timeout 60 --format json "
        "--hostfile e.hosts --launcher ssh --by-rank --order token");
}

TEST_CASE("plan of reproduce: plain sockets move what was sent, or the same part of each pair's messages") {
  RunRecord run;
  run.comm.by_rank = {{.rank = 0, .host = "a"}, {.rank = 1, .host = "b"}};
  run.comm.by_pair = {{0, 1, 80'000, 40}, {1, 0, 20'000, 10}, {1, 1, 0, 0}};
  run.comm.volume_bytes = 100'000;
  const Exchange whole = exchange_of(run, 100'000);
  CHECK(whole.plan == "host a\nhost b\npair 0 1 80000 40\npair 1 0 20000 10\n");
  CHECK(whole.bytes == 100'000);
  CHECK(whole.messages == 50);
  const Exchange part = exchange_of(run, 20'000);
  CHECK(part.plan == "host a\nhost b\npair 0 1 16000 8\npair 1 0 4000 2\n");
  CHECK(part.bytes == 20'000);
  CHECK(part.messages == 10);
  CHECK(exchange_of(run, 1).plan == "host a\nhost b\npair 0 1 2000 1\npair 1 0 2000 1\n");
}
