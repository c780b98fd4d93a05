#include "vm/link/shared_runs.hpp"

#include <catch2/catch.hpp>

namespace nasvm::link {
namespace {

/// Three runs: bytes 10 to 20 of block 1, 20 to 25 of block 2, 40 to 50 of block 3.
SharedRuns three() {
  SharedRuns runs;
  runs.add(1, 10, 10);
  runs.add(2, 20, 5);
  runs.add(3, 40, 10);
  return runs;
}

std::uint64_t block_of(const SharedRuns::Run* run) { return run ? run->block : 0; }

}  // namespace

TEST_CASE("SharedRuns: a byte's run is found from its first byte to its last") {
  const SharedRuns runs = three();
  CHECK(runs.at(9) == nullptr);
  CHECK(block_of(runs.at(10)) == 1);
  CHECK(block_of(runs.at(19)) == 1);
  CHECK(block_of(runs.at(20)) == 2);
  CHECK(runs.at(25) == nullptr);
  CHECK(block_of(runs.at(49)) == 3);
  CHECK(runs.at(50) == nullptr);
}

TEST_CASE("SharedRuns: what is released is no longer held, and is remembered") {
  SharedRuns runs = three();
  CHECK(block_of(runs.held_from(0)) == 1);
  CHECK(block_of(runs.held_from(19)) == 1);
  runs.release(2);
  runs.release(7);  // none of them
  CHECK(block_of(runs.held_from(20)) == 3);
  CHECK(block_of(runs.at(20)) == 2);
  runs.release(1);
  runs.release(3);
  CHECK(runs.held_from(0) == nullptr);
}

TEST_CASE("SharedRuns: a run is forgotten when its last byte has been acknowledged, not before") {
  SharedRuns runs = three();
  runs.forget_before(19);
  CHECK(block_of(runs.find(1)) == 1);
  runs.forget_before(20);
  CHECK(runs.find(1) == nullptr);
  CHECK(runs.at(19) == nullptr);
  CHECK(block_of(runs.find(2)) == 2);
  runs.forget_before(1000);
  CHECK(runs.find(3) == nullptr);
  runs.forget_before(2000);  // of nothing
}

}  // namespace nasvm::link
