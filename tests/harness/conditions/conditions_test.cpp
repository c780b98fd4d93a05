#include "harness/conditions/conditions.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

namespace {

/// Ten seconds long.
Conditions quiet(double core_to_core_ns, double memory_gb_s = 12) { return {core_to_core_ns, memory_gb_s, 0, 0, 10}; }

std::vector<Sampled> samples(const std::vector<double>& core_to_core_ns) {
  std::vector<Sampled> all;
  for (const double ns : core_to_core_ns) all.push_back({quiet(ns), false});
  return all;
}

using Flags = std::vector<bool>;

}  // namespace

TEST_CASE("conditions: what a virtual machine's cores do from minute to minute is not the same, noise is") {
  struct Row {
    Conditions a, b;
    bool same;
  };
  const std::vector<Row> rows{
      {quiet(55), quiet(55), true},
      {quiet(55), quiet(65), true},
      {quiet(23), quiet(55), false},   // two threads of one core; two cores of one cache
      {quiet(55), quiet(250), false},  // two chips
      {quiet(250), quiet(230), true},
      {quiet(55, 12), quiet(55, 10), true},
      {quiet(55, 12), quiet(55, 6), false},
      {quiet(0), quiet(250), true},  // one core is used, or the probe found no time
      {quiet(55, 0), quiet(55, 12), true},
      {{55, 12, 0, 0, 10}, {55, 12, 0.2, 0, 10}, true},
      {{55, 12, 0, 0, 10}, {55, 12, 2, 0, 10}, false},  // a fifth of a core was stolen
      {{55, 12, 0, 0, 10}, {55, 12, 0, 0.1, 10}, true},
      {{55, 12, 0, 0, 10}, {55, 12, 0, 1, 10}, false},     // a busy loop beside it
      {{55, 12, 0, 1, 10}, {55, 12, 0, 1.1, 10}, true},    // beside both
      {{55, 12, 0, 0, 0.05}, {55, 12, 0, 1, 0.05}, true},  // too short for the system's clock ticks
  };
  for (const Row& row : rows) {
    CAPTURE(text_of(row.a), text_of(row.b));
    CHECK(are_same(row.a, row.b) == row.same);
    CHECK(are_same(row.b, row.a) == row.same);
  }
}

TEST_CASE("conditions: a sample is steady when the probes before and after it agree") {
  CHECK(is_steady({55, 12}, {60, 11}));
  CHECK_FALSE(is_steady({55, 12}, {250, 12}));
  CHECK_FALSE(is_steady({55, 12}, {55, 5}));
  CHECK(is_steady({0, 12}, {55, 12}));
}

TEST_CASE("conditions: those are alike that most of the side with the fewest have") {
  const auto ours = samples({55, 55, 250, 250, 250});
  const auto theirs = samples({55, 55, 55, 55, 250});
  const auto flags = alike(std::vector<SampledSide>{ours, theirs});
  CHECK(flags[0] == Flags{true, true, false, false, false});
  CHECK(flags[1] == Flags{true, true, true, true, false});
}

TEST_CASE("conditions: a sample whose conditions changed is like none") {
  auto one = samples({55, 55, 55});
  one[1].changed = true;
  CHECK(alike(std::vector<SampledSide>{one}).front() == Flags{true, false, true});
  for (Sampled& sample : one) sample.changed = true;
  CHECK(alike(std::vector<SampledSide>{one}).front() == Flags{false, false, false});
}

TEST_CASE("conditions: a sample of which something is not known counts, and stands for no other") {
  const auto some = samples({0, 55, 250, 55});
  CHECK(alike(std::vector<SampledSide>{some}).front() == Flags{true, true, false, true});
  const auto none = samples({0, 0});
  CHECK(alike(std::vector<SampledSide>{none}).front() == Flags{true, true});
}

TEST_CASE("conditions: samples of old documents, which have none, are all alike") {
  const std::vector<Sampled> old(3);
  const auto now = samples({55, 250, 250});
  const auto flags = alike(std::vector<SampledSide>{old, now});
  CHECK(flags[0] == Flags{true, true, true});
  CHECK(flags[1] == Flags{false, true, true});
  CHECK(alike(std::vector<SampledSide>{old}).front() == Flags{true, true, true});
}

TEST_CASE("conditions: the middle of several samples, and their text") {
  CHECK_FALSE(typical(std::vector<Sampled>(2)).has_value());
  const auto several = samples({50, 55, 250});
  REQUIRE(typical(several).has_value());
  CHECK(typical(several)->core_to_core_ns == 55);
  CHECK(typical(samples({0, 0, 60}))->core_to_core_ns == 60);
  CHECK(text_of({55, 12.34, 0.12, 0.06, 10}) ==
        "core to core 55 ns, memory 12.3 GB/s, stolen 1.2 % of a core, load by others 0.1");
  CHECK(text_of({0, 0, 0, 0, 0}) == "stolen 0.0 % of a core, load by others 0.0");
}
