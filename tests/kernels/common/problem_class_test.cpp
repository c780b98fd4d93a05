#include "kernels/common/problem_class.hpp"

#include <array>
#include <catch2/catch.hpp>

namespace {

struct Row {
  char letter = ' ';
  int size = 0;
};
constexpr std::array<Row, 2> classes{{{'S', 1}, {'W', 2}}};

}  // namespace

TEST_CASE("problem class: a letter finds its row") { CHECK(nasvm::find_class(classes, 'W', "xx").size == 2); }

TEST_CASE("problem class: another letter is a usage error that names the kernel and its classes") {
  CHECK_THROWS_AS(nasvm::find_class(classes, 'A', "xx"), nasvm::UsageError);
  CHECK_THROWS_WITH(nasvm::find_class(classes, 'A', "xx"), "xx has no class 'A'; its classes are SW");
}
