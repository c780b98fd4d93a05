#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

#include "support/memory_limit.hpp"
#include "support/refused_calls.hpp"
#include "support/sanitizer.hpp"
#include "support/skip.hpp"
#include "support/worse.hpp"

#include "kernels/cg/slab.hpp"

using namespace nasvm;
using namespace nasvm::cg;

namespace {

const Parameters problem{'T', 5000, 6, 1, 7.0, 0.0};

constexpr std::int64_t tile_columns = 2048;

double worst_difference(const SparseBlock& assembled, Slab& slab) {
  std::vector<double> x(static_cast<std::size_t>(assembled.cols()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::cos(static_cast<double>(i) + 0.5);
  std::vector<double> plain(static_cast<std::size_t>(assembled.rows()));
  std::vector<double> found(plain.size(), 1e300);  // what was there before does not count
  multiply_plainly(assembled, x, plain);
  slab.multiply(x, found);
  double worst = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) worst = test::worse(worst, std::abs(plain[i] - found[i]));
  return worst;
}

}  // namespace

TEST_CASE("cg: the largest square of a slab is where rows and columns are the same") {
  const IntervalSet columns({{0, 10}, {20, 50}, {60, 80}}, 2);
  const auto check = [&](Range rows, std::int64_t row, std::int64_t column, std::int64_t size) {
    const Square square = largest_square(rows, columns);
    CHECK(square.size == size);
    if (size == 0) return;
    CHECK(square.first_row == row);
    CHECK(square.first_column == column);
  };
  check({20, 50}, 0, 12, 30);
  check({15, 48}, 5, 12, 28);
  check({30, 35}, 0, 22, 5);
  check({0, 100}, 20, 12, 30);
  check({8, 23}, 12, 12, 3);  // of 8, 9 and of 20, 21, 22
  check({70, 95}, 0, 54, 10);
  check({50, 60}, 0, 0, 0);
  check({7, 7}, 0, 0, 0);
}

TEST_CASE("cg: a slab's product equals the plain one, however it is stored") {
  const IntervalSet columns({{0, 1000}, {1000, 3100}, {3200, 5000}}, 2);
  for (const Range rows :
       {Range{0, 5000}, Range{1000, 3100}, Range{900, 1901}, Range{2500, 2501}, Range{3100, 3200}}) {
    INFO("rows " << rows.begin << " to " << rows.end);
    const SparseBlock assembled = assemble(problem, rows, columns);
    for (const Storage storage : {Storage::full, Storage::half_square, Storage::faster}) {
      Slab slab = SlabForms(assembled, largest_square(rows, columns), {}, tile_columns, storage).take();
      CHECK(worst_difference(assembled, slab) < 1e-12);
      for (const CacheHint hint : cache_hints) {
        slab.set_hint(hint);
        CHECK(worst_difference(assembled, slab) < 1e-12);
      }
    }
  }
}

TEST_CASE("cg: a slab counts all elements, also those that symmetry spares") {
  const IntervalSet all({{0, problem.order}});
  const Range rows{200, 900};
  const SparseBlock assembled = assemble(problem, rows, all);
  CHECK(Slab(assembled, largest_square(rows, all), {}, tile_columns).nonzeros() == assembled.nonZeros());
}

TEST_CASE("cg: a square that is not symmetric is found out") {
  const IntervalSet all({{0, problem.order}});
  const SparseBlock assembled = assemble(problem, {200, 900}, all);
  CHECK_THROWS_AS(Slab(assembled, Square{0, 201, 690}, {}, tile_columns), std::logic_error);
  SparseBlock changed = assemble(problem, {0, 900}, all);
  changed.coeffRef(500, 0) += 1.0;
  CHECK_THROWS_AS(Slab(changed, Square{0, 0, 900}, {}, tile_columns), std::logic_error);
}

TEST_CASE("cg: a slab of one form is there in that and as it was assembled, and not a third time") {
  if (test::sanitized) return test::skip("a sanitizer takes more memory than this test leaves");
  const Parameters large{'T', 5000, 30, 1, 7.0, 0.0};
  const Range rows{0, large.order};
  const IntervalSet all({{0, large.order}});
  const double elements = expected_elements(large, rows.size(), all.size());
  constexpr int made = 0;
  constexpr int no_limit = 2;
  const int status = test::status_in_child([&] {
    // 12 bytes an element as it was assembled, 10 as it is kept.
    if (!test::limit_memory(static_cast<std::uint64_t>(27 * elements))) return no_limit;
    const SlabForms forms(assemble(large, rows, all), {}, {}, tile_columns, Storage::full);
    return made;
  });
  CHECK(status == made);
}

TEST_CASE("cg: what two slabs keep of their common block makes up the whole product") {
  const IntervalSet columns({{0, 2500}, {2500, 5000}}, 2);
  const auto storage = GENERATE(Storage::full, Storage::half_square, Storage::faster);
  std::vector<double> x(static_cast<std::size_t>(columns.size()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::cos(static_cast<double>(i) + 0.5);
  std::vector<std::vector<double>> plain, own, other;
  for (const Range& rows : columns.intervals()) {
    const auto size = static_cast<std::size_t>(rows.size());
    const SparseBlock assembled = assemble(problem, rows, columns);
    multiply_plainly(assembled, x, plain.emplace_back(size));
    Slab slab =
        SlabForms(assembled, largest_square(rows, columns), common_block(rows, rows, columns), tile_columns, storage)
            .take();
    CHECK(slab.nonzeros() == assembled.nonZeros());
    // What was there before does not count.
    slab.multiply(x, own.emplace_back(size, 1e300), other.emplace_back(size, 1e300));
  }
  for (std::size_t task = 0; task < 2; ++task) {
    double worst = 0;
    for (std::size_t i = 0; i < plain[task].size(); ++i) {
      worst = test::worse(worst, std::abs(plain[task][i] - own[task][i] - other[1 - task][i]));
    }
    CHECK(worst < 1e-12);
  }
}

TEST_CASE("cg: a common block in the wrong place is found out") {
  const IntervalSet columns({{0, 2500}, {2500, 5000}}, 2);
  const Range rows = columns.intervals()[0];
  CommonBlock common = common_block(rows, rows, columns);
  // Of other columns than the square's.
  common.columns = {common.columns.begin - 10, common.columns.end - 10};
  CHECK_THROWS_AS(Slab(assemble(problem, rows, columns), largest_square(rows, columns), common, tile_columns),
                  std::logic_error);
}
