// MPI-3.1, section 7.5: grids.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "mpi_api.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/topology.hpp"

namespace nasvm::mpi {

const Topology& topology_of(const Communicator* comm, TopologyKind kind) {
  check_comm(comm);
  require(comm->topology.has_value() && comm->topology->kind == kind, err_topology);
  return *comm->topology;
}

std::vector<int> coordinates_of(const Topology& grid, int rank) {
  std::vector<int> coordinates(grid.dims.size());
  for (std::size_t i = grid.dims.size(); i-- > 0;) {
    coordinates[i] = rank % grid.dims[i];
    rank /= grid.dims[i];
  }
  return coordinates;
}

int rank_at(const Topology& grid, std::vector<int> coordinates) {
  int rank = 0;
  for (std::size_t i = 0; i < grid.dims.size(); ++i) {
    int& place = coordinates[i];
    const bool inside = place >= 0 && place < grid.dims[i];
    if (!inside && grid.periods[i] == 0) return proc_null;
    place = (place % grid.dims[i] + grid.dims[i]) % grid.dims[i];
    rank = rank * grid.dims[i] + place;
  }
  return rank;
}

namespace api {
namespace {

/// Factors of a number, the greatest first, whose greatest and least are as close as can be; of those equally close
/// the one whose least is greatest, then the next one.
class Balance {
 public:
  Balance(int number, int factors) : factors_(static_cast<std::size_t>(factors)) {
    for (int i = 1; std::int64_t{i} * i <= number; ++i) {
      if (number % i != 0) continue;
      divisors_.push_back(i);
      if (i != number / i) divisors_.push_back(number / i);
    }
    std::ranges::sort(divisors_);
    divide(number, number);
  }
  [[nodiscard]] const std::vector<int>& best() const { return best_; }

 private:
  [[nodiscard]] static int spread(const std::vector<int>& factors) { return factors.front() - factors.back(); }

  [[nodiscard]] static bool is_better(const std::vector<int>& one, const std::vector<int>& other) {
    if (spread(one) != spread(other)) return spread(one) < spread(other);
    return std::lexicographical_compare(other.rbegin(), other.rend(), one.rbegin(), one.rend());
  }

  /// Tries what can follow the factors that are chosen; none is greater than `most`.
  void divide(int rest, int most) {
    const std::size_t open = factors_ - chosen_.size();
    if (open == 1) {
      if (rest > most) return;
      chosen_.push_back(rest);
      if (best_.empty() || is_better(chosen_, best_)) best_ = chosen_;
      chosen_.pop_back();
      return;
    }
    const auto root = static_cast<int>(std::pow(rest, 1.0 / static_cast<double>(open)) * (1 - 1e-9));
    for (auto next = std::ranges::lower_bound(divisors_, root); next != divisors_.end() && *next <= most; ++next) {
      if (rest % *next != 0) continue;
      // The least factor is at most the mean of those that are left.
      const int greatest = chosen_.empty() ? *next : chosen_.front();
      if (!best_.empty() && greatest - mean_of_rest(rest / *next, open - 1) > spread(best_)) {
        if (chosen_.empty()) return;
        continue;
      }
      chosen_.push_back(*next);
      divide(rest / *next, *next);
      chosen_.pop_back();
    }
  }
  [[nodiscard]] static int mean_of_rest(int rest, std::size_t factors) {
    return static_cast<int>(std::pow(rest, 1.0 / static_cast<double>(factors)) * (1 + 1e-9));
  }

  std::size_t factors_;
  std::vector<int> divisors_;
  std::vector<int> chosen_, best_;
};

/// How many places a grid has. Fails where a dimension is none.
std::int64_t places_in(std::span<const int> dims) {
  std::int64_t places = 1;
  for (const int dim : dims) {
    require(dim > 0, err_dims);
    // More than any communicator has tasks: they need not be counted.
    if (places <= std::numeric_limits<int>::max()) places *= dim;
  }
  return places;
}

}  // namespace

void dims_create(int nnodes, int ndims, int* dims) {
  require(ndims >= 0 && nnodes > 0, err_dims);
  std::vector<int> given;
  std::ranges::copy_if(std::span(dims, static_cast<std::size_t>(ndims)), std::back_inserter(given),
                       [](int dim) { return dim != 0; });
  const std::int64_t fixed = places_in(given);
  const int open = ndims - static_cast<int>(given.size());
  require(nnodes % fixed == 0 && (open > 0 || fixed == nnodes), err_dims);
  if (open == 0) return;
  const Balance balance(static_cast<int>(nnodes / fixed), open);
  auto next = balance.best().begin();
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] == 0) dims[i] = *next++;
  }
}

