#include "vm/system/roster.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "vm/system/protocol.hpp"

using namespace nasvm;
using namespace nasvm::system_protocol;

namespace {

/// The line with which a run of this roster ends; empty when it does not fail.
std::string verdict_on(const TaskRoster& roster) {
  try {
    (void)roster.reports();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a roster is full when every rank has said who it is", "[systems]") {
  TaskRoster roster(2);
  CHECK_FALSE(roster.all_joined());
  CHECK(roster.hear_error(to_line(Joined{1, 12, "lab1"})));
  CHECK(roster.hear_error(to_line(Joined{1, 12, "lab1"})));
  CHECK_FALSE(roster.all_joined());
  CHECK(roster.hear_error(to_line(Joined{0, 11, "lab0"})));
  CHECK(roster.all_joined());
  CHECK(roster.pids() == std::vector<long>{11, 12});
}

TEST_CASE("a task is described as far as it is known", "[systems]") {
  TaskRoster roster(2);
  roster.hear_error(to_line(Joined{1, 4711, "lab1"}));
  CHECK(roster.describe(0) == "rank 0");
  CHECK(roster.describe(1) == "rank 1 (pid 4711, host lab1)");
  CHECK(roster.describe(-1) == "a task");
  CHECK(roster.describe(2) == "a task");
}

TEST_CASE("strangers do not join", "[systems]") {
  TaskRoster roster(1);
  CHECK(roster.hear_error(to_line(Joined{1, 5, "lab1"})));
  CHECK(roster.hear_error(to_line(Joined{-1, 5, "lab1"})));
  CHECK_FALSE(roster.all_joined());
}

TEST_CASE("a roster leaves to others what is not of the protocol", "[systems]") {
  TaskRoster roster(1);
  CHECK_FALSE(roster.hear_error("mpirun noticed that process rank 0"));
  CHECK_FALSE(roster.hear_output("printf of somebody"));
  CHECK_FALSE(roster.hear_output(to_line(Joined{0, 1, "host"})));
  CHECK_FALSE(roster.hear_error(to_line(std::vector<std::string>{"report"})));
}

TEST_CASE("the reports are those of rank 0's line", "[systems]") {
  TaskRoster roster(2);
  CHECK_FALSE(roster.reported());
  CHECK(roster.hear_output(to_line(std::vector<std::string>{"one", "two"})));
  CHECK(roster.reported());
  CHECK(roster.reports() == std::vector<std::string>{"one", "two"});
}

TEST_CASE("reports of too few tasks are no reports of the program", "[systems]") {
  TaskRoster roster(3);
  roster.hear_output(to_line(std::vector<std::string>{"one", "two"}));
  CHECK_FALSE(roster.reported());
}

TEST_CASE("a task that gives up is a failure in its own words, with its exit status", "[systems]") {
  TaskRoster roster(2);
  roster.hear_error(to_line(Joined{1, 12, "lab1"}));
  roster.hear_error(to_line(GaveUp{1, Exit::usage, "this cannot be asked for"}));
  REQUIRE(roster.verdict().failed());
  CHECK(verdict_on(roster) == "rank 1 (pid 12, host lab1): this cannot be asked for");
  try {
    (void)roster.reports();
  } catch (const Error& error) {
    CHECK(error.exit_status() == Exit::usage);
  }
}

TEST_CASE("the gravest failure is told, and of equals the first", "[systems]") {
  TaskRoster roster(2);
  roster.hear_output(to_line(std::vector<std::string>{"one", "two"}));
  roster.note(Gravity::complaint, "mpirun exited with status 1");
  roster.note(Gravity::exited, "rank 1 exited before its end");
  roster.note(Gravity::exited, "rank 0 exited before its end");
  CHECK(verdict_on(roster) == "rank 1 exited before its end");
  roster.note(Gravity::killed, "rank 0 was killed");
  roster.hear_error(to_line(GaveUp{1, Exit::usage, "late words"}));
  CHECK(verdict_on(roster) == "rank 0 was killed");
}
