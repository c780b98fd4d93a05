#include "kernels/ft/checksum.hpp"

#include <stdexcept>

namespace nasvm::ft {

Complex checksum_share(const Grid& grid, const Range& planes, const SolutionAt& solution) {
  const auto [nx, ny, nz] = grid;
  Complex sum = 0;
  for (std::int64_t j = 1; j <= checksum_points; ++j) {
    const std::int64_t z = 5 * j % nz;
    if (!planes.contains(z)) continue;
    sum += solution(z - planes.begin, 3 * j % ny, j % nx);
  }
  return sum / static_cast<double>(grid.points());
}

Verification verify(std::span<const Complex> checksums, std::span<const Complex> reference) {
  if (checksums.size() != reference.size()) throw std::invalid_argument("ft: as many checksums as references");
  Verification result{true, 0};
  for (std::size_t t = 0; t < checksums.size(); ++t) {
    const double error = std::abs((checksums[t] - reference[t]) / reference[t]);
    // Written so that an error that is not a number does not verify.
    if (!(error <= tolerance)) result.verified = false;
    if (!(error <= result.worst_error) && !std::isnan(result.worst_error)) result.worst_error = error;
  }
  return result;
}

}  // namespace nasvm::ft
