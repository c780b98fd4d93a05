#include "kernels/is/problem.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "kernels/is/keys.hpp"
#include "vm/status.hpp"

using namespace nasvm;

TEST_CASE("is problem: expected ranks drift by class and test") {
  CHECK(is::parameters('S').expected_rank(0, 1) == 1);
  CHECK(is::parameters('S').expected_rank(3, 10) == 64907);
  CHECK(is::parameters('W').expected_rank(0, 1) == 1248);
  CHECK(is::parameters('W').expected_rank(2, 4) == 1039983);
  CHECK(is::parameters('A').expected_rank(1, 1) == 17523);
  CHECK(is::parameters('A').expected_rank(4, 3) == 8388262);
  CHECK(is::parameters('B').expected_rank(0, 2) == 33422935);
  CHECK(is::parameters('B').expected_rank(4, 2) == 101);
  CHECK(is::parameters('D').expected_rank(2, 10) == 1978098509);
}

TEST_CASE("is problem: one test of class E steps down at rankings 3 and 5") {
  const is::Parameters& e = is::parameters('E');
  CHECK(e.expected_rank(2, 1) == 3248475152);
  CHECK(e.expected_rank(2, 2) == 3248475153);
  CHECK(e.expected_rank(2, 3) == 3248475153);
  CHECK(e.expected_rank(2, 4) == 3248475154);
  CHECK(e.expected_rank(2, 5) == 3248475154);
  CHECK(e.expected_rank(2, 10) == 3248475159);
  CHECK(e.expected_rank(1, 10) == 27580362);
  CHECK(e.expected_rank(4, 10) == 31485259689);
}

TEST_CASE("is problem: the test ranks of the reduced problem, which are ours, are those that counting gives") {
  const is::Parameters& problem = is::parameters('R');
  const Range all{0, problem.keys()};
  LargeBuffer<is::Key> keys = is::generate_keys(problem, all, 1);
  for (int iteration = 1; iteration <= is::iterations; ++iteration) {
    is::change_keys(problem, iteration, all, keys.span());
    for (int test = 0; test < is::tests; ++test) {
      const is::Key value = keys[static_cast<std::size_t>(problem.test_positions[static_cast<std::size_t>(test)])];
      CHECK(std::ranges::count_if(keys, [&](is::Key key) { return key < value; }) ==
            problem.expected_rank(test, iteration));
    }
  }
}

TEST_CASE("is problem: keys, key values and tests fit each class") {
  for (const char letter : is::class_letters) {
    const is::Parameters& problem = is::parameters(letter);
    CHECK(problem.letter == letter);
    CHECK(problem.max_key_log2 < 32);
    CHECK(problem.buckets_log2 <= problem.max_key_log2);
    for (int test = 0; test < is::tests; ++test) {
      CHECK(problem.test_positions[static_cast<std::size_t>(test)] < problem.keys());
      CHECK(problem.expected_rank(test, 10) < problem.keys());
    }
  }
  CHECK_THROWS_AS(is::parameters('F'), UsageError);
}
