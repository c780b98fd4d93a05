#include "kernels/mg/charges.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <vector>

#include "kernels/common/random.hpp"
#include "kernels/mg/parallel.hpp"
#include "kernels/mg/problem.hpp"

namespace nasvm::mg {
namespace {

/// A point of the random grid. The generator's state orders points as its uniform would, and no two are equal.
struct Point {
  std::uint64_t value = 0;
  std::uint64_t position = 0;
};

/// The points that come first in the order `before` among all that were offered; `worst` is the value to which
/// places that are still free compare.
template <typename Before>
class Best {
 public:
  explicit Best(std::uint64_t worst) { points_.fill({worst, 0}); }

  void offer(Point point) {
    if (!Before{}(point.value, points_.back().value)) return;
    const auto place = std::find_if(points_.begin(), points_.end(),
                                    [&](const Point& other) { return Before{}(point.value, other.value); });
    std::move_backward(place, points_.end() - 1, points_.end());
    *place = point;
  }
  void offer_all(const Best& other) {
    for (const Point& point : other.points_) offer(point);
  }

  [[nodiscard]] const std::array<Point, charges_per_sign>& points() const { return points_; }
  [[nodiscard]] std::array<std::uint64_t, charges_per_sign> positions() const {
    std::array<std::uint64_t, charges_per_sign> found{};
    std::ranges::transform(points_, found.begin(), &Point::position);
    return found;
  }

 private:
  std::array<Point, charges_per_sign> points_{};
};

/// The largest and the smallest points. The generator's states are odd, so neither bound is one of them.
struct Extremes {
  Best<std::greater<>> largest{0};
  Best<std::less<>> smallest{NpbRandom::mask + 1};

  void offer(Point point) {
    largest.offer(point);
    smallest.offer(point);
  }
  void offer_all(const Extremes& other) {
    largest.offer_all(other.largest);
    smallest.offer_all(other.smallest);
  }
};

Extremes search(int edge, Range planes) {
  const auto plane_points = static_cast<std::uint64_t>(edge) * static_cast<std::uint64_t>(edge);
  const std::uint64_t begin = static_cast<std::uint64_t>(planes.begin) * plane_points;
  const std::uint64_t end = static_cast<std::uint64_t>(planes.end) * plane_points;
  NpbRandom random(charge_seed);
  random.skip(begin);
  Extremes extremes;
  for (std::uint64_t position = begin; position < end; ++position) extremes.offer({random.next_state(), position});
  return extremes;
}

Extremes search_with_threads(int edge, Range planes, int threads) {
  Extremes extremes;
  std::mutex mutex;
  for_chunks(threads, planes, [&](Range chunk) {
    const Extremes found = search(edge, chunk);
    const std::lock_guard lock(mutex);
    extremes.offer_all(found);
  });
  return extremes;
}

/// Every task's list, joined: numbers travel as value, position, value, position, ...
template <typename Before>
void join(Comm& comm, Best<Before>& best) {
  std::vector<std::uint64_t> mine;
  for (const Point& point : best.points()) mine.insert(mine.end(), {point.value, point.position});
  std::vector<std::uint64_t> all(mine.size() * static_cast<std::size_t>(comm.size()));
  comm.allgather(mine, all);
  // Own points are there already: offering one again would enter it twice.
  const std::size_t own_begin = mine.size() * static_cast<std::size_t>(comm.rank());
  for (std::size_t i = 0; i < all.size(); i += 2) {
    if (i < own_begin || i >= own_begin + mine.size()) best.offer({all[i], all[i + 1]});
  }
}

}  // namespace

Charges find_charges(Comm& comm, int edge, Range planes, int threads) {
  Extremes extremes = search_with_threads(edge, planes, threads);
  join(comm, extremes.largest);
  join(comm, extremes.smallest);
  return {extremes.largest.positions(), extremes.smallest.positions()};
}

void place(const Charges& charges, Grid& grid) {
  const auto plane_points = Grid::points(grid.edge());
  const auto put = [&](std::uint64_t position, double charge) {
    const auto plane = static_cast<std::int64_t>(position / plane_points);
    // Every image of the plane: the grid is periodic.
    for (std::int64_t z = plane - 2 * grid.edge(); z < grid.planes().end; z += grid.edge()) {
      if (z >= grid.planes().begin) grid.plane(z)[position % plane_points] = charge;
    }
  };
  for (const std::uint64_t position : charges.positive) put(position, 1.0);
  for (const std::uint64_t position : charges.negative) put(position, -1.0);
}

}  // namespace nasvm::mg
