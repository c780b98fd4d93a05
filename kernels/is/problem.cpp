#include "kernels/is/problem.hpp"

#include <algorithm>
#include <string>

#include "vm/status.hpp"

namespace nasvm::is {
namespace {

constexpr std::array<Parameters, 7> classes{{
    {'S', 16, 11, 9, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463},
     {{{1, 0}, {1, 0}, {1, 0}, {-1, 0}, {-1, 0}}}},
    {'W', 20, 16, 10, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018},
     {{{1, -2}, {1, -2}, {-1, 0}, {-1, 0}, {-1, 0}}}},
    {'A', 23, 19, 10, {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264},
     {{{1, -1}, {1, -1}, {1, -1}, {-1, 1}, {-1, 1}}}},
    {'B', 25, 21, 10, {41869, 812306, 5102857, 18232239, 26860214}, {33422937, 10244, 59149, 33135281, 99},
     {{{-1, 0}, {1, 0}, {1, 0}, {-1, 0}, {1, 0}}}},
    {'C', 27, 23, 10, {44172927, 72999161, 74326391, 129606274, 21736814},
     {61147, 882988, 266290, 133997595, 133525895}, {{{1, 0}, {1, 0}, {1, 0}, {-1, 0}, {-1, 0}}}},
    {'D', 31, 27, 10, {1317351170, 995930646, 1157283250, 1503301535, 1453734525},
     {1, 36538729, 1978098519, 2145192618, 2147425337}, {{{1, 0}, {1, 0}, {-1, 0}, {-1, 0}, {-1, 0}}}},
    {'E', 35, 31, 10, {21492309536, 24606226181, 12608530949, 4065943607, 3324513396},
     {3, 27580354, 3248475153, 30048754302, 31485259697}, {{{1, -2}, {1, -2}, {1, -2}, {-1, 2}, {-1, 2}}}, 2},
}};

}  // namespace

std::int64_t Parameters::expected_rank(int test, int iteration) const {
  const auto index = static_cast<std::size_t>(test);
  const int steps = test != stepping_test ? 0 : (iteration > 2 ? 1 : 0) + (iteration > 4 ? 1 : 0);
  return test_ranks[index] + drifts[index].slope * iteration + drifts[index].offset - steps;
}

const Parameters& parameters(char letter) {
  const auto found = std::find_if(classes.begin(), classes.end(),
                                  [&](const Parameters& candidate) { return candidate.letter == letter; });
  if (found != classes.end()) return *found;
  throw UsageError("is has no class '" + std::string(1, letter) + "'; its classes are " + std::string(class_letters));
}

}  // namespace nasvm::is
