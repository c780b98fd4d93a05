#pragma once
/// \file
/// Butterflies: discrete Fourier transforms of 2, 4 and 8 points in registers, forward (e^{-i...}), each lane for
/// itself. Inverse transforms exchange real and imaginary parts before and after.
///
/// Reference loop: b[q] = sum over t of a[t] e^{-2 pi i q t / n}. Operations: 4, 16 and 52 additions, and
/// 4 multiplications for 8 points (each used in two of the additions), for each lane.

#include <numbers>

#include "kernels/ft/fused/lanes.hpp"

namespace nasvm::ft {

[[gnu::always_inline]] inline Point operator+(const Point& a, const Point& b) { return {a.re + b.re, a.im + b.im}; }
[[gnu::always_inline]] inline Point operator-(const Point& a, const Point& b) { return {a.re - b.re, a.im - b.im}; }

/// a * (re + i im), with a factor that is the same in all lanes.
[[gnu::always_inline]] inline Point times(const Point& a, const double* factor) {
  const Reals re(factor[0]);
  const Reals im(factor[1]);
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}
[[gnu::always_inline]] inline Point times_minus_i(const Point& a) { return {a.im, -a.re}; }

[[gnu::always_inline]] inline void butterfly(Points<2>& a) {
  const Point sum = a[0] + a[1];
  a[1] = a[0] - a[1];
  a[0] = sum;
}

[[gnu::always_inline]] inline void butterfly(Points<4>& a) {
  const Point sum02 = a[0] + a[2];
  const Point difference02 = a[0] - a[2];
  const Point sum13 = a[1] + a[3];
  const Point difference13 = a[1] - a[3];
  a[0] = sum02 + sum13;
  a[2] = sum02 - sum13;
  a[1] = {difference02.re + difference13.im, difference02.im - difference13.re};
  a[3] = {difference02.re - difference13.im, difference02.im + difference13.re};
}

/// Two butterflies of four points (even and odd t), joined.
[[gnu::always_inline]] inline void butterfly(Points<8>& a) {
  constexpr double half_root = std::numbers::sqrt2 / 2;
  Points<4> even{a[0], a[2], a[4], a[6]};
  Points<4> odd{a[1], a[3], a[5], a[7]};
  butterfly(even);
  butterfly(odd);
  a[0] = even[0] + odd[0];
  a[4] = even[0] - odd[0];
  a[2] = {even[2].re + odd[2].im, even[2].im - odd[2].re};
  a[6] = {even[2].re - odd[2].im, even[2].im + odd[2].re};
  const Point first{odd[1].re + odd[1].im, odd[1].im - odd[1].re};   // e^{-i pi / 4} sqrt(2) odd[1]
  const Point third{odd[3].im - odd[3].re, -odd[3].re - odd[3].im};  // e^{-3 i pi / 4} sqrt(2) odd[3]
  a[1] = {even[1].re + half_root * first.re, even[1].im + half_root * first.im};
  a[5] = {even[1].re - half_root * first.re, even[1].im - half_root * first.im};
  a[3] = {even[3].re + half_root * third.re, even[3].im + half_root * third.im};
  a[7] = {even[3].re - half_root * third.re, even[3].im - half_root * third.im};
}

}  // namespace nasvm::ft
