#include <cmath>
#include <set>

#include <catch2/catch.hpp>

#include "kernels/cg/random_matrix.hpp"
#include "kernels/common/random.hpp"

using namespace nasvm;
using namespace nasvm::cg;

namespace {

const Parameters small{'T', 100, 6, 1, 10.0, 0.0};

}  // namespace

TEST_CASE("cg: the first entry comes from the second and third number of the sequence") {
  const Parameters& s = parameters('S');
  NpbRandom random(seed);
  random.next();
  const double value = random.next();
  const auto position = static_cast<std::int64_t>(2048 * random.next());
  REQUIRE(position < s.order);  // so that the first draw is not rejected
  REQUIRE(position != 0);       // so that it is not overwritten by the diagonal

  VectorSequence sequence(s);
  const GeneratingVector& first = sequence.next();
  CHECK(first.entries.front().position == position);
  CHECK(first.entries.front().value == value);
}

TEST_CASE("cg: every generating vector has distinct positions in range and 0.5 at its own number") {
  VectorSequence sequence(small);
  int overwritten = 0;
  for (std::int64_t number = 0; number < small.order; ++number) {
    const GeneratingVector& vector = sequence.next();
    CHECK(vector.number == number);
    std::set<std::int64_t> positions;
    double at_number = 0;
    for (const auto& [position, value] : vector.entries) {
      CHECK((position >= 0 && position < small.order));
      CHECK((value > 0 && value < 1));
      positions.insert(position);
      if (position == number) at_number = value;
    }
    CHECK(at_number == 0.5);
    CHECK(positions.size() == vector.entries.size());
    CHECK((vector.entries.size() == 6 || vector.entries.size() == 7));
    if (vector.entries.size() == 6) ++overwritten;
  }
  CHECK(overwritten > 0);  // both cases have been seen
  CHECK(overwritten < 100);
}

TEST_CASE("cg: the weights fall from 1 to rcond in a geometric series") {
  VectorSequence sequence(small);
  CHECK(sequence.next().weight == 1.0);
  double last = 1.0;
  for (int i = 1; i < 100; ++i) last = sequence.next().weight;
  CHECK(last * std::pow(condition, 0.01) == Approx(condition).epsilon(1e-12));
}
