#include "vm/multicast/window/progress.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::multicast;

TEST_CASE("all have what the last of them has", "[multicast]") {
  Progress progress(4);
  CHECK(progress.empty());
  for (const int node : {1, 2, 3}) progress.add(node, 10);
  CHECK(progress.minimum() == 10);
  CHECK_FALSE(progress.advance(1, 20));
  CHECK_FALSE(progress.advance(1, 15));
  CHECK_FALSE(progress.advance(3, 12));
  CHECK(progress.advance(2, 30));
  CHECK(progress.minimum() == 12);
  CHECK(progress.of(1) == 20);
}

TEST_CASE("nobody waits for a node that is lost, and who stands in its place counts", "[multicast]") {
  Progress progress(4);
  progress.add(1, 0);
  progress.add(2, 0);
  progress.advance(1, 5);
  progress.add(3, progress.of(2));
  progress.remove(2);
  CHECK(progress.minimum() == 0);
  CHECK_FALSE(progress.advance(2, 9));
  CHECK(progress.advance(3, 7));
  CHECK(progress.minimum() == 5);
  progress.remove(2);
  progress.remove(1);
  CHECK(progress.minimum() == 7);
  progress.remove(3);
  CHECK(progress.empty());
}

TEST_CASE("progress goes on where numbers begin again", "[multicast]") {
  Progress progress(3);
  progress.add(1, ~0U - 1);
  progress.add(2, ~0U - 1);
  CHECK_FALSE(progress.advance(1, 3));
  CHECK(progress.advance(2, 5));
  CHECK(progress.minimum() == 3);
}
