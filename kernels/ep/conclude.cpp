#include "kernels/ep/conclude.hpp"

#include <fmt/format.h>

#include <numeric>
#include <string>

#include "kernels/ep/verify.hpp"

namespace nasvm::ep {
namespace {

std::string counts_text(const Parameters& parameters, const Tally& result, const Verdict& verdict) {
  std::string text;
  for (const std::uint64_t count : result.counts) text += std::to_string(count) + ' ';
  if (!parameters.counts) return text + "(no official counts)";
  return text + (verdict.counts_agree ? "(exact)" : "(wrong)");
}

}  // namespace

void conclude(const Parameters& parameters, const Tally& result, Outcome& outcome) {
  const Verdict verdict = verify(parameters, result);
  const std::uint64_t pairs = std::accumulate(result.counts.begin(), result.counts.end(), std::uint64_t{0});
  outcome.verified = verdict.passed();
  outcome.details = {{"sx", fmt::format("{:.15e}", result.sx)},
                     {"sy", fmt::format("{:.15e}", result.sy)},
                     {"error of sx", fmt::format("{:.1e}", verdict.error_x)},
                     {"error of sy", fmt::format("{:.1e}", verdict.error_y)},
                     {"Gaussian pairs", std::to_string(pairs)},
                     {"counts", counts_text(parameters, result, verdict)}};
}

}  // namespace nasvm::ep
