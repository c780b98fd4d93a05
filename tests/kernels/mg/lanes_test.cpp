#include "kernels/mg/lanes.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace nasvm::mg;

namespace {

/// first, first + 1, ...
Lanes counting(int first) {
  Lanes value;
  for (int i = 0; i < lanes; ++i) value[i] = first + i;
  return value;
}

std::vector<double> numbers_of(Lanes a, Lanes b) {
  std::vector<double> numbers;
  for (int i = 0; i < lanes; ++i) numbers.push_back(a[i]);
  for (int i = 0; i < lanes; ++i) numbers.push_back(b[i]);
  return numbers;
}

}  // namespace

TEST_CASE("mg lanes: neighbours come from the neighbouring vectors", "[lanes]") {
  const Lanes before = counting(0);
  const Lanes here = counting(lanes);
  const Lanes after = counting(2 * lanes);
  for (int i = 0; i < lanes; ++i) {
    CHECK(left_of(before, here)[i] == lanes + i - 1);
    CHECK(right_of(here, after)[i] == lanes + i + 1);
  }
}

TEST_CASE("mg lanes: two vectors beside each other are each other's neighbours", "[lanes]") {
  const Neighbours found = neighbours_of(counting(0), counting(lanes));
  for (int i = 0; i < lanes; ++i) {
    CHECK(found.of_first[i] == i + 1);
    CHECK(found.of_second[i] == lanes + i - 1);
  }
}

TEST_CASE("mg lanes: every other value of two vectors", "[lanes]") {
  const Lanes low = counting(0);
  const Lanes high = counting(lanes);
  for (int i = 0; i < lanes; ++i) {
    CHECK(evens_of(low, high)[i] == 2 * i);
    CHECK(odds_of(low, high)[i] == 2 * i + 1);
  }
}

TEST_CASE("mg lanes: interleaving undoes taking every other value", "[lanes]") {
  const Lanes low = counting(0);
  const Lanes high = counting(lanes);
  const Lanes evens = evens_of(low, high);
  const Lanes odds = odds_of(low, high);
  CHECK(numbers_of(interleave_low(evens, odds), interleave_high(evens, odds)) == numbers_of(low, high));
}

TEST_CASE("mg lanes: a sum takes every lane", "[lanes]") { CHECK(sum_of(counting(1)) == lanes * (lanes + 1) / 2.0); }
