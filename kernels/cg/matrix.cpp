#include "kernels/cg/matrix.hpp"

#include <algorithm>
#include <cassert>

#include "kernels/cg/assembly.hpp"
#include "kernels/cg/choices.hpp"
#include "kernels/common/caches.hpp"
#include "kernels/common/parallel.hpp"

namespace nasvm::cg {
namespace {

/// Far enough below 2^31 that chance cannot push a slab of this expected size over it.
constexpr double slab_limit = 0x1p30;

/// Of the elements to be expected, those that a slab of these rows keeps.
double kept_elements(const Parameters& problem, std::int64_t rows, const IntervalSet& columns,
                     const CommonBlock& common) {
  return expected_elements(problem, rows, columns.size()) -
         expected_elements(problem, rows, common.columns.size()) / 2;
}

/// Slabs for a block: a multiple of the threads, none of them larger than 32-bit indices reach.
int slab_count(const Parameters& problem, Range rows, const IntervalSet& columns, int threads) {
  const double expected = expected_elements(problem, rows.size(), columns.size());
  return threads * (1 + static_cast<int>(expected / (slab_limit * threads)));
}

SlabForms make_forms(const Parameters& problem, Range rows, const IntervalSet& columns, const CommonBlock& common) {
  const std::span<const Cache> caches = caches_here();
  const Storage storage = storage_for(kept_elements(problem, rows.size(), columns, common), caches);
  return {assemble(problem, rows, columns), largest_square(rows, columns), common, columns_for(caches.front().bytes),
          storage};
}

}  // namespace

Matrix::Matrix(const Parameters& problem, Range rows, const IntervalSet& columns, int threads, bool halves_common,
               const std::function<void()>& before_trials)
    : rows_(rows.size()),
      columns_(columns.size()),
      threads_(std::max(threads, 1)),
      slabs_(static_cast<std::size_t>(slab_count(problem, rows, columns, threads_))) {
  const int slabs = static_cast<int>(slabs_.size());
  others_.resize(slabs_.size() - 1);
  const auto common_of = [&](Range part) {
    return halves_common ? common_block(part, rows, columns) : CommonBlock{};
  };
  std::vector<SlabForms> forms(slabs_.size());
  // Each thread makes those that it will multiply.
  const auto for_slabs = [&](const auto& body) {
    for_parts(threads_, [&](int thread) {
      const Range own = share(slabs, threads_, thread);
      for (std::int64_t s = own.begin; s < own.end; ++s) body(static_cast<std::size_t>(s));
    });
  };
  for_slabs([&](std::size_t s) {
    const Range part = share(rows, slabs, static_cast<int>(s));
    const CommonBlock common = common_of(part);
    if (s > 0) others_[s - 1].resize(static_cast<std::size_t>(common.columns.size()));
    forms[s] = make_forms(problem, part, columns, common);
  });
  // All try at the same time, as they will multiply.
  before_trials();
  for_slabs([&](std::size_t s) { slabs_[s] = forms[s].take(); });
  for (const Slab& slab : slabs_) nonzeros_ += slab.nonzeros();
  const Range first = share(rows, slabs, 0);
  choices_ = choices_of_slab(kept_elements(problem, first.size(), columns, common_of(first)), slabs_.front().form(),
                             caches_here());
}

void Matrix::multiply(std::span<const double> x, std::span<double> y, std::span<double> other) {
  assert(static_cast<std::int64_t>(x.size()) == columns_ && static_cast<std::int64_t>(y.size()) == rows_);
  const int slabs = static_cast<int>(slabs_.size());
#pragma omp parallel for num_threads(threads_) schedule(static) if (threads_ > 1)
  for (int s = 0; s < slabs; ++s) {
    const Range part = share(rows_, slabs, s);
    const auto begin = static_cast<std::size_t>(part.begin);
    slabs_[static_cast<std::size_t>(s)].multiply(x, y.subspan(begin, static_cast<std::size_t>(part.size())),
                                                 s == 0 ? other : others_[static_cast<std::size_t>(s) - 1]);
  }
  if (other.empty() || others_.empty()) return;
#pragma omp parallel for num_threads(threads_) schedule(static) if (threads_ > 1)
  for (int thread = 0; thread < threads_; ++thread) {
    const Range part = share(static_cast<std::int64_t>(other.size()), threads_, thread);
    for (const std::vector<double>& more : others_) {
      for (auto i = static_cast<std::size_t>(part.begin); i < static_cast<std::size_t>(part.end); ++i)
        other[i] += more[i];
    }
  }
}

}  // namespace nasvm::cg
