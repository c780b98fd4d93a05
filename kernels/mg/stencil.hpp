#pragma once
/// \file
/// The grid operations of MG on rows of one plane: pure computing on plain memory, no communication.
///
/// A plane has edge x edge points, x fastest, rows without gaps, aligned to 64 bytes where edge >= 8; x and y are
/// periodic inside it, z is whatever planes the caller passes. Row numbers are periodic too: row -2 is row edge-2.
/// Every operation with 27 points sums them by distance from the centre: 1 centre, 6 faces, 12 edges, 8 corners.
/// Edges are powers of two, from 2 up. Nothing allocates or throws. "Traffic" is doubles per point between the core and
/// the cache that holds the planes. plain.hpp has the same operations as their definitions say them; the two differ by
/// rounding only. Source: The NAS Parallel Benchmarks, RNR-94-007, section 2.4.2.

#include <cstddef>
#include <cstdint>

#include "kernels/common/partition.hpp"

namespace nasvm::mg {

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

enum class Store : std::uint8_t { assign, add };

/// Where a fine plane goes when it is restricted. Coarse plane c sits at fine plane 2c+1 and weighs the three around it
/// by 1/4, 1/2, 1/4, so an odd fine plane adds to one coarse plane and an even one to two: it is the last of the one, the
/// first of the other.
struct Restriction {
  double weight = 0;         ///< of this plane
  double* add = nullptr;     ///< coarse plane to add to, or none
  double* assign = nullptr;  ///< coarse plane to overwrite, or none
};

/// out = rhs - A u on rows [rows.begin, rows.end), both even.
///
///     out[y][x] = rhs[y][x] - sum over dz, dy, dx in -1..1 of a(|dz|+|dy|+|dx|) u[dz][y+dy][x+dx]
///
/// 19 operations, traffic 5: three planes of u, rhs, out. `out` overlaps nothing else.
void residual_rows(const Coefficients& a, const Planes& u, const double* rhs, double* out, int edge, Range rows);

/// u = u + S r on rows [rows.begin, rows.end), both even, for the plane of u beside r.here.
/// 19 operations, traffic 5: three planes of r, u in and out.
void smooth_rows(const Coefficients& s, const Planes& r, double* u, int edge, Range rows);

/// Restricts the residual r = rhs - A u of a plane to coarse rows [rows.begin, rows.end) without ever storing it.
///
///     coarse[j][i] (+)= weight * sum over dy, dx in -1..1 of w(dy) w(dx) r[2j+1+dy][2i+1+dx], w = 1/2, 1, 1/2
///
/// (so that the weights in all three directions are 1/2, 1/4, 1/8, 1/16 for weight 1/2 and 1/4). Returns the sum of r^2
/// over fine rows 2 rows.begin + 1 .. 2 rows.end, which are those that no other coarse row counts. `room` holds two
/// rows. 24 operations, traffic 4 to 5.
double restrict_residual_rows(const Coefficients& a, const Planes& u, const double* rhs, const Restriction& to,
                              double* room, int edge, Range rows);

/// Restricts a plane to all rows of coarse planes: restrict_residual_rows for a residual that exists.
/// `room` holds a row. 3 operations for a fine point.
void restrict_plane(const double* fine, const Restriction& to, double* room, int edge);

/// Trilinear prolongation to rows [rows.begin, rows.end), both even, of one fine plane with rows of `edge` points. A fine
/// plane that lies on a coarse one passes it twice, one between two coarse planes passes both.
///
///     fine[y][x] (+)= mean over coarse a, b, rows (y-1)/2 and y/2, columns (x-1)/2 and x/2, all rounded down
///
/// 3 operations, traffic 1.5 to 2.5.
void prolongate_rows(const double* coarse_a, const double* coarse_b, Store store, double* fine, int edge, Range rows);

}  // namespace nasvm::mg
