#include "kernels/is/keys.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "kernels/common/random.hpp"

using namespace nasvm;

namespace {

std::vector<is::Key> keys_at(const is::Parameters& problem, Range positions, int threads = 1) {
  const LargeBuffer<is::Key> keys = is::generate_keys(problem, positions, threads);
  return {keys.data(), keys.data() + keys.size()};
}

/// The definition, in floating point.
std::vector<is::Key> reference_keys(const is::Parameters& problem) {
  NpbRandom random(is::seed);
  std::vector<is::Key> keys;
  for (std::int64_t i = 0; i < problem.keys(); ++i) {
    double sum = 0;
    for (int uniform = 0; uniform < 4; ++uniform) sum += random.next();
    keys.push_back(static_cast<is::Key>(std::floor(static_cast<double>(problem.max_key() / 4) * sum)));
  }
  return keys;
}

}  // namespace

TEST_CASE("is keys: they are what the definition says, from any position on and on any number of threads") {
  const is::Parameters& problem = is::parameters('S');
  const std::vector<is::Key> expected = reference_keys(problem);
  CHECK(keys_at(problem, {0, problem.keys()}) == expected);
  CHECK(keys_at(problem, {0, problem.keys()}, 3) == expected);
  CHECK(keys_at(problem, {1000, 1100}, 7) == std::vector(expected.begin() + 1000, expected.begin() + 1100));
  CHECK(keys_at(problem, {1000, 1003}, 7) == std::vector(expected.begin() + 1000, expected.begin() + 1003));
  CHECK(keys_at(problem, {1000, 1000}).empty());
}

TEST_CASE("is keys: a ranking changes two of them, wherever they are held") {
  const is::Parameters& problem = is::parameters('S');
  for (const std::int64_t boundary : {0, 3, 4, 10, 13, 14, 1000}) {
    std::vector<is::Key> keys(1000, 7);
    const auto low = static_cast<std::size_t>(boundary);
    is::change_keys(problem, 3, {0, boundary}, std::span(keys).first(low));
    is::change_keys(problem, 3, {boundary, 1000}, std::span(keys).subspan(low));
    CHECK(keys[3] == 3);
    CHECK(keys[13] == 2048 - 3);
    CHECK(std::count(keys.begin(), keys.end(), 7) == 998);
  }
}

TEST_CASE("is keys: those of a checkpoint become what they must be, and it is said whether they were that") {
  const is::Parameters& problem = is::parameters('S');
  for (const Range positions : {Range{0, problem.keys()}, Range{11, 9000}, Range{5, 5}}) {
    std::vector<is::Key> expected = keys_at(problem, positions);
    for (int iteration = 1; iteration < 4; ++iteration) is::change_keys(problem, iteration, positions, expected);
    for (const int threads : {1, 3}) {
      std::vector<is::Key> keys = expected;
      CHECK(is::correct_keys(problem, 4, positions, keys, threads));
      for (const std::size_t spoilt : {std::size_t{0}, std::size_t{5000}, expected.size() - 1}) {
        if (spoilt >= expected.size()) continue;
        keys[spoilt] = ~keys[spoilt];
        CHECK_FALSE(is::correct_keys(problem, 4, positions, keys, threads));
        CHECK(keys == expected);
      }
    }
  }
  // What a ranking too early or too late has is wrong where two keys are changed.
  std::vector<is::Key> keys = keys_at(problem, {0, 100});
  CHECK(is::correct_keys(problem, 1, {0, 100}, keys, 1));
  CHECK_FALSE(is::correct_keys(problem, 2, {0, 100}, keys, 1));
}

TEST_CASE("is keys: the parts of the test values add up to the keys at the test positions") {
  const is::Parameters& problem = is::parameters('S');
  const std::vector<is::Key> keys = keys_at(problem, {0, problem.keys()});
  is::TestValues sum{};
  for (int task = 0; task < 5; ++task) {
    const Range positions = share(problem.keys(), 5, task);
    const auto part = std::span(keys).subspan(static_cast<std::size_t>(positions.begin),
                                              static_cast<std::size_t>(positions.size()));
    const is::TestValues held = is::held_test_values(part, is::held_tests(problem, positions));
    for (std::size_t test = 0; test < sum.size(); ++test) sum[test] += held[test];
  }
  for (std::size_t test = 0; test < sum.size(); ++test) {
    CHECK(sum[test] == keys[static_cast<std::size_t>(problem.test_positions[test])]);
  }
}
