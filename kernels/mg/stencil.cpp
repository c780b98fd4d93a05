#include "kernels/mg/stencil.hpp"

#include <array>

#include "kernels/mg/lanes.hpp"
#include "kernels/mg/plain.hpp"

namespace nasvm::mg {
namespace {

/// Rows of at least two vectors, in planes and in coarse planes at least one.
bool is_too_short(int edge) { return edge < 2 * lanes; }

template <typename T>
T* row_of(T* plane, int y, int edge) {
  return plane + static_cast<std::ptrdiff_t>(y & (edge - 1)) * edge;
}

/// Rows y and y+1 of a plane.
template <typename T>
struct RowPair {
  RowPair(T* plane, int y, int edge) : first(row_of(plane, y, edge)), second(row_of(plane, y + 1, edge)) {}
  T* first;
  T* second;
};

/// The four rows y-1 .. y+2 of three planes, which the sums of rows y and y+1 need.
struct Neighbourhood {
  std::array<const double*, 4> below;
  std::array<const double*, 4> here;
  std::array<const double*, 4> above;
};

Neighbourhood neighbourhood(const Planes& planes, int y, int edge) {
  Neighbourhood found;
  for (int i = 0; i < 4; ++i) {
    const auto at = static_cast<std::size_t>(i);
    found.below[at] = row_of(planes.below, y + i - 1, edge);
    found.here[at] = row_of(planes.here, y + i - 1, edge);
    found.above[at] = row_of(planes.above, y + i - 1, edge);
  }
  return found;
}

/// What a 27-point operator makes of two rows of points: the sum for point x is centre(x) + side(x-1) + side(x+1).
struct Sums {
  std::array<Lanes, 2> centre;
  std::array<Lanes, 2> side;
};

/// Two rows at once share half of their source rows.
[[gnu::always_inline]] inline Sums weigh(const Coefficients& w, const Neighbourhood& rows, int x) {
  std::array<Lanes, 4> here;
  std::array<Lanes, 4> beside;
  for (std::size_t i = 0; i < 4; ++i) {
    here[i] = load(rows.here[i] + x);
    beside[i] = load(rows.below[i] + x) + load(rows.above[i] + x);
  }
  Sums sums;
  for (std::size_t i = 0; i < 2; ++i) {
    const Lanes faces = (here[i] + here[i + 2]) + beside[i + 1];
    const Lanes edges = beside[i] + beside[i + 2];
    sums.centre[i] = w.centre * here[i + 1] + w.face * faces + w.edge * edges;
    sums.side[i] = w.face * here[i + 1] + w.edge * faces + w.corner * edges;
  }
  return sums;
}

/// Calls take(x, sums of row y, sums of row y+1) from left to right, a vector at a time.
template <typename Take>
[[gnu::always_inline]] inline void for_sums(const Coefficients& w, const Planes& planes, int y, int edge,
                                            const Take& take) {
  const Neighbourhood rows = neighbourhood(planes, y, edge);
  Sums left = weigh(w, rows, edge - lanes);
  Sums here = weigh(w, rows, 0);
  for (int x = 0; x < edge; x += lanes) {
    const Sums right = weigh(w, rows, (x + lanes) & (edge - 1));
    const auto sum = [&](std::size_t i) {
      return here.centre[i] + (left_of(left.side[i], here.side[i]) + right_of(here.side[i], right.side[i]));
    };
    take(x, sum(0), sum(1));
    left = here;
    here = right;
  }
}

/// Asks for a piece of two rows, without waiting. The cache's own prefetchers do not help: there are more streams
/// than they follow.
[[gnu::always_inline]] inline void fetch(const double* row, const double* next_row) {
  constexpr int line = 8;
  for (int x = 0; x < lanes; x += line) {
    __builtin_prefetch(row + x);
    __builtin_prefetch(next_row + x);
  }
}

/// Restricts a row in x that has been restricted in y.
void restrict_row(const double* columns, double weight, double* add, double* assign, int edge) {
  Lanes next = load(columns);
  for (int x = 0; x < edge; x += 2 * lanes) {
    const Lanes a = next;
    const Lanes b = load(columns + x + lanes);
    next = load(columns + ((x + 2 * lanes) & (edge - 1)));
    const Lanes even = evens_of(a, b);
    const Lanes sum = weight * (0.5 * (even + right_of(even, evens_of(next, next))) + odds_of(a, b));
    if (add != nullptr) store(add + x / 2, load(add + x / 2) + sum);
    if (assign != nullptr) store(assign + x / 2, sum);
  }
}

void restrict_row_to(const double* columns, const Restriction& to, int j, int edge) {
  double* add = to.add == nullptr ? nullptr : row_of(to.add, j, edge / 2);
  double* assign = to.assign == nullptr ? nullptr : row_of(to.assign, j, edge / 2);
  restrict_row(columns, to.weight, add, assign, edge);
}

/// Row j of the mean of two coarse planes.
class MeanRow {
 public:
  MeanRow(const double* a, const double* b, int j, int edge) : a_(row_of(a, j, edge)), b_(row_of(b, j, edge)) {}
  [[gnu::always_inline]] Lanes at(int x) const { return 0.5 * (load(a_ + x) + load(b_ + x)); }

