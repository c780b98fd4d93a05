#pragma once
/// \file
/// The vector loops of CG, each with the sums it can form on the way, on OpenMP threads. Every thread has the same
/// part of the vectors in every loop; partial sums are added in the order of the threads, so that a run can be
/// repeated to the bit, unless a slab's form is found by trial (slab.hpp).

#include <cstdint>

#include "kernels/common/partition.hpp"

namespace nasvm::cg {

/// a . b. 2 operations and 16 bytes for each of the `size` elements.
double dot(const double* a, const double* b, std::int64_t size, int threads);

/// The square of ||a - b||. 3 operations and 16 bytes for each of the `size` elements.
double square_of_difference(const double* a, const double* b, std::int64_t size, int threads);

/// Sets `size` elements.
void fill(double* a, std::int64_t size, double value, int threads);

/// to = from. 16 bytes for each of the `size` elements.
void copy(const double* from, double* to, std::int64_t size, int threads);

/// to = factor * from. 1 operation and 16 bytes for each of the `size` elements. The two may be the same.
void scale(double factor, const double* from, double* to, std::int64_t size, int threads);

/// to += factor * from. 2 operations and 24 bytes for each of the `size` elements.
void add_scaled(double factor, const double* from, double* to, std::int64_t size, int threads);

/// r -= alpha q. Returns r . r. 4 operations and 24 bytes for each of the `size` elements.
double subtract(double alpha, const double* q, double* r, std::int64_t size, int threads);

/// The vectors of the second half of a classic step. p and r lie over a span of `size` elements, which has this
/// task's piece `own` in it; z over the piece.
struct DirectionVectors {
  double* z = nullptr;        ///< solution
  double* p = nullptr;        ///< direction
  const double* r = nullptr;  ///< residual
  Range own;
  std::int64_t size = 0;
};

/// The solution along the direction, then the next direction, for all i of the piece and of the span:
///
///     z[i] += alpha p[i];  p[i] = r[i] + beta p[i];
///
/// 4 operations and 40 bytes for each element of the piece, 2 and 24 for the others.
void turn(const DirectionVectors& vectors, double alpha, double beta, int threads);

/// The vectors of a merged conjugate gradient step. r, s and w lie over a span of `size` elements, which has this
/// task's piece `own` in it; p and z over the piece.
struct StepVectors {
  double* p = nullptr;        ///< direction
  double* z = nullptr;        ///< solution
  double* r = nullptr;        ///< residual
  double* s = nullptr;        ///< A p
  const double* w = nullptr;  ///< A r
  Range own;
  std::int64_t size = 0;
};

/// One merged conjugate gradient step, for all i of the piece and of the span:
///
///     p[i] = r[i] + beta p[i];  z[i] += alpha p[i];  s[i] = w[i] + beta s[i];  r[i] -= alpha s[i];
///
/// Returns r . r over the piece. 10 operations and 72 bytes for each element of the piece, 4 and 40 for the others.
double advance(const StepVectors& vectors, double alpha, double beta, int threads);

}  // namespace nasvm::cg
