#include "kernels/mg/problem.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "vm/status.hpp"

namespace nasvm::mg {
namespace {

/// The smoother of the small classes, and that of B and up.
constexpr Coefficients smoother_a{-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0};
constexpr Coefficients smoother_b{-3.0 / 17.0, 1.0 / 33.0, -1.0 / 61.0, 0.0};

constexpr std::array<ProblemClass, 8> classes{{
    {'S', 5, 4, smoother_a, 0.5307707005734e-04},
    {'W', 7, 4, smoother_a, 0.6467329375339e-05},
    {'A', 8, 4, smoother_a, 0.2433365309069e-05},
    {'B', 8, 20, smoother_b, 0.1800564401355e-05},
    {'C', 9, 20, smoother_b, 0.5706732285740e-06},
    {'D', 10, 50, smoother_b, 0.1583275060440e-09},
    {'E', 11, 50, smoother_b, 0.5630442584711e-10},
    {'F', 12, 50, smoother_b, 0.1889225697989e-10},
}};

}  // namespace

const ProblemClass& problem_class(char name) {
  const auto found = std::find_if(classes.begin(), classes.end(),
                                  [name](const ProblemClass& candidate) { return candidate.name == name; });
  if (found == classes.end()) {
    throw UsageError("mg has no class " + std::string(1, name) + ": its classes are " + std::string(class_names));
  }
  return *found;
}

}  // namespace nasvm::mg
