#include "kernels/ep/farm.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

#include "kernels/common/parallel.hpp"
#include "kernels/ep/choices.hpp"
#include "kernels/ep/conclude.hpp"
#include "kernels/ep/problem.hpp"
#include "kernels/ep/tally.hpp"
#include "vm/farm/costs.hpp"

namespace nasvm::ep {
namespace {

constexpr std::size_t sx_at = 0;
constexpr std::size_t sy_at = 2;
constexpr std::size_t counts_at = 4;
constexpr std::size_t row_size = counts_at + annuli;
using UnitRow = std::array<double, row_size>;

constexpr double coarse = 0x1p20;
constexpr double fine = 0x1p46;

/// Both parts are sums of few multiples of a power of two: below 2^33 and 2^7, additions are exact.
void add_split(double value, double* sum_and_rest) {
  const double whole = std::nearbyint(value * coarse) / coarse;
  sum_and_rest[0] += whole;
  sum_and_rest[1] += std::nearbyint((value - whole) * fine) / fine;
}

void add_unit(std::int64_t unit, UnitRow& row) {
  const Tally part = tally_tuned({unit * unit_batches, (unit + 1) * unit_batches});
  add_split(part.sx, &row[sx_at]);
  add_split(part.sy, &row[sy_at]);
  for (std::size_t annulus = 0; annulus < annuli; ++annulus) {
    row[counts_at + annulus] += static_cast<double>(part.counts[annulus]);
  }
}

std::int64_t units(const Problem& problem) { return parameters(problem.problem_class).batches() / unit_batches; }

std::vector<double> compute(const Problem& problem, std::int64_t first, std::int64_t count) {
  std::vector<UnitRow> parts(static_cast<std::size_t>(problem.threads), UnitRow{});
  for_parts(problem.threads, [&](int part) {
    const Range mine = share(Range{first, first + count}, problem.threads, part);
    UnitRow row{};
    for (std::int64_t unit = mine.begin; unit < mine.end; ++unit) add_unit(unit, row);
    parts[static_cast<std::size_t>(part)] = row;
  });
  std::vector<double> sum(row_size);
  for (const UnitRow& part : parts) {
    for (std::size_t i = 0; i < row_size; ++i) sum[i] += part[i];
  }
  return sum;
}

Outcome conclude_farm(const Problem& problem, std::span<const double> sum) {
  if (sum.size() != row_size) throw std::invalid_argument("a row of EP has another length");
  Tally result{sum[sx_at] + sum[sx_at + 1], sum[sy_at] + sum[sy_at + 1], {}};
  for (std::size_t annulus = 0; annulus < annuli; ++annulus) {
    result.counts[annulus] = static_cast<std::uint64_t>(sum[counts_at + annulus]);
  }
  Outcome outcome;
  conclude(parameters(problem.problem_class), result, outcome);
  outcome.choices = choices();
  return outcome;
}

}  // namespace

constinit const FarmedWork farmed_work{units, compute, conclude_farm};

Traffic farm_traffic(const Problem& problem, int tasks) {
  const farm::Bound bound = farm::bound(units(problem), tasks, row_size);
  return {bound.bytes, bound.messages, false};
}

}  // namespace nasvm::ep
