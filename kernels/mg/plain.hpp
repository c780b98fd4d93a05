#pragma once
/// \file
/// The grid operations of stencil.hpp as their definitions say them, point by point: for the grids whose rows are
/// shorter than a vector, and for tests to hold the fast ones against. Results are the same, rounding apart, and so
/// are the arguments, but that nothing needs room or is fetched ahead.

#include "kernels/mg/stencil.hpp"

namespace nasvm::mg::plain {

void residual_plane(const Coefficients& a, const Planes& u, const double* rhs, double* out, int edge);
void smooth_plane(const Coefficients& s, const Planes& r, double* u, int edge);
double restrict_residual_plane(const Coefficients& a, const Planes& u, const double* rhs, const Restriction& to,
                               int edge);
void restrict_plane(const double* fine, const Restriction& to, int edge);
void prolongate_plane(const double* coarse_a, const double* coarse_b, Store store, double* fine, int edge);

}  // namespace nasvm::mg::plain
