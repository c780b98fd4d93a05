#include "kernels/ft/fftw/initial.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "kernels/common/random.hpp"

using namespace nasvm;
using namespace nasvm::ft;

TEST_CASE("ft initial field: the plain sequence, whoever owns the plane and however long the rows are") {
  for (const Grid grid : {Grid{64, 3, 4}, Grid{5, 4, 3}, Grid{3, 2, 7}}) {
    std::vector<Complex> expected;
    NpbRandom random(seed);
    for (std::int64_t i = 0; i < grid.points(); ++i) {
      const double re = random.next();
      const double im = random.next();
      expected.emplace_back(re, im);
    }
    for (int rank = 0; rank < 3; ++rank) {
      const Layout layout(grid, 3, rank);
      std::vector<Complex> space(static_cast<std::size_t>(layout.space_points()));
      for (std::int64_t plane = layout.planes().size(); plane-- > 0;) fill_plane(layout, plane, space.data());
      for (std::int64_t plane = 0; plane < layout.planes().size(); ++plane) {
        for (std::int64_t y = 0; y < grid.ny; ++y) {
          const auto begin = ((layout.planes().begin + plane) * grid.ny + y) * grid.nx;
          const auto place = layout.row_in_space(plane, y);
          const std::vector<Complex> row(space.begin() + place, space.begin() + place + grid.nx);
          CHECK(row == std::vector<Complex>(expected.begin() + begin, expected.begin() + begin + grid.nx));
        }
      }
    }
  }
}
