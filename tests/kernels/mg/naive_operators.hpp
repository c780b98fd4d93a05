#pragma once
/// \file
/// The operators of MG as their definitions have them: whole periodic cubes, one sum over 27 points, no tricks.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernels/common/random.hpp"
#include "kernels/mg/stencil.hpp"

namespace nasvm::mg::test {

/// A periodic cube: any index is taken modulo the edge.
struct Cube {
  explicit Cube(int edge_length) : edge(edge_length), values(static_cast<std::size_t>(edge * edge * edge)) {}

  [[nodiscard]] std::size_t at(int x, int y, int z) const {
    const auto wrap = [this](int index) { return (index + edge) % edge; };
    return static_cast<std::size_t>((wrap(z) * edge + wrap(y)) * edge + wrap(x));
  }
  double& operator()(int x, int y, int z) { return values[at(x, y, z)]; }
  double operator()(int x, int y, int z) const { return values[at(x, y, z)]; }
  [[nodiscard]] const double* plane(int z) const { return &values[at(0, 0, z)]; }
  [[nodiscard]] double* plane(int z) { return &values[at(0, 0, z)]; }
  [[nodiscard]] Planes planes(int z) const { return {plane(z - 1), plane(z), plane(z + 1)}; }

  int edge;
  std::vector<double> values;
};

inline Cube random_cube(int edge, std::uint64_t seed) {
  Cube cube(edge);
  NpbRandom random(seed);
  for (double& value : cube.values) value = random.next() - 0.5;
  return cube;
}

/// Calls visit(x, y, z) for every point of a cube.
template <typename Visit>
void for_points(int edge, const Visit& visit) {
  for (int z = 0; z < edge; ++z) {
    for (int y = 0; y < edge; ++y) {
      for (int x = 0; x < edge; ++x) visit(x, y, z);
    }
  }
}

/// The 27-point sum around one point.
inline double naive_sum(const Coefficients& w, const Cube& cube, int x, int y, int z) {
  const double weights[] = {w.centre, w.face, w.edge, w.corner};
  double sum = 0;
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        sum += weights[std::abs(dx) + std::abs(dy) + std::abs(dz)] * cube(x + dx, y + dy, z + dz);
      }
    }
  }
  return sum;
}

/// The value between coarse points at fine index x: trilinear, coarse point c at fine index 2c+1.
inline double naive_interpolation(const Cube& coarse, int x, int y, int z) {
  double sum = 0;
  for (int k = 0; k <= 1; ++k) {
    for (int j = 0; j <= 1; ++j) {
      for (int i = 0; i <= 1; ++i) {
        // An odd index lies on coarse point x/2; an even one between x/2-1 and x/2, half of each.
        const auto neighbour = [](int index, int which) { return index % 2 == 1 ? index / 2 : index / 2 - which; };
        sum += 0.125 * coarse(neighbour(x, i), neighbour(y, j), neighbour(z, k));
      }
    }
  }
  return sum;
}

inline double largest_difference(const Cube& a, const Cube& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    largest = std::max(largest, std::abs(a.values[i] - b.values[i]));
  }
  return largest;
}

}  // namespace nasvm::mg::test
