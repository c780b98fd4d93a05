#pragma once
/// \file
/// The four grid operations of MG, one plane at a time: pure computing on plain memory, no communication.
///
/// A plane has edge x edge points, x fastest, rows without gaps; x and y are periodic inside it, z is whatever
/// planes the caller passes. Every operation with 27 points sums them by distance from the centre: 1 centre,
/// 6 faces, 12 edges, 8 corners. Edges are powers of two, from 2 to max_edge. Nothing allocates or throws.
/// Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.4.2.

#include <cstddef>
#include <cstdint>

namespace nasvm::mg {

/// Longest row that the operations take (class F).
inline constexpr int max_edge = 4096;

/// Weights of a 27-point operator by distance from the centre.
struct Coefficients {
  double centre = 0;
  double face = 0;
  double edge = 0;
  double corner = 0;
};

/// A plane with its neighbours in z.
struct Planes {
  const double* below = nullptr;
  const double* here = nullptr;
  const double* above = nullptr;
};

/// out = rhs - A u; `out` may be `rhs`, and overlaps nothing else.
///
///     out[y][x] = rhs[y][x] - sum over dz, dy, dx in -1..1 of a(|dz|+|dy|+|dx|) u[z+dz][y+dy][x+dx]
///
/// 21 operations and 3 doubles of memory traffic per point, when the neighbouring planes are cached.
void residual_plane(const Coefficients& a, const Planes& u, const double* rhs, double* out, int edge);

/// u = u + S r, for the plane of u beside r.here. 20 operations, 3 doubles of memory traffic per point.
void smooth_plane(const Coefficients& s, const Planes& r, double* u, int edge);

/// The part of the restriction that lies in one fine plane: coarse = scale * (1/4, 1/2, 1/4) x (1/4, 1/2, 1/4)
/// applied to it, `edge` points of the fine plane along each side. Coarse point c sits at fine index 2c+1.
///
/// The whole restriction has weights 1/2, 1/4, 1/8, 1/16, which is the product of these with (1, 2, 1) in z.
void restrict_in_plane(const double* fine, int edge, double scale, double* coarse);

/// inout = inout + a + b, point by point: joins the parts of the restriction from three fine planes.
void add_planes(const double* a, const double* b, double* inout, std::size_t points);

enum class Store : std::uint8_t { assign, add };

/// Trilinear prolongation to one fine plane of 2*coarse_edge points along each side. A fine plane that lies on a
/// coarse one passes it twice, one between two coarse planes passes both.
void prolongate_plane(const double* coarse_a, const double* coarse_b, int coarse_edge, Store store, double* fine);

double sum_of_squares(const double* plane, std::size_t points);

}  // namespace nasvm::mg