 private:
  const double* a_;
  const double* b_;
};

template <Store how>
[[gnu::always_inline]] inline void put(double* to, Lanes value) {
  store(to, how == Store::add ? load(to) + value : value);
}

/// Fine points 2x .. 2(x+lanes)-1 between and on the coarse points whose values are `here`.
template <Store how>
[[gnu::always_inline]] inline void spread(Lanes left, Lanes here, double* fine) {
  const Lanes between = 0.5 * (left_of(left, here) + here);
  put<how>(fine, interleave_low(between, here));
  put<how>(fine + lanes, interleave_high(between, here));
}

template <Store how>
void prolongate(const double* coarse_a, const double* coarse_b, double* fine, int edge, Rows rows) {
  const int coarse_edge = edge / 2;
  for (int y = rows.begin; y < rows.end; y += 2) {
    // Fine row 2j+1 lies on coarse row j, row 2j between j-1 and j.
    const MeanRow before(coarse_a, coarse_b, (y >> 1) - 1, coarse_edge);
    const MeanRow on(coarse_a, coarse_b, y >> 1, coarse_edge);
    double* fine_between = row_of(fine, y, edge);
    double* fine_on = fine_between + edge;
    Lanes left_on = on.at(coarse_edge - lanes);
    Lanes left_between = 0.5 * (before.at(coarse_edge - lanes) + left_on);
    for (int x = 0; x < coarse_edge; x += lanes) {
      const Lanes here_on = on.at(x);
      const Lanes here_between = 0.5 * (before.at(x) + here_on);
      spread<how>(left_between, here_between, fine_between + 2 * x);
      spread<how>(left_on, here_on, fine_on + 2 * x);
      left_on = here_on;
      left_between = here_between;
    }
  }
}

}  // namespace

void residual_plane(const Coefficients& a, const Planes& u, const double* rhs, double* out, int edge, Rows rows,
                    const double* soon) {
  if (is_too_short(edge)) return plain::residual_plane(a, u, rhs, out, edge);
  for (int y = rows.begin; y < rows.end; y += 2) {
    const RowPair of_rhs(rhs, y, edge);
    const RowPair of_out(out, y, edge);
    const RowPair of_soon(soon, y, edge);
    for_sums(a, u, y, edge, [&](int x, Lanes sum, Lanes next_sum) {
      fetch(of_soon.first + x, of_soon.second + x);
      store(of_out.first + x, load(of_rhs.first + x) - sum);
      store(of_out.second + x, load(of_rhs.second + x) - next_sum);
    });
  }
}

void smooth_plane(const Coefficients& s, const Planes& r, double* u, int edge, Rows rows, const double* soon) {
  if (is_too_short(edge)) return plain::smooth_plane(s, r, u, edge);
  for (int y = rows.begin; y < rows.end; y += 2) {
    const RowPair of_u(u, y, edge);
    const RowPair of_soon(soon, y, edge);
    for_sums(s, r, y, edge, [&](int x, Lanes sum, Lanes next_sum) {
      fetch(of_soon.first + x, of_soon.second + x);
      store(of_u.first + x, load(of_u.first + x) + sum);
      store(of_u.second + x, load(of_u.second + x) + next_sum);
    });
  }
}

double restrict_residual_plane(const Coefficients& a, const Planes& u, const double* rhs, const Restriction& to,
                               double* room, int edge, Rows rows) {
  if (is_too_short(edge)) return plain::restrict_residual_plane(a, u, rhs, to, edge);
  double* even = room;
  double* columns = room + edge;
  const double* before = row_of(rhs, rows.begin - 1, edge);
  for_sums(a, u, rows.begin - 1, edge, [&](int x, Lanes sum, Lanes) { store(even + x, load(before + x) - sum); });
  Lanes squares{};
  for (int y = rows.begin; y < rows.end; y += 2) {
    const RowPair of_rhs(rhs, y, edge);
    for_sums(a, u, y, edge, [&](int x, Lanes sum, Lanes next_sum) {
      const Lanes odd = load(of_rhs.first + x) - sum;
      const Lanes next_even = load(of_rhs.second + x) - next_sum;
      squares += odd * odd + next_even * next_even;
      store(columns + x, 0.5 * (load(even + x) + next_even) + odd);
      store(even + x, next_even);
    });
    restrict_row_to(columns, to, y / 2, edge);
  }
  return sum_of(squares);
}

void restrict_plane(const double* fine, const Restriction& to, double* room, int edge) {
  if (is_too_short(edge)) return plain::restrict_plane(fine, to, edge);
  for (int j = 0; j < edge / 2; ++j) {
    const double* before = row_of(fine, 2 * j, edge);
    const double* on = row_of(fine, 2 * j + 1, edge);
    const double* after = row_of(fine, 2 * j + 2, edge);
    for (int x = 0; x < edge; x += lanes) store(room + x, 0.5 * (load(before + x) + load(after + x)) + load(on + x));
    restrict_row_to(room, to, j, edge);
  }
}

void prolongate_plane(const double* coarse_a, const double* coarse_b, Store store, double* fine, int edge,
                      Rows rows) {
  if (is_too_short(edge)) return plain::prolongate_plane(coarse_a, coarse_b, store, fine, edge);
  if (store == Store::add) return prolongate<Store::add>(coarse_a, coarse_b, fine, edge, rows);
  prolongate<Store::assign>(coarse_a, coarse_b, fine, edge, rows);
}

}  // namespace nasvm::mg
