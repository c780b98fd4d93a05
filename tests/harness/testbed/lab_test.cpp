#include "harness/testbed/lab.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace nasvm;

namespace {

std::string complaint_of_lines(std::vector<std::string> lines) {
  ProgramResult result;
  result.ending = "exited with status 2";
  result.errors = std::move(lines);
  return complaint_of(result);
}

}  // namespace

TEST_CASE("lab: what a program complains of is its last line, without its name") {
  CHECK(complaint_of_lines({}).empty());
  CHECK(complaint_of_lines({"something before", "nasvm: it is wrong"}) == "it is wrong");
  CHECK(complaint_of_lines({"ssh: no route"}) == "ssh: no route");
  CHECK(complaint_of_lines({"nasvm: it is wrong", "nasvm: 1 of 2 done, 1:15, 1:10 left; now ack"}) == "it is wrong");
  CHECK(complaint_of_lines({"nasvm: 1 of 2 done, 1:15; now ack"}).empty());
}

TEST_CASE("lab: what a daemon has said just before is the reason, and belongs to it") {
  CHECK(complaint_of_lines({"nasvmd: another build", "nasvm: the daemon is gone"}) ==
        "the daemon is gone: nasvmd: another build");
  CHECK(complaint_of_lines({"nasvmd: another build", "something else", "nasvm: it is wrong"}) == "it is wrong");
  CHECK(complaint_of_lines({"nasvmd: another build"}) == "nasvmd: another build");
}
