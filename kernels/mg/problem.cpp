#include "kernels/mg/problem.hpp"

#include <array>

#include "kernels/common/problem_class.hpp"

namespace nasvm::mg {
namespace {

/// The smoother of the small classes, and that of B and up.
constexpr Coefficients smoother_a{-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0};
constexpr Coefficients smoother_b{-3.0 / 17.0, 1.0 / 33.0, -1.0 / 61.0, 0.0};

constexpr std::array<Parameters, 8> classes{{
    {'S', 5, 4, smoother_a, 0.5307707005734e-04},
    {'W', 7, 4, smoother_a, 0.6467329375339e-05},
    {'A', 8, 4, smoother_a, 0.2433365309069e-05},
    {'B', 8, 20, smoother_b, 0.1800564401355e-05},
    {'C', 9, 20, smoother_b, 0.5706732285740e-06},
    {'D', 10, 50, smoother_b, 0.1583275060440e-09},
    {'E', 11, 50, smoother_b, 0.5630442584711e-10},
    {'F', 12, 50, smoother_b, 0.1889225697989e-10},
}};
static_assert(classes.back().edge() == largest_edge);

}  // namespace

const Parameters& parameters(char letter) { return find_class(classes, letter, "mg"); }

}  // namespace nasvm::mg
