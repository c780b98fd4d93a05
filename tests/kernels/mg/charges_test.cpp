#include "kernels/mg/charges.hpp"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/common/random.hpp"
#include "kernels/mg/problem.hpp"
#include "support/thread_machine.hpp"

using namespace nasvm;
using namespace nasvm::mg;

namespace {

constexpr int edge = 16;

using Positions = std::array<std::uint64_t, charges_per_sign>;

/// By sorting the whole grid.
Charges sorted_extremes() {
  std::vector<std::pair<double, std::uint64_t>> grid;
  NpbRandom random(charge_seed);
  for (std::uint64_t position = 0; position < edge * edge * edge; ++position) {
    grid.emplace_back(random.next(), position);
  }
  std::ranges::sort(grid);
  Charges charges;
  for (std::size_t i = 0; i < charges_per_sign; ++i) {
    charges.negative[i] = grid[i].second;
    charges.positive[i] = grid[grid.size() - 1 - i].second;
  }
  return charges;
}

Positions sorted(Positions positions) {
  std::ranges::sort(positions);
  return positions;
}

}  // namespace

TEST_CASE("the charges are the extremes of the random grid, however it is divided") {
  const int tasks = GENERATE(1, 2, 3, 7, 16, 21);
  const int threads = GENERATE(1, 2);
  const Charges expected = sorted_extremes();
  std::vector<Charges> found(static_cast<std::size_t>(tasks));
  nasvm::test::run_ranks(tasks, [&](Comm& comm) {
    found[static_cast<std::size_t>(comm.rank())] = find_charges(comm, edge, share(edge, tasks, comm.rank()), threads);
  });
  for (const Charges& charges : found) {
    CHECK(sorted(charges.positive) == sorted(expected.positive));
    CHECK(sorted(charges.negative) == sorted(expected.negative));
  }
}

TEST_CASE("placing puts each charge into the slab that has its plane") {
  const Charges charges = sorted_extremes();
  double sum_of_charges = 0;
  int count = 0;
  for (const Range planes : {Range{0, 5}, Range{5, 6}, Range{6, edge}}) {
    Grid grid(edge, planes, 1);
    place(charges, grid);
    for (std::int64_t z = planes.begin; z < planes.end; ++z) {
      for (const double value : grid.span(z)) {
        sum_of_charges += value;
        count += value != 0 ? 1 : 0;
      }
    }
  }
  CHECK(count == 20);
  CHECK(sum_of_charges == 0);

  Grid whole(edge, {0, edge}, 1);
  place(charges, whole);
  const std::uint64_t position = charges.positive.front();
  CHECK(whole.plane(static_cast<std::int64_t>(position / (edge * edge)))[position % (edge * edge)] == 1.0);
}

TEST_CASE("placing puts charges into every image of their plane") {
  const Charges charges = sorted_extremes();
  Grid grid(edge, {-5, edge + 5}, 1);
  place(charges, grid);
  for (std::int64_t z = 0; z < 5; ++z) {
    CHECK(std::ranges::equal(grid.span(z), grid.span(edge + z)));
    CHECK(std::ranges::equal(grid.span(edge - 1 - z), grid.span(-1 - z)));
  }
}
