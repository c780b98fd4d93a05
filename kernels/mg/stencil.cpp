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

/// What a 27-point operator makes of two rows of points: the value for point x is centre(x) + side(x-1) + side(x+1).
struct Sums {
  std::array<Lanes, 2> centre;
  std::array<Lanes, 2> side;
};

/// Weights that are nought in NASA's operators: products with them are left out.
enum class Nought : std::uint8_t { none, face, corner };

Coefficients negative(const Coefficients& w) { return {-w.centre, -w.face, -w.edge, -w.corner}; }

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

/// Two rows at once share half of their source rows. The centres begin with `base`.
template <Nought nought, typename FourRows>
[[gnu::always_inline]] inline Sums weigh(const Weights w, const FourRows& rows, int x,
                                         const std::array<Lanes, 2>& base) {
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
    sums.centre[i] = base[i] + w.centre * here[i + 1] + w.edge * edges;
    sums.side[i] = w.edge * faces;
    if constexpr (nought != Nought::face) {
      sums.centre[i] += w.face * faces;
      sums.side[i] += w.face * here[i + 1];
    }
    if constexpr (nought != Nought::corner) sums.side[i] += w.corner * edges;
  }
  return sums;
}

/// Doubles of a cache line.
constexpr int line = 8;

/// Asks for lines of a plane that a later operation needs, without waiting, into the second cache: the first one has
/// no room for them, and holds few requests. The caches' own prefetchers do not help: there are more streams than
/// they follow. Inline, since a function that only fetches does nothing in the compiler's eyes, and its calls would
/// be left out.
template <int doubles>
[[gnu::always_inline]] inline void fetch(const double* soon) {
  constexpr int into_second_cache = 2;
  for (int i = 0; i < doubles; i += line) __builtin_prefetch(soon + i, 0, into_second_cache);
}

/// Adds what the operator makes of these rows to row `base` and the next, and calls take(x, x one row further, values
/// of row y, values of row y+1) from left to right, a vector at a time. Fetches two rows of each of `soon`.
template <Nought nought, typename FourRows, std::size_t planes, typename Take>
[[gnu::always_inline]] inline void for_values_of(const Weights weights, const FourRows rows, int edge,
                                                 const double* base, const std::array<const double*, planes>& soon,
                                                 const Take& take) {
  const auto weigh_at = [&](int x) __attribute__((always_inline)) {
    return weigh<nought>(weights, rows, x, {load(base + x), load(base + x + rows.step())});
  };
  // What comes from the left is added at once, so that of each row two vectors are kept from step to step.
  Sums here = weigh_at(0);
  const Sums last = weigh<nought>(weights, rows, edge - lanes, {});
  for (std::size_t i = 0; i < 2; ++i) here.centre[i] += left_of(last.side[i], here.side[i]);
  const auto step = [&](int x, Sums right) __attribute__((always_inline)) {
    const Neighbours upper = neighbours_of(here.side[0], right.side[0]);
    const Neighbours lower = neighbours_of(here.side[1], right.side[1]);
    take(x, x + rows.step(), here.centre[0] + upper.of_first, here.centre[1] + lower.of_first);
    right.centre[0] += upper.of_second;
    right.centre[1] += lower.of_second;
    here = right;
  };
  // Two vectors of four lanes are a line; of shorter ones, those with which a line begins ask for it.
  const auto fetch_at = [&](int x) __attribute__((always_inline)) {
    if (2 * lanes < line && x % line != 0) return;
    for (const double* const row : soon) {
      fetch<2 * lanes>(row + x);
      fetch<2 * lanes>(row + x + rows.step());
    }
  };
  // Two steps in a row need no copies from register to register.
  int x = 0;
  for (; x < edge - 2 * lanes; x += 2 * lanes) {
    fetch_at(x);
    step(x, weigh_at(x + lanes));
    step(x + lanes, weigh_at(x + 2 * lanes));
  }
  fetch_at(x);
  step(x, weigh_at(x + lanes));
  step(x + lanes, weigh<nought>(weights, rows, 0, {}));
}

