#include "kernels/mg/stencil.hpp"

#include <array>
#include <type_traits>

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

/// The four rows y-1 .. y+2 of three planes, which the sums of rows y and y+1 need, where they follow each other:
/// three addresses and a distance, which leaves registers for the others.
struct AdjacentRows {
  const double* below;  ///< row y-1
  const double* here;
  const double* above;
  std::ptrdiff_t edge;

  [[gnu::always_inline]] Lanes load_below(std::ptrdiff_t i, int x) const { return load(below + i * edge + x); }
  [[gnu::always_inline]] Lanes load_here(std::ptrdiff_t i, int x) const { return load(here + i * edge + x); }
  [[gnu::always_inline]] Lanes load_above(std::ptrdiff_t i, int x) const { return load(above + i * edge + x); }
  /// From row y to row y+1.
  [[nodiscard]] std::ptrdiff_t step() const { return edge; }
};

/// The same rows where some of them lie round the edge of the plane.
struct WrappedRows {
  std::array<const double*, 4> below;
  std::array<const double*, 4> here;
  std::array<const double*, 4> above;

  [[gnu::always_inline]] Lanes load_below(std::size_t i, int x) const { return load(below[i] + x); }
  [[gnu::always_inline]] Lanes load_here(std::size_t i, int x) const { return load(here[i] + x); }
  [[gnu::always_inline]] Lanes load_above(std::size_t i, int x) const { return load(above[i] + x); }
  [[nodiscard]] std::ptrdiff_t step() const { return here[2] - here[1]; }
};

bool are_adjacent(int y, int edge) { return ((y - 1) & (edge - 1)) + 3 < edge; }

AdjacentRows adjacent_rows(const Planes& planes, int y, int edge) {
  return {row_of(planes.below, y - 1, edge), row_of(planes.here, y - 1, edge), row_of(planes.above, y - 1, edge),
          edge};
}

