#include "kernels/ft/fused/planes.hpp"

#include <algorithm>

#include "kernels/ft/fused/initial_strips.hpp"
#include "kernels/ft/fused/line_ends.hpp"

namespace nasvm::ft {
namespace {

/// Between the strips of the plane in the cache: strips a power of two apart would collide there.
constexpr std::int64_t strip_padding = 5 * block_doubles;

/// Eight blocks of a strip, of x, x + 1, ..., become eight points of `vector_lines` lines along x.
[[gnu::always_inline]] inline void turn_from_strip(const double* from, Points<8>& points) {
  for (std::int64_t part = 0; part < block_lines; part += vector_lines) {
    RealsArray re;
    RealsArray im;
    for (std::size_t i = 0; i < re.size(); ++i) {
      const double* const block = from + static_cast<std::int64_t>(i) * block_doubles + part;
      re[i] = load(block);
      im[i] = load(block + block_lines);
    }
    transpose(re);
    transpose(im);
    for (std::size_t q = 0; q < re.size(); ++q) points[static_cast<std::size_t>(part) + q] = {re[q], im[q]};
  }
}

/// The way back.
[[gnu::always_inline]] inline void turn_to_strip(const Points<8>& points, double* to) {
  for (std::int64_t part = 0; part < block_lines; part += vector_lines) {
    RealsArray re;
    RealsArray im;
    for (std::size_t q = 0; q < re.size(); ++q) {
      re[q] = points[static_cast<std::size_t>(part) + q].re;
      im[q] = points[static_cast<std::size_t>(part) + q].im;
    }
    transpose(re);
    transpose(im);
    for (std::size_t i = 0; i < re.size(); ++i) {
      store_point(to + static_cast<std::int64_t>(i) * block_doubles + part, {re[i], im[i]});
    }
  }
}

}  // namespace

PlaneTransform::PlaneTransform(const Grid& grid)
    : nx_(grid.nx),
      ny_(grid.ny),
      strips_(grid.ny / block_lines),
      strip_pitch_(grid.nx * block_doubles + strip_padding),
      along_x_(grid.nx),
      along_y_(grid.ny) {}

std::int64_t PlaneTransform::scratch_doubles() const {
  return plane_doubles() + buffer_doubles() + std::max(nx_ * block_doubles, RowGroup::doubles(ny_));
}

std::int64_t PlaneTransform::buffer_doubles() const {
  return std::max(along_x_.buffer_doubles(), along_y_.buffer_doubles());
}

void PlaneTransform::forward(std::int64_t z, std::span<const RowTarget> targets, double* scratch) const {
  double* const plane = scratch;
  double* const buffer = plane + plane_doubles();
  double* const numbers = buffer + buffer_doubles();
  for (std::int64_t strip = 0; strip < strips_; ++strip) {
    fill_strip({nx_, ny_, 0}, z, strip, numbers);
    x_forward(numbers, plane + strip * strip_pitch_, buffer);
  }
  const RowGroup group(numbers);
  for (std::int64_t x = 0; x < nx_; x += vector_lines) {
    y_forward(plane, x, group.place(x), buffer);
    group.leave(targets, x);
  }
}

void PlaneTransform::x_forward(const double* numbers, double* strip, double* buffer) const {
  const std::int64_t step = nx_ / 8;
  for (std::int64_t part = 0; part < block_lines; part += vector_lines) {
    const auto give = [=](const Points<8>& points, std::int64_t f) {
      for (std::size_t q = 0; q < 8; ++q) {
        store_point(strip + (f + static_cast<std::int64_t>(q) * step) * block_doubles + part, points[q]);
      }
    };
    along_x_.run(TakeBlocks{numbers + part, nx_}, give, buffer);
  }
}

void PlaneTransform::y_forward(const double* plane, std::int64_t x, double* to, double* buffer) const {
  const std::int64_t pitch = strip_pitch_;
  const auto take = [=]<std::size_t radix>(Points<radix>& points, std::int64_t j) {
    // With at least 64 points the first radix is 8.
    if constexpr (radix == 8) turn_from_strip(plane + j * pitch + x * block_doubles, points);
  };
  const std::int64_t step = strips_;
  const auto give = [=](const Points<8>& points, std::int64_t f) {
    for (std::size_t q = 0; q < 8; ++q) {
      store_point(to + (f + static_cast<std::int64_t>(q) * step) * RowGroup::pitch, points[q]);
    }
  };
  along_y_.run(take, give, buffer);
}

void PlaneTransform::inverse(double* const* rows, std::int64_t offset, double* scratch) const {
  double* const plane = scratch;
  double* const buffer = plane + plane_doubles();
  for (std::int64_t x = 0; x < nx_; x += vector_lines) y_inverse(rows, offset, x, plane, buffer);
  for (std::int64_t strip = 0; strip < strips_; ++strip) {
    x_inverse(plane + strip * strip_pitch_, rows + strip * block_lines, offset, buffer);
  }
}

void PlaneTransform::y_inverse(const double* const* rows, std::int64_t offset, std::int64_t x, double* plane,
                               double* buffer) const {
  const TakeFromRows rows_at{rows, offset + place_in_row(x), ny_};
  const auto take = [=](auto& points, std::int64_t j) {
    rows_at(points, j);
    for (Point& point : points) point = swapped(point);
  };
  const std::int64_t pitch = strip_pitch_;
  const auto give = [=](const Points<8>& points, std::int64_t f) {
    turn_to_strip(points, plane + f * pitch + x * block_doubles);
  };
  along_y_.run(take, give, buffer);
}

void PlaneTransform::x_inverse(const double* strip, double* const* rows, std::int64_t offset, double* buffer) const {
  for (std::int64_t part = 0; part < block_lines; part += vector_lines) {
    // The points come with real and imaginary parts exchanged since y_inverse and leave in their right order.
    const auto give = [=](const Points<8>& points, std::int64_t f) {
      for (std::size_t q = 0; q < 8; ++q)
        store_point(rows[q] + offset + f * block_doubles + part, swapped(points[q]));
    };
    along_x_.run(TakeBlocks{strip + part, nx_}, give, buffer);
  }
}

}  // namespace nasvm::ft
