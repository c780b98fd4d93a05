#include "kernels/ft/fused/pencils.hpp"

#include "kernels/ft/fused/line_ends.hpp"

namespace nasvm::ft {

PencilTransform::PencilTransform(const Grid& grid) : nx_(grid.nx), nz_(grid.nz), along_z_(grid.nz) {}

std::int64_t PencilTransform::scratch_doubles() const { return along_z_.buffer_doubles() + nz_; }

void PencilTransform::forward(const double* const* rows, std::int64_t offset, double* spectrum,
                              double* scratch) const {
  for (std::int64_t x = 0; x < nx_; x += vector_lines) {
    double* const pencil = spectrum + place_of_pencil(x);
    const auto give = [&](const Points<8>& points, std::int64_t f) {
      for (std::size_t q = 0; q < 8; ++q) {
        stream_point(pencil + (f + static_cast<std::int64_t>(q) * (nz_ / 8)) * block_doubles, points[q]);
      }
    };
    along_z_.run(TakeFromRows{rows, offset + place_in_row(x), nz_}, give, scratch);
  }
}

void PencilTransform::inverse(const double* spectrum, const Evolution& evolution, std::int64_t y,
                              std::span<const RowTarget> targets, double* scratch) const {
  double* const factors = scratch + along_z_.buffer_doubles();
  const double factor_y = evolution.y[static_cast<std::size_t>(y)];
  for (std::int64_t z = 0; z < nz_; ++z) factors[z] = factor_y * evolution.z[static_cast<std::size_t>(z)];
  for (std::int64_t x = 0; x < nx_; x += vector_lines) {
    inverse_pencil(spectrum + place_of_pencil(x), load(evolution.x.data() + x), factors, place_in_row(x), targets,
                   scratch);
  }
}

void PencilTransform::inverse_pencil(const double* pencil, Reals factors_x, const double* factors,
                                     std::int64_t in_row, std::span<const RowTarget> targets, double* buffer) const {
  const auto take = [&]<std::size_t radix>(Points<radix>& points, std::int64_t j) {
    const std::int64_t step = nz_ / static_cast<std::int64_t>(radix);
    for (std::size_t t = 0; t < radix; ++t) {
      const std::int64_t z = j + static_cast<std::int64_t>(t) * step;
      const Reals factor = factors_x * factors[z];
      const Point point = load_point(pencil + z * block_doubles);
      points[t] = swapped({point.re * factor, point.im * factor});
      // The next pencil, while there is something to compute.
      prefetch_block(pencil + (z + nz_) * block_doubles);
    }
  };
  const auto give = [&](const Points<8>& points, std::int64_t f) {
    for (std::size_t q = 0; q < 8; ++q) {
      put_point(targets[static_cast<std::size_t>(f) + q * static_cast<std::size_t>(nz_ / 8)], in_row,
                swapped(points[q]));
    }
  };
  along_z_.run(take, give, buffer);
}

}  // namespace nasvm::ft