WrappedRows wrapped_rows(const Planes& planes, int y, int edge) {
  WrappedRows found;
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

/// Weights that are nought in NASA's operators: products with them are left out.
enum class Nought : std::uint8_t { none, face, corner };

Nought nought_of(const Coefficients& w) {
  if (w.face == 0) return Nought::face;
  return w.corner == 0 ? Nought::corner : Nought::none;
}

/// Calls work(constant) with what nought_of(w) is.
template <typename Work>
auto with_nought(const Coefficients& w, const Work& work) {
  const Nought nought = nought_of(w);
  if (nought == Nought::face) return work(std::integral_constant<Nought, Nought::face>());
  if (nought == Nought::corner) return work(std::integral_constant<Nought, Nought::corner>());
  return work(std::integral_constant<Nought, Nought::none>());
}

/// Weights in all lanes. By value, so that they stay in registers: results could overwrite Coefficients, for all that
/// the compiler knows.
struct Weights {
  explicit Weights(const Coefficients& w)
      : centre(Lanes{} + w.centre), face(Lanes{} + w.face), edge(Lanes{} + w.edge), corner(Lanes{} + w.corner) {}
  Lanes centre;
  Lanes face;
  Lanes edge;
  Lanes corner;
};

/// Two rows at once share half of their source rows.
template <Nought nought, typename FourRows>
[[gnu::always_inline]] inline Sums weigh(const Weights w, const FourRows& rows, int x) {
  std::array<Lanes, 4> here;
  std::array<Lanes, 4> beside;
  for (int i = 0; i < 4; ++i) {
    const auto at = static_cast<std::size_t>(i);
    here[at] = rows.load_here(i, x);
    beside[at] = rows.load_below(i, x) + rows.load_above(i, x);
  }
  Sums sums;
  for (std::size_t i = 0; i < 2; ++i) {
    const Lanes faces = (here[i] + here[i + 2]) + beside[i + 1];
    const Lanes edges = beside[i] + beside[i + 2];
    sums.centre[i] = w.centre * here[i + 1] + w.edge * edges;
    sums.side[i] = w.edge * faces;
    if constexpr (nought != Nought::face) {
      sums.centre[i] += w.face * faces;
      sums.side[i] += w.face * here[i + 1];
    }
    if constexpr (nought != Nought::corner) sums.side[i] += w.corner * edges;
  }
  return sums;
}

/// Calls take(x, x one row further, sums of row y, sums of row y+1) from left to right, a vector at a time, for these
/// rows.
template <Nought nought, typename FourRows, typename Take>
[[gnu::always_inline]] inline void for_sums_of(const Weights weights, const FourRows rows, int edge,
                                               const Take& take) {
  // Two steps in a row, below, need no copies from register to register.
  Sums left = weigh<nought>(weights, rows, edge - lanes);
  Sums here = weigh<nought>(weights, rows, 0);
  const auto step = [&](int x, const Sums& right) __attribute__((always_inline)) {
    const auto sum = [&](std::size_t i) {
      return here.centre[i] + (left_of(left.side[i], here.side[i]) + right_of(here.side[i], right.side[i]));
    };
    take(x, x + rows.step(), sum(0), sum(1));
    left = here;
    here = right;
  };
#pragma GCC unroll 2
  for (int x = 0; x < edge - lanes; x += lanes) step(x, weigh<nought>(weights, rows, x + lanes));
  step(edge - lanes, weigh<nought>(weights, rows, 0));
}

template <Nought nought, typename Take>
[[gnu::always_inline]] inline void for_sums(const Weights weights, const Planes& planes, int y, int edge,
                                            const Take& take) {
  if (are_adjacent(y, edge)) for_sums_of<nought>(weights, adjacent_rows(planes, y, edge), edge, take);
  else for_sums_of<nought>(weights, wrapped_rows(planes, y, edge), edge, take);
}

/// Asks for a vector of a plane that a later operation needs, without waiting, into the second cache: the first one
/// has no room for it, and holds few requests. The caches' own prefetchers do not help: there are more streams than
/// they follow.
[[gnu::always_inline]] inline void fetch(const double* soon) {
  constexpr int line = 8;
  constexpr int into_second_cache = 2;
  for (int i = 0; i < lanes; i += line) __builtin_prefetch(soon + i, 0, into_second_cache);
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
  with_nought(a, [&]<Nought nought>(std::integral_constant<Nought, nought>) {
    const Weights weights(a);
    for (int y = rows.begin; y < rows.end; y += 2) {
      const double* const of_rhs = row_of(rhs, y, edge);
      double* const of_out = row_of(out, y, edge);
      const double* const of_soon = row_of(soon, y, edge);
      for_sums<nought>(weights, u, y, edge, [&](std::ptrdiff_t x, std::ptrdiff_t next_x, Lanes sum, Lanes next_sum) {
        fetch(of_soon + x);
        fetch(of_soon + next_x);
        store(of_out + x, load(of_rhs + x) - sum);
        store(of_out + next_x, load(of_rhs + next_x) - next_sum);
      });
    }
  });
}

void smooth_plane(const Coefficients& s, const Planes& r, double* u, int edge, Rows rows, const double* soon) {
  if (is_too_short(edge)) return plain::smooth_plane(s, r, u, edge);
  with_nought(s, [&]<Nought nought>(std::integral_constant<Nought, nought>) {
    const Weights weights(s);
    for (int y = rows.begin; y < rows.end; y += 2) {
      double* const of_u = row_of(u, y, edge);
      const double* const of_soon = row_of(soon, y, edge);
      for_sums<nought>(weights, r, y, edge, [&](std::ptrdiff_t x, std::ptrdiff_t next_x, Lanes sum, Lanes next_sum) {
        fetch(of_soon + x);
        fetch(of_soon + next_x);
        store(of_u + x, load(of_u + x) + sum);
        store(of_u + next_x, load(of_u + next_x) + next_sum);
      });
    }
  });
}

double restrict_residual_plane(const Coefficients& a, const Planes& u, const double* rhs, const Restriction& to,
                               double* room, int edge, Rows rows, const SoonPlanes& soon) {
  if (is_too_short(edge)) return plain::restrict_residual_plane(a, u, rhs, to, edge);
  return with_nought(a, [&]<Nought nought>(std::integral_constant<Nought, nought>) {
    const Weights weights(a);
    double* const even = room;
    double* const columns = room + edge;
    const double* const before = row_of(rhs, rows.begin - 1, edge);
    for_sums<nought>(weights, u, rows.begin - 1, edge, [&](std::ptrdiff_t x, std::ptrdiff_t, Lanes sum, Lanes) {
      store(even + x, load(before + x) - sum);
    });
    Lanes squares{};
    for (int y = rows.begin; y < rows.end; y += 2) {
      const double* const of_rhs = row_of(rhs, y, edge);
      const double* const soon_u = row_of(soon.u, y, edge);
      const double* const soon_rhs = row_of(soon.rhs, y, edge);
      for_sums<nought>(weights, u, y, edge, [&](std::ptrdiff_t x, std::ptrdiff_t next_x, Lanes sum, Lanes next_sum) {
        fetch(soon_u + x);
        fetch(soon_u + next_x);
        fetch(soon_rhs + x);
        fetch(soon_rhs + next_x);
        const Lanes odd = load(of_rhs + x) - sum;
        const Lanes next_even = load(of_rhs + next_x) - next_sum;
        squares += odd * odd + next_even * next_even;
        store(columns + x, 0.5 * (load(even + x) + next_even) + odd);
        store(even + x, next_even);
      });
      restrict_row_to(columns, to, y / 2, edge);
    }
    return sum_of(squares);
  });
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
