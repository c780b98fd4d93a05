#include "kernels/ep/problem.hpp"

#include <algorithm>
#include <string>

#include "vm/status.hpp"

namespace nasvm::ep {
namespace {

constexpr std::array<Parameters, 8> classes{{
    {'S', 24, -3.247834652034740e+3, -6.958407078382297e+3,
     Counts{6140517, 5865300, 1100361, 68546, 1648, 17}},
    {'W', 25, -2.863319731645753e+3, -6.320053679109499e+3,
     Counts{12281576, 11729692, 2202726, 137368, 3371, 36}},
    {'A', 28, -4.295875165629892e+3, -1.580732573678431e+4,
     Counts{98257395, 93827014, 17611549, 1110028, 26536, 245}},
    {'B', 30, 4.033815542441498e+4, -2.660669192809235e+4,
     Counts{393058470, 375280898, 70460742, 4438852, 105691, 948, 5}},
    {'C', 32, 4.764367927995374e+4, -8.084072988043731e+4, {}},
    {'D', 36, 1.982481200946593e+5, -1.020596636361769e+5, {}},
    {'E', 40, -5.319717441530e+05, -3.688834557731e+05, {}},
    {'F', 44, -1.986768071074039e+1, -2.164441190520301e+1, {}},
}};

}  // namespace

const Parameters& parameters(char letter) {
  const auto found = std::find_if(classes.begin(), classes.end(),
                                  [&](const Parameters& candidate) { return candidate.letter == letter; });
  if (found != classes.end()) return *found;
  throw UsageError("ep has no class '" + std::string(1, letter) + "'; its classes are " + std::string(class_letters));
}

}  // namespace nasvm::ep
