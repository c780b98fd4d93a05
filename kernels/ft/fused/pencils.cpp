#include "kernels/ft/fused/pencils.hpp"

#include "kernels/ft/fused/line_ends.hpp"

namespace nasvm::ft {

PencilTransform::PencilTransform(const Grid& grid) : nx_(grid.nx), nz_(grid.nz), along_z_(grid.nz) {}

std::int64_t PencilTransform::scratch_doubles() const {
  return along_z_.buffer_doubles() + RowGroup::doubles(nz_) + nz_;
}

void PencilTransform::forward(const double* const* rows, std::int64_t offset, double* spectrum,
                              double* scratch) const {
  double* const pencil = scratch + along_z_.buffer_doubles();
  const std::int64_t step = nz_ / 8;
  for (std::int64_t x = 0; x < nx_; x += vector_lines) {
    const std::int64_t part = x % block_lines;
    const auto give = [=](const Points<8>& points, std::int64_t f) {
      for (std::size_t q = 0; q < 8; ++q) {
        store_point(pencil + (f + static_cast<std::int64_t>(q) * step) * block_doubles + part, points[q]);
      }
    };
    along_z_.run(TakeFromRows{rows, offset + place_in_row(x), nz_}, give, scratch);
    const bool whole = part + vector_lines == block_lines;
    if (whole) stream_out(spectrum + place_of_pencil(x - part), pencil, nz_ * block_doubles);
  }
}

void PencilTransform::inverse(const double* spectrum, const Evolution& evolution, std::int64_t y,
                              std::span<const RowTarget> targets, double* scratch) const {
  double* const waiting = scratch + along_z_.buffer_doubles();
  double* const factors = waiting + RowGroup::doubles(nz_);
  const RowGroup group(waiting);
  const double factor_y = evolution.y[static_cast<std::size_t>(y)];
  for (std::int64_t z = 0; z < nz_; ++z) factors[z] = factor_y * evolution.z[static_cast<std::size_t>(z)];
  for (std::int64_t x = 0; x < nx_; x += vector_lines) {
    inverse_pencil(spectrum + place_of_pencil(x), load(evolution.x.data() + x), factors, x % block_lines,
                   group.place(x), scratch);
    group.leave(targets, x);
  }
}

void PencilTransform::inverse_pencil(const double* pencil, Reals factors_x, const double* factors, std::int64_t part,
                                     double* to, double* buffer) const {
  const std::int64_t nz = nz_;
  const double* const next = pencil - part + nz * block_doubles;
  const auto take = [=]<std::size_t radix>(Points<radix>& points, std::int64_t j) {
    const std::int64_t step = nz / static_cast<std::int64_t>(radix);
    for (std::size_t t = 0; t < radix; ++t) {
      const std::int64_t z = j + static_cast<std::int64_t>(t) * step;
      const Reals factor = factors_x * factors[z];
      const Point point = load_point(pencil + z * block_doubles);
      points[t] = swapped({point.re * factor, point.im * factor});
      // The next pencil, while there is something to compute: its first half here, the other one at the end, because
      // a burst of prefetches waits for itself.
      if (t < radix / 2) prefetch_block(next + z * block_doubles, part);
    }
  };
  const std::int64_t step = nz / 8;
  const auto give = [=](const Points<8>& points, std::int64_t f) {
    for (std::size_t q = 0; q < 8; ++q) {
      const std::int64_t z = f + static_cast<std::int64_t>(q) * step;
      if (q >= 4) prefetch_block(next + z * block_doubles, part);
      store_point(to + z * RowGroup::pitch, swapped(points[q]));
    }
  };
  along_z_.run(take, give, buffer);
}

}  // namespace nasvm::ft
