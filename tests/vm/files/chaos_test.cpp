// Tasks are killed while they write: what was flushed is on disk.

#include <catch2/catch.hpp>

#include "chaos.hpp"

using namespace nasvm;
using namespace nasvm::test;

TEST_CASE("what was flushed is on disk, whoever is killed, and whenever", "[files]") {
  const int seed = GENERATE(range(0, 9));
  INFO("seed " << seed);
  const ChaosOutcome outcome = chaos(seed);
  CHECK_THAT(outcome.error, Catch::Contains("signal 14"));
  CHECK(outcome.fault.empty());
}

TEST_CASE("the test of what was flushed notices what is missing", "[files]") {
  const ChaosPlan plan(1, 3);
  std::vector<std::byte> file(ChaosPlan::pieces * ChaosPlan::piece_bytes);
  const auto write_round = [&](int number) {
    for (const auto& piece : plan.round(number)) {
      for (std::size_t at = piece.place * ChaosPlan::piece_bytes; at < (piece.place + 1) * ChaosPlan::piece_bytes;
           ++at) {
        file[at] = ChaosPlan::byte_of(at, number);
      }
    }
  };
  write_round(1);
  CHECK(plan.fault_of(file, 0).empty());
  CHECK(plan.fault_of(file, 1).empty());
  CHECK_FALSE(plan.fault_of(file, 2).empty());
  write_round(2);
  CHECK(plan.fault_of(file, 1).empty());
  CHECK(plan.fault_of(file, 2).empty());
  write_round(4);
  CHECK_FALSE(plan.fault_of(file, 1).empty());
  CHECK(plan.fault_of(file, 2).empty());
  file.resize(file.size() / 2);
  CHECK_FALSE(plan.fault_of(file, 2).empty());
}
