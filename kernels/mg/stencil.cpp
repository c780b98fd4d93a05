#include "kernels/mg/stencil.hpp"

#include <array>

namespace nasvm::mg {
namespace {

constexpr int cache_line = 64;
/// Room before and after a row for its periodic neighbours; a whole cache line, so that the row is aligned.
constexpr int rim = 8;

/// A row with its periodic neighbours at -1 and edge. Uninitialised on purpose: it is written before it is read.
class PeriodicRow {
 public:
  double* data() { return values_.data() + rim; }
  void wrap(int edge) {
    data()[-1] = data()[edge - 1];
    data()[edge] = data()[0];
  }

 private:
  alignas(cache_line) std::array<double, max_edge + 2 * rim> values_;
};

/// What a 27-point operator makes of one row: the sum for point x is centre[x] + side[x-1] + side[x+1].
/// Each of the 9 source rows is read once for both, which is what saves two thirds of the additions.
struct RowSums {
  alignas(cache_line) std::array<double, max_edge> centre;
  PeriodicRow side;
};

/// The three rows y-1, y, y+1 of a plane.
struct Rows {
  const double* before;
  const double* here;
  const double* after;
};

Rows rows_around(const double* plane, int y, int edge) {
  const auto row = [&](int index) { return plane + static_cast<std::ptrdiff_t>(index & (edge - 1)) * edge; };
  return {row(y - 1), row(y), row(y + 1)};
}

void weigh_row(const Coefficients& w, const Planes& planes, int y, int edge, RowSums& sums) {
  const Rows below = rows_around(planes.below, y, edge);
  const Rows here = rows_around(planes.here, y, edge);
  const Rows above = rows_around(planes.above, y, edge);
  double* centre = sums.centre.data();
  double* side = sums.side.data();
#pragma omp simd
  for (int x = 0; x < edge; ++x) {
    const double faces = (here.before[x] + here.after[x]) + (below.here[x] + above.here[x]);
    const double edges = (below.before[x] + below.after[x]) + (above.before[x] + above.after[x]);
    centre[x] = w.centre * here.here[x] + w.face * faces + w.edge * edges;
    side[x] = w.face * here.here[x] + w.edge * faces + w.corner * edges;
  }
  sums.side.wrap(edge);
}

}  // namespace

void residual_plane(const Coefficients& a, const Planes& u, const double* rhs, double* out, int edge) {
  RowSums sums;
  for (int y = 0; y < edge; ++y, rhs += edge, out += edge) {
    weigh_row(a, u, y, edge, sums);
    const double* centre = sums.centre.data();
    const double* side = sums.side.data();
#pragma omp simd
    for (int x = 0; x < edge; ++x) out[x] = rhs[x] - (centre[x] + (side[x - 1] + side[x + 1]));
  }
}

void smooth_plane(const Coefficients& s, const Planes& r, double* u, int edge) {
  RowSums sums;
  for (int y = 0; y < edge; ++y, u += edge) {
    weigh_row(s, r, y, edge, sums);
    const double* centre = sums.centre.data();
    const double* side = sums.side.data();
#pragma omp simd
    for (int x = 0; x < edge; ++x) u[x] += centre[x] + (side[x - 1] + side[x + 1]);
  }
}

void restrict_in_plane(const double* fine, int edge, double scale, double* coarse) {
  PeriodicRow line;
  double* columns = line.data();
  const double outer = 0.25 * scale;
  const double inner = 0.5 * scale;
  for (int y = 1; y < edge; y += 2, coarse += edge / 2) {
    const Rows rows = rows_around(fine, y, edge);
#pragma omp simd
    for (int x = 0; x < edge; ++x) columns[x] = 0.25 * (rows.before[x] + rows.after[x]) + 0.5 * rows.here[x];
    line.wrap(edge);
#pragma omp simd
    for (int x = 0; x < edge / 2; ++x) {
      coarse[x] = outer * (columns[2 * x] + columns[2 * x + 2]) + inner * columns[2 * x + 1];
    }
  }
}

void add_planes(const double* a, const double* b, double* inout, std::size_t points) {
#pragma omp simd
  for (std::size_t i = 0; i < points; ++i) inout[i] += a[i] + b[i];
}

void prolongate_plane(const double* coarse_a, const double* coarse_b, int coarse_edge, Store store, double* fine) {
  PeriodicRow line;
  double* mean = line.data();
  for (int y = 0; y < 2 * coarse_edge; ++y, fine += 2 * coarse_edge) {
    // Fine row 2c+1 lies on coarse row c, row 2c between c-1 and c. Averaging a row with itself is exact.
    const int on = y >> 1;
    const Rows a = rows_around(coarse_a, on, coarse_edge);
    const Rows b = rows_around(coarse_b, on, coarse_edge);
    const double* before_a = y % 2 == 1 ? a.here : a.before;
    const double* before_b = y % 2 == 1 ? b.here : b.before;
#pragma omp simd
    for (int x = 0; x < coarse_edge; ++x) mean[x] = 0.25 * ((before_a[x] + a.here[x]) + (before_b[x] + b.here[x]));
    line.wrap(coarse_edge);
    if (store == Store::assign) {
#pragma omp simd
      for (int x = 0; x < coarse_edge; ++x) {
        fine[2 * x] = 0.5 * (mean[x - 1] + mean[x]);
        fine[2 * x + 1] = mean[x];
      }
    } else {
#pragma omp simd
      for (int x = 0; x < coarse_edge; ++x) {
        fine[2 * x] += 0.5 * (mean[x - 1] + mean[x]);
        fine[2 * x + 1] += mean[x];
      }
    }
  }
}

double sum_of_squares(const double* plane, std::size_t points) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < points; ++i) sum += plane[i] * plane[i];
  return sum;
}

}  // namespace nasvm::mg
