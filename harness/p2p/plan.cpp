#include "harness/p2p/plan.hpp"

#include <algorithm>

#include "harness/p2p/yardstick.hpp"

namespace nasvm {

std::vector<P2pSpec> make_p2p_plan(const P2pOptions& options) {
  std::vector<P2pSpec> plan;
  std::vector<std::string> paths = options.paths;
  for (int repeat = 0; repeat < options.runs; ++repeat) {
    for (const std::string& path : paths) plan.push_back({path, find_yardstick(path) != nullptr, repeat});
    std::reverse(paths.begin(), paths.end());
  }
  return plan;
}

}  // namespace nasvm
