#include "kernels/ep/verify.hpp"

#include <cmath>

namespace nasvm::ep {

Verdict verify(const Parameters& problem, const Tally& result) {
  return {.error_x = std::fabs((result.sx - problem.sx) / problem.sx),
          .error_y = std::fabs((result.sy - problem.sy) / problem.sy),
          .counts_agree = !problem.counts || *problem.counts == result.counts};
}

}  // namespace nasvm::ep