template <Nought nought, std::size_t soon_planes, typename Take>
[[gnu::always_inline]] inline void for_values(const Weights weights, const Planes& planes, int y, int edge,
                                              const double* base, const std::array<const double*, soon_planes>& soon,
                                              const Take& take) {
  if (are_adjacent(y, edge)) for_values_of<nought>(weights, adjacent_rows(planes, y, edge), edge, base, soon, take);
  else for_values_of<nought>(weights, wrapped_rows(planes, y, edge), edge, base, soon, take);
}

/// The same, fetching the same rows of one or both of the planes `soon`.
template <Nought nought, typename Take>
[[gnu::always_inline]] inline void for_values(const Weights weights, const Planes& planes, int y, int edge,
                                              const double* base, const SoonPlanes& soon, const Take& take) {
  if (soon.u != nullptr && soon.rhs != nullptr) {
    const std::array both{row_of(soon.u, y, edge), row_of(soon.rhs, y, edge)};
    return for_values<nought>(weights, planes, y, edge, base, both, take);
  }
  const std::array one{row_of(soon.u != nullptr ? soon.u : soon.rhs, y, edge)};
  for_values<nought>(weights, planes, y, edge, base, one, take);
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
                    const SoonPlanes& soon) {
  if (is_too_short(edge)) return plain::residual_plane(a, u, rhs, out, edge);
  with_nought(a, [&]<Nought nought>(std::integral_constant<Nought, nought>) {
    const Weights weights(negative(a));
    for (int y = rows.begin; y < rows.end; y += 2) {
      double* const of_out = row_of(out, y, edge);
      for_values<nought>(weights, u, y, edge, row_of(rhs, y, edge), soon,
                         [&](std::ptrdiff_t x, std::ptrdiff_t next_x, Lanes residual, Lanes next) {
                           store(of_out + x, residual);
                           store(of_out + next_x, next);
                         });
    }
  });
}

void smooth_plane(const Coefficients& s, const Planes& r, double* u, int edge, Rows rows, const SoonPlanes& soon) {
  if (is_too_short(edge)) return plain::smooth_plane(s, r, u, edge);
  with_nought(s, [&]<Nought nought>(std::integral_constant<Nought, nought>) {
    const Weights weights(s);
    for (int y = rows.begin; y < rows.end; y += 2) {
      double* const of_u = row_of(u, y, edge);
      for_values<nought>(weights, r, y, edge, of_u, soon,
                         [&](std::ptrdiff_t x, std::ptrdiff_t next_x, Lanes smooth, Lanes next) {
                           store(of_u + x, smooth);
                           store(of_u + next_x, next);
                         });
    }
  });
}

double restrict_residual_plane(const Coefficients& a, const Planes& u, const double* rhs, const Restriction& to,
                               double* room, int edge, Rows rows, const SoonPlanes& soon) {
  if (is_too_short(edge)) return plain::restrict_residual_plane(a, u, rhs, to, edge);
  return with_nought(a, [&]<Nought nought>(std::integral_constant<Nought, nought>) {
    const Weights weights(negative(a));
    double* const even = room;
    double* const columns = room + edge;
    const int before = rows.begin - 1;
    for_values<nought>(weights, u, before, edge, row_of(rhs, before, edge), std::array<const double*, 0>{},
                       [&](std::ptrdiff_t x, std::ptrdiff_t, Lanes residual, Lanes) { store(even + x, residual); });
    Lanes squares{};
    for (int y = rows.begin; y < rows.end; y += 2) {
      for_values<nought>(weights, u, y, edge, row_of(rhs, y, edge),
                         std::array{row_of(soon.u, y, edge), row_of(soon.rhs, y, edge)},
                         [&](std::ptrdiff_t x, std::ptrdiff_t, Lanes odd, Lanes next_even) {
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