void cart_create(Communicator* comm, int ndims, const int* dims, const int* periods, int, Communicator*& newcomm) {
  check_intra(comm);
  require(ndims >= 0, err_dims);
  Topology grid;
  grid.dims.assign(dims, dims + ndims);
  grid.periods.assign(periods, periods + ndims);
  const std::int64_t tasks = places_in(grid.dims);
  require(tasks <= comm->size(), err_arg);
  const bool inside = comm->rank() < tasks;
  comm_split(comm, inside ? 0 : undefined, comm->rank(), newcomm);
  if (newcomm != nullptr) newcomm->topology = std::move(grid);
}

void cart_sub(Communicator* comm, const int* remain, Communicator*& newcomm) {
  const Topology& grid = topology_of(comm, cartesian);
  const std::vector<int> coordinates = coordinates_of(grid, comm->rank());
  Topology kept;
  int color = 0;
  int key = 0;
  for (std::size_t i = 0; i < grid.dims.size(); ++i) {
    int& number = remain[i] != 0 ? key : color;
    number = number * grid.dims[i] + coordinates[i];
    if (remain[i] == 0) continue;
    kept.dims.push_back(grid.dims[i]);
    kept.periods.push_back(grid.periods[i]);
  }
  comm_split(comm, color, key, newcomm);
  newcomm->topology = std::move(kept);
}

void cartdim_get(Communicator* comm, int* ndims) {
  *ndims = static_cast<int>(topology_of(comm, cartesian).dims.size());
}

void cart_get(Communicator* comm, int maxdims, int* dims, int* periods, int* coords) {
  const Topology& grid = topology_of(comm, cartesian);
  require(maxdims >= 0, err_arg);
  const std::vector<int> own = coordinates_of(grid, comm->rank());
  for (std::size_t i = 0; i < grid.dims.size() && static_cast<int>(i) < maxdims; ++i) {
    dims[i] = grid.dims[i];
    periods[i] = grid.periods[i] != 0 ? 1 : 0;
    coords[i] = own[i];
  }
}

void cart_rank(Communicator* comm, const int* coords, int* rank) {
  const Topology& grid = topology_of(comm, cartesian);
  *rank = rank_at(grid, {coords, coords + grid.dims.size()});
  require(*rank != proc_null, err_arg);
}

void cart_coords(Communicator* comm, int rank, int maxdims, int* coords) {
  const Topology& grid = topology_of(comm, cartesian);
  require(rank >= 0 && rank < comm->size(), err_rank);
  require(maxdims >= 0, err_arg);
  const std::vector<int> found = coordinates_of(grid, rank);
  std::copy_n(found.begin(), std::min<std::size_t>(found.size(), static_cast<std::size_t>(maxdims)), coords);
}

namespace {

/// The task so many steps away; proc_null: outside.
int rank_after(const Topology& grid, std::vector<int> place, int direction, std::int64_t steps) {
  const auto along = static_cast<std::size_t>(direction);
  const std::int64_t dim = grid.dims[along];
  const std::int64_t there = place[along] + steps;
  // An int holds the same place of one round, and of all that are outside the nearest.
  place[along] = static_cast<int>(grid.periods[along] != 0 ? there % dim : std::clamp(there, std::int64_t{-1}, dim));
  return rank_at(grid, std::move(place));
}

}  // namespace

void cart_shift(Communicator* comm, int direction, int displacement, int* source, int* dest) {
  const Topology& grid = topology_of(comm, cartesian);
  require(direction >= 0 && direction < static_cast<int>(grid.dims.size()), err_dims);
  const std::vector<int> own = coordinates_of(grid, comm->rank());
  *dest = rank_after(grid, own, direction, displacement);
  *source = rank_after(grid, own, direction, -std::int64_t{displacement});
}

void cart_map(Communicator* comm, int ndims, const int* dims, const int*, int* newrank) {
  check_intra(comm);
  require(ndims >= 0, err_dims);
  const std::int64_t tasks = places_in(std::span(dims, static_cast<std::size_t>(ndims)));
  require(tasks <= comm->size(), err_dims);
  *newrank = comm->rank() < tasks ? comm->rank() : undefined;
}

}  // namespace api
}  // namespace nasvm::mpi
