/// \file
/// The surroundings of a program of others.

#include "vm/abi/launch/program_task.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::abi;

using Variables = std::vector<std::string>;

TEST_CASE("program task: our libraries are found before all others", "[exec]") {
  CHECK(with_libraries({"A=1"}, {}, "/ours") == Variables{"A=1", "LD_LIBRARY_PATH=/ours"});
  CHECK(with_libraries({"LD_LIBRARY_PATH=/x:/y", "A=1"}, {}, "/ours") ==
        Variables{"LD_LIBRARY_PATH=/ours:/x:/y", "A=1"});
  CHECK(with_libraries({"LD_LIBRARY_PATH="}, {}, "/ours") == Variables{"LD_LIBRARY_PATH=/ours"});
  CHECK(with_libraries({"LD_LIBRARY_PATH=/x"}, {"LD_LIBRARY_PATH=/z"}, "/ours") ==
        Variables{"LD_LIBRARY_PATH=/ours:/z"});
}

TEST_CASE("program task: the user's variables take the place of the host's", "[exec]") {
  CHECK(with_libraries({"AB=1", "A=2"}, {"A=3", "C=4"}, "/o") ==
        Variables{"AB=1", "A=3", "C=4", "LD_LIBRARY_PATH=/o"});
}

TEST_CASE("program task: programs find what Open MPI's launcher tells them", "[exec]") {
  const auto has = [](const Variables& variables, const std::string& one) {
    return std::ranges::find(variables, one) != variables.end();
  };
  const Variables together = launcher_variables({.rank = 3, .size = 8, .rank_here = 3, .size_here = 8, .setup = ""});
  CHECK(has(together, "OMPI_COMM_WORLD_RANK=3"));
  CHECK(has(together, "OMPI_COMM_WORLD_SIZE=8"));
  CHECK(has(together, "OMPI_COMM_WORLD_LOCAL_RANK=3"));
  CHECK(has(together, "OMPI_COMM_WORLD_LOCAL_SIZE=8"));
  const Variables apart = launcher_variables({.rank = 6, .size = 8, .rank_here = 2, .size_here = 4, .setup = ""});
  CHECK(has(apart, "OMPI_COMM_WORLD_RANK=6"));
  CHECK(has(apart, "OMPI_COMM_WORLD_LOCAL_RANK=2"));
  CHECK(has(apart, "OMPI_COMM_WORLD_NODE_RANK=2"));
  CHECK(has(apart, "OMPI_COMM_WORLD_LOCAL_SIZE=4"));
}
