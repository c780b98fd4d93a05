#include "harness/report/condition_lines.hpp"

#include <array>
#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("condition lines: beside samples that are apart, those of other conditions are some of the others") {
  const auto sampled = [](double core_to_core_ns, bool changed) {
    Sampled sample;
    sample.conditions = Conditions{core_to_core_ns, 12, 0, 0, 10};
    sample.changed = changed;
    return sample;
  };
  std::vector<Sampled> samples(3, sampled(55, false));
  samples.push_back(sampled(250, false));
  const auto lines_of = [&] { return condition_lines(std::array{samples}); };
  CHECK(lines_of().at(1) ==
        "1 of 4 samples that count were under other conditions than these: what differs between rows may come from "
        "that.");
  samples.push_back(sampled(250, true));
  CHECK_THAT(lines_of().at(0), Catch::EndsWith("1 of 5 samples were under others and count only where there are no "
                                               "more."));
  CHECK(lines_of().at(1) ==
        "1 of the 4 others were under other conditions than these: what differs between rows may come from that.");
}
