#pragma once
/// \file
/// The grid operations of MG, one plane at a time: pure computing on plain memory, no communication.
///
/// A plane has edge x edge points, x fastest, rows without gaps, aligned to 64 bytes where edge >= 8; x and y are
/// periodic inside it, z is whatever planes the caller passes. Every operation with 27 points sums them by distance
/// from the centre: 1 centre, 6 faces, 12 edges, 8 corners. Edges are powers of two, from 2 up. Nothing allocates or
/// throws. "Traffic" is doubles per point between the core and the cache that holds the planes. plain.hpp has the
/// same operations as their definitions say them; the two differ by rounding only. Source: The NAS Parallel
/// Benchmarks, RNR-94-007, section 2.2.2.

#include <cstddef>
#include <cstdint>

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

/// Rows of a plane that an operation is for, an even number of them. Row `edge` is row 0 again, and so on. Planes of
/// less than 16 points along an edge are taken whole, so the rows must be all there are.
struct Rows {
  int begin = 0;
  int end = 0;
};

enum class Store : std::uint8_t { assign, add };

/// Where a fine plane goes when it is restricted. Coarse plane c sits at fine plane 2c+1 and weighs the three around
/// it by 1/4, 1/2, 1/4, so an odd fine plane adds to one coarse plane and an even one to two: it is the last of the
/// one, the first of the other.
struct Restriction {
  double weight = 0;         ///< of this plane
  double* add = nullptr;     ///< coarse plane to add to, or none
  double* assign = nullptr;  ///< coarse plane to overwrite, or none
};

/// Planes that the next operations of a sweep read first, or one of them.
struct SoonPlanes {
  const double* u = nullptr;
  const double* rhs = nullptr;
};

/// out = rhs - A u.
///
///     out[y][x] = rhs[y][x] - sum over dz, dy, dx in -1..1 of a(|dz|+|dy|+|dx|) u[dz][y+dy][x+dx]
///
/// 19 operations, traffic 5: three planes of u, rhs, out. `out` overlaps nothing else. Meanwhile the same rows of the
/// planes `soon` are fetched into the second cache for later operations; any planes will do.
void residual_plane(const Coefficients& a, const Planes& u, const double* rhs, double* out, int edge, Rows rows,
                    const SoonPlanes& soon);

/// u = u + S r, for the plane of u beside r.here. 19 operations, traffic 5: three planes of r, u in and out.
/// Fetches `soon`.
void smooth_plane(const Coefficients& s, const Planes& r, double* u, int edge, Rows rows, const SoonPlanes& soon);

/// Restricts the residual r = rhs - A u of a plane without ever storing it.
///
///     coarse[j][i] (+)= weight * sum over dy, dx in -1..1 of w(dy) w(dx) r[2j+1+dy][2i+1+dx], w = 1/2, 1, 1/2
///
/// (so that the weights in all three directions are 1/2, 1/4, 1/8, 1/16 for weight 1/2 and 1/4). Fetches `soon`,
/// which residual_plane and smooth_plane have asked for before (not all of what is asked for comes, where memory is
/// behind). Returns the sum of r^2. Rows come in pairs 2j+1, 2j+2, which make row j: the first has to be odd. `room`
/// holds two rows. 24 operations, traffic 4 to 5.
double restrict_residual_plane(const Coefficients& a, const Planes& u, const double* rhs, const Restriction& to,
                               double* room, int edge, Rows rows, const SoonPlanes& soon);

/// restrict_residual_plane for a residual that exists, all rows. `room` holds a row. 3 operations, traffic 1 to 2.
void restrict_plane(const double* fine, const Restriction& to, double* room, int edge);

/// Trilinear prolongation to one fine plane with rows of `edge` points. A fine plane that lies on a coarse one passes
/// it twice, one between two coarse planes passes both.
///
///     fine[y][x] (+)= mean over coarse a, b, rows (y-1)/2 and y/2, columns (x-1)/2 and x/2, all rounded down
///
/// The first row has to be even. 3 operations, traffic 1.5 to 2.5.
void prolongate_plane(const double* coarse_a, const double* coarse_b, Store store, double* fine, int edge, Rows rows);

}  // namespace nasvm::mg
