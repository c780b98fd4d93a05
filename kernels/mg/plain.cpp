#include "kernels/mg/plain.hpp"

#include <array>
#include <cstdlib>

namespace nasvm::mg::plain {
namespace {

std::ptrdiff_t at(int y, int x, int edge) {
  return static_cast<std::ptrdiff_t>(y & (edge - 1)) * edge + (x & (edge - 1));
}

/// The sum over 27 points around one.
double sum_around(const Coefficients& w, const Planes& planes, int y, int x, int edge) {
  const std::array<double, 4> weights{w.centre, w.face, w.edge, w.corner};
  const std::array<const double*, 3> in_z{planes.below, planes.here, planes.above};
  double sum = 0;
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const auto distance = static_cast<std::size_t>(std::abs(dz) + std::abs(dy) + std::abs(dx));
        sum += weights[distance] * in_z[static_cast<std::size_t>(dz + 1)][at(y + dy, x + dx, edge)];
      }
    }
  }
  return sum;
}

/// Calls value(y, x) for the 9 fine points around coarse point (j, i), and puts their weighted sum where it belongs.
template <typename Value>
void restrict_point(const Value& value, const Restriction& to, int j, int i, int edge) {
  double sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      sum += (dy == 0 ? 1.0 : 0.5) * (dx == 0 ? 1.0 : 0.5) * value(2 * j + 1 + dy, 2 * i + 1 + dx);
    }
  }
  const std::ptrdiff_t target = at(j, i, edge / 2);
  if (to.add != nullptr) to.add[target] += to.weight * sum;
  if (to.assign != nullptr) to.assign[target] = to.weight * sum;
}

}  // namespace

void residual_plane(const Coefficients& a, const Planes& u, const double* rhs, double* out, int edge) {
  for (int y = 0; y < edge; ++y) {
    for (int x = 0; x < edge; ++x) out[at(y, x, edge)] = rhs[at(y, x, edge)] - sum_around(a, u, y, x, edge);
  }
}

void smooth_plane(const Coefficients& s, const Planes& r, double* u, int edge) {
  for (int y = 0; y < edge; ++y) {
    for (int x = 0; x < edge; ++x) u[at(y, x, edge)] += sum_around(s, r, y, x, edge);
  }
}

double restrict_residual_plane(const Coefficients& a, const Planes& u, const double* rhs, const Restriction& to,
                               int edge) {
  const auto residual = [&](int y, int x) { return rhs[at(y, x, edge)] - sum_around(a, u, y, x, edge); };
  double squares = 0;
  for (int j = 0; j < edge / 2; ++j) {
    for (int i = 0; i < edge / 2; ++i) restrict_point(residual, to, j, i, edge);
    for (int x = 0; x < edge; ++x) {
      const double odd = residual(2 * j + 1, x);
      const double even = residual(2 * j + 2, x);
      squares += odd * odd + even * even;
    }
  }
  return squares;
}

void restrict_plane(const double* fine, const Restriction& to, int edge) {
  const auto value = [&](int y, int x) { return fine[at(y, x, edge)]; };
  for (int j = 0; j < edge / 2; ++j) {
    for (int i = 0; i < edge / 2; ++i) restrict_point(value, to, j, i, edge);
  }
}

void prolongate_plane(const double* coarse_a, const double* coarse_b, Store store, double* fine, int edge) {
  const int coarse_edge = edge / 2;
  for (int y = 0; y < edge; ++y) {
    for (int x = 0; x < edge; ++x) {
      double sum = 0;
      for (const double* coarse : {coarse_a, coarse_b}) {
        for (const int j : {(y - 1) >> 1, y >> 1}) {
          for (const int i : {(x - 1) >> 1, x >> 1}) sum += coarse[at(j, i, coarse_edge)];
        }
      }
      double& target = fine[at(y, x, edge)];
      target = (store == Store::add ? target : 0.0) + 0.125 * sum;
    }
  }
}

}  // namespace nasvm::mg::plain
