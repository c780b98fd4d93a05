#pragma once
/// \file
/// Verification of EP: both sums within a relative error of tolerance of the official ones, and the counts of all
/// annuli exact where they are known (which is stricter than NASA's codes are).

#include "kernels/ep/problem.hpp"
#include "kernels/ep/tally.hpp"

namespace nasvm::ep {

struct Verdict {
  double error_x = 0;  ///< relative
  double error_y = 0;
  bool counts_agree = true;  ///< also where the official counts are not known
  [[nodiscard]] bool passed() const { return error_x <= tolerance && error_y <= tolerance && counts_agree; }
};

Verdict verify(const Parameters& problem, const Tally& result);

}  // namespace nasvm::ep
