#include "harness/session/repeats.hpp"

#include <catch2/catch.hpp>
#include <deque>

using namespace nasvm;

namespace {

/// Samples of two sides of one work, by their core-to-core latencies.
class Taken {
 public:
  void add(const std::string& side, double core_to_core_ns, const std::string& work = "mg") {
    sampled_.push_back({Conditions{core_to_core_ns, 12, 0, 0, 10}, false});
    samples.push_back({work, side, {&sampled_.back()}});
  }
  [[nodiscard]] std::vector<bool> changed() const {
    std::vector<bool> flags;
    for (const TakenSample& sample : samples) flags.push_back(sample.sampled.front()->changed);
    return flags;
  }

  std::vector<TakenSample> samples;

 private:
  std::deque<Sampled> sampled_;  // whose elements stay where they are
};

std::vector<std::string> sides_of(const std::vector<Repeat>& repeats) {
  std::vector<std::string> sides;
  for (const Repeat& repeat : repeats) sides.push_back(repeat.work + "/" + repeat.side);
  return sides;
}

using Sides = std::vector<std::string>;

}  // namespace

TEST_CASE("repeats: nothing is taken again while all conditions are the same, or none are known") {
  Taken taken;
  for (int i = 0; i < 3; ++i) taken.add("a", 55), taken.add("b", 56);
  CHECK(Repeats(3).next(taken.samples).empty());
  std::vector<Sampled> unknown(2);
  CHECK(Repeats(1).next(std::vector<TakenSample>{{"mg", "a", {&unknown[0]}}, {"mg", "b", {&unknown[1]}}}).empty());
}

TEST_CASE("repeats: a side that has too few under the same conditions takes one more each round, numbered on") {
  Taken taken;
  for (const double ns : {55, 55, 55, 55}) taken.add("a", ns);
  for (const double ns : {55, 250, 250, 55}) taken.add("b", ns);
  Repeats repeats(4);
  const std::vector<Repeat> first = repeats.next(taken.samples);
  REQUIRE(sides_of(first) == Sides{"mg/b"});
  CHECK(first.front().number == 4);
  taken.add("b", 55);
  CHECK(repeats.next(taken.samples).front().number == 5);
  taken.add("b", 55);
  CHECK(repeats.next(taken.samples).empty());
  CHECK(repeats.set_apart(taken.samples).empty());
  CHECK(taken.changed() == std::vector<bool>{false, false, false, false, false, true, true, false, false, false});
}

TEST_CASE("repeats: the order of sides alternates, works are judged by themselves") {
  Taken taken;
  for (const std::string side : {"a", "b"}) taken.add(side, 55), taken.add(side, 250), taken.add(side, 1000);
  for (const double ns : {23, 23, 23}) taken.add("a", ns, "ep");
  Repeats repeats(3);
  CHECK(sides_of(repeats.next(taken.samples)) == Sides{"mg/a", "mg/b"});
  CHECK(sides_of(repeats.next(taken.samples)) == Sides{"mg/b", "mg/a"});
}

TEST_CASE("repeats: after half as many rounds as runs it is given up, and said") {
  Taken taken;
  for (const double ns : {55, 250, 1000, 23, 5}) taken.add("direct", ns);
  Repeats repeats(5);
  for (int round = 0; round < 3; ++round) {
    CHECK(repeats.next(taken.samples).size() == 1);
    taken.add("direct", 10000.0 * (round + 1) * (round + 1));
  }
  CHECK(repeats.next(taken.samples).empty());
  const auto lines = repeats.set_apart(taken.samples);
  REQUIRE(lines.size() == 1);
  CHECK(lines.front() ==
        "mg, direct: 1 of 8 samples were taken under the same conditions, 5 were asked for; not tried again");
}

TEST_CASE("repeats: one run is not repeated") {
  Taken taken;
  taken.add("a", 55);
  taken.add("b", 250);
  Repeats repeats(1);
  CHECK(repeats.next(taken.samples).empty());
  CHECK(repeats.set_apart(taken.samples).empty());
  CHECK(taken.changed() == std::vector<bool>{false, false});
}

TEST_CASE("repeats: of single runs those are set apart whose own conditions changed") {
  Taken taken;
  taken.add("a", 55);
  taken.add("b", 250);
  taken.add("c", 55);
  taken.samples[2].sampled.front()->changed = true;
  CHECK(Repeats(1).set_apart(taken.samples).empty());
  CHECK(taken.changed() == std::vector<bool>{false, false, true});
  // Where one side has more, its samples say which conditions most had.
  taken.add("a", 250);
  CHECK(Repeats(1).set_apart(taken.samples).empty());
  CHECK(taken.changed() == std::vector<bool>{true, false, true, false});
}

TEST_CASE("repeats: a side whose other samples failed is not taken again") {
  Taken taken;
  taken.add("peer", 55);
  CHECK(Repeats(3).next(taken.samples).empty());
}
