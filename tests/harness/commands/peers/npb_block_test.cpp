#include "harness/commands/peers/npb_block.hpp"

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"
#include "harness/cli/values.hpp"
#include "harness/report/formats.hpp"

using namespace nasvm;
using test::npb_output;

TEST_CASE("npb block: all that matters is read") {
  const auto block = parse_npb_block(npb_output("CG", 'S', 2, "0.01", "5920.11").output);
  REQUIRE(block.has_value());
  CHECK(block->kernel == "cg");
  CHECK(block->problem_class == 'S');
  CHECK(block->processes == 2);
  CHECK(block->time_s == 0.01);
  CHECK(block->mops == 5920.11);
  CHECK(block->verified);
  CHECK(block->version == "3.4");
  CHECK(block->flags == "-O3 -march=native");
}

TEST_CASE("npb block: only SUCCESSFUL is a verification") {
  for (const std::string verification : {"UNSUCCESSFUL", "NOT PERFORMED", "UNKNOWN"}) {
    const auto block = parse_npb_block(npb_output("EP", 'A', 1, "2.5", "200", verification).output);
    REQUIRE(block.has_value());
    CHECK_FALSE(block->verified);
  }
}

TEST_CASE("npb block: there is none without an end, a time or a verification") {
  CHECK_FALSE(parse_npb_block({}).has_value());
  for (const std::string missing : {"Completed", "Time in seconds", "Verification"}) {
    std::vector<std::string> lines = npb_output("EP", 'A', 1, "2.5", "200").output;
    std::erase_if(lines, [&](const std::string& line) { return line.find(missing) != std::string::npos; });
    CAPTURE(missing);
    CHECK_FALSE(parse_npb_block(lines).has_value());
  }
}

TEST_CASE("npb block: what --format npb prints can be read") {
  Document document = test::sample_document(1);
  document.records<RunRecord>().resize(1);
  const auto block = parse_npb_block(split(test::render({{"", document}}, "npb"), '\n'));
  REQUIRE(block.has_value());
  CHECK(block->kernel == "ft");
  CHECK(block->problem_class == 'A');
  CHECK(block->processes == 2);
  CHECK(block->time_s == Approx(document.records<RunRecord>()[0].time_s));
  CHECK(block->verified);
}

TEST_CASE("npb block: what a program prints of a division by 0 is no number") {
  for (const std::string speed : {"NaN", "Infinity", "-inf", "*********"}) {
    CAPTURE(speed);
    const auto block = parse_npb_block(npb_output("EP", 'S', 1, "0.00", speed).output);
    REQUIRE(block.has_value());
    CHECK(block->mops == 0);
  }
}

TEST_CASE("npb block: the time comes from the speed, which has more digits, where both agree") {
  NpbBlock block;
  block.time_s = 0.15;
  block.mops = 570.0;
  CHECK(exact_time_s(block, 83.88608) == Approx(83.88608 / 570));  // 0.14717
  CHECK(exact_time_s(block, 100) == 0.15);                         // 0.175: another count of operations
  block.mops = 0;
  CHECK(exact_time_s(block, 83.88608) == 0.15);
}
