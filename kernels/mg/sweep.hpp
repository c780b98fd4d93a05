#pragma once
/// \file
/// One fused pass of one thread through the planes of a grid: while a plane is in the cache, everything is done to
/// it.
///
/// As four passes of their own, for planes z of a window [begin, end):
///
///     for z in begin   .. end:   u[z]  = P coarse (finest grid: u[z] + P coarse)
///     for z in begin+1 .. end-1: r[z]  = rhs[z] - A u around z
///     for z in begin+2 .. end-2: u[z]  = u[z] + S r around z
///     for z in begin+3 .. end-3: coarse residual (+)= restriction of rhs[z] - A u around z     (finest grid only)
///
/// Here they follow each other at a distance of one plane, so that memory is read and written once: of r three planes
/// exist, of the last residual none. 65 operations and 24 bytes of memory traffic per point of the finest grid (u in
/// and out, v), 41 operations and 16 bytes on the others (u out, r in). Separate passes, each of
/// which reads and writes its arrays once, move 80 and 56 bytes.
///
/// Planes so large that those in use at a time (eleven) leave the cache are taken in strips of rows, one strip after
/// the other through all planes. In a strip each operation stops a row short of the one before it, because it reads
/// the row beyond, and the next strip begins where this one has stopped; so nothing is computed twice. Of r, two rows
/// at each border have to be kept for that, in all planes.
///
/// Neighbouring threads (and tasks) compute the planes at the borders of their windows twice instead of waiting for
/// each other. u is changed in place, so each has such planes for itself.

#include <cstddef>
#include <vector>

#include "kernels/mg/grid.hpp"
#include "kernels/mg/stencil.hpp"

namespace nasvm::mg {

/// Where the planes of a window lie: some in a grid, some apart.
class PlaneTable {
 public:
  explicit PlaneTable(Range window) : window_(window), planes_(static_cast<std::size_t>(window.size())) {}
  [[nodiscard]] Range window() const { return window_; }
  [[nodiscard]] double*& operator[](std::int64_t z) { return planes_[static_cast<std::size_t>(z - window_.begin)]; }
  [[nodiscard]] double* operator[](std::int64_t z) const {
    return planes_[static_cast<std::size_t>(z - window_.begin)];
  }

 private:
  Range window_;
  std::vector<double*> planes_;
};

/// Memory of one thread: a ring of three planes of r, two rows, and the planes that it has for itself.
class Scratch {
 public:
  /// Planes that one of so many threads needs: the ring, one for rows. One between two others has three planes below
  /// its own for itself, and four above.
  static constexpr int planes_for(int threads) { return ring_planes + 1 + (threads > 1 ? 7 : 0); }

  Scratch() = default;
  /// One of `threads`, for grids of at most `edge` points along an edge.
  Scratch(int edge, int threads);

  [[nodiscard]] double* ring(std::int64_t z, int edge) {
    return plane(static_cast<int>((z + ring_offset) % ring_planes), edge);
  }
  [[nodiscard]] double* private_plane(int index, int edge) { return plane(ring_planes + 1 + index, edge); }
  [[nodiscard]] double* rows() { return memory_.plane(ring_planes); }

  /// Two borders between strips at which rows of r are kept.
  enum class Border : std::uint8_t { below, around };
  /// Makes room for the two rows of r at both borders, in so many planes.
  void keep(std::int64_t planes, int edge) { kept_.resize(static_cast<std::size_t>(planes * 4 * edge)); }
  /// Those of plane `index` of the window.
  [[nodiscard]] double* kept(std::int64_t index, Border border, int edge) {
    return kept_.data() + (2 * index + (border == Border::around ? 1 : 0)) * 2 * edge;
  }

 private:
  static constexpr int ring_planes = 3;
  /// Makes plane numbers positive, negative ones too, in the same order.
  static constexpr std::int64_t ring_offset = ring_planes << 20;
  [[nodiscard]] double* plane(int index, int edge) {
    return memory_.plane(0) + static_cast<std::size_t>(index) * Grid::stride(edge);
  }
  Grid memory_;
  std::vector<double> kept_;
};

/// Where the residuals of the finest grid go, which are never stored: restricted to the coarse planes [coarse.begin,
/// coarse.end), their squares summed plane by plane.
struct ResidualSink {
  Coefficients a;
  const Grid* rhs = nullptr;
  Grid* residual = nullptr;  ///< coarse
  Range coarse;
  Range counted;              ///< planes whose squares are wanted
  double* squares = nullptr;  ///< sum of plane z at squares[z]
};

/// Computes the residual of some rows of plane z (the first is odd), around which u is final, and sends it there.
/// Their squares are the plane's, or are added to them. Fetches `soon`.
void restrict_residual(const ResidualSink& sink, const Planes& u, std::int64_t z, Rows rows, Store store,
                       const SoonPlanes& soon, Scratch& scratch);

/// Where fine plane z goes when it is restricted to some planes of a coarse grid.
Restriction restriction_of(std::int64_t z, Grid& coarse, Range planes);

/// Points of a strip of one plane: those of eleven planes are 3 MB.
inline constexpr int usual_points_of_strip = 1 << 15;
/// Rows of the shortest strip.
inline constexpr int least_rows_of_strip = 8;

/// How often planes are asked for before they are read: not all of what is asked for comes, where memory is behind.
enum class Asking : std::uint8_t { twice, thrice };

struct Sweep {
  int edge = 0;
  Coefficients a;
  Coefficients smoother;
  const Grid* coarse = nullptr;  ///< correction to prolongate
  Store store = Store::assign;
  const Grid* rhs = nullptr;
  const ResidualSink* sink = nullptr;  ///< finest grid only
  int strip = 0;                       ///< rows of a strip, a divisor of the edge, not too short; 0: as usual
  Asking asking = Asking::twice;       ///< finest grid only; on the others once less
};

/// The pass: u holds every plane of its window. Afterwards u is final in begin+2 .. end-2.
void run_sweep(const Sweep& sweep, const PlaneTable& u, Scratch& scratch);

}  // namespace nasvm::mg
