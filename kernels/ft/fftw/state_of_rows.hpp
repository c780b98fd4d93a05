#pragma once
/// \file
/// What a checkpoint keeps of a field that lies in rows along x: z slowest, then y, then x.

#include <cstdint>
#include <span>

#include "kernels/checkpoint.hpp"
#include "kernels/common/partition.hpp"
#include "kernels/ft/problem.hpp"

namespace nasvm::ft {

/// For each z of `planes` the rows of those y, which follow each other from `at(z)` on.
template <typename At>
KernelState state_of_rows(const Grid& grid, Range planes, Range rows, At at) {
  KernelState state{.layout = "V by z, y, x",
                    .array_bytes = static_cast<std::uint64_t>(grid.points()) * sizeof(Complex)};
  for (std::int64_t z = planes.begin; z < planes.end; ++z) {
    const auto position = static_cast<std::uint64_t>((z * grid.ny + rows.begin) * grid.nx) * sizeof(Complex);
    const std::span<Complex> points(at(z), static_cast<std::size_t>(rows.size() * grid.nx));
    state.pieces.push_back({position, std::as_writable_bytes(points)});
  }
  return state;
}

}  // namespace nasvm::ft
