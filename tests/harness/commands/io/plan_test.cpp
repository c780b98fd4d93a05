#include "harness/commands/io/plan.hpp"

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "vm/status.hpp"

using namespace nasvm;

TEST_CASE("methods of io take turns, and only edonio tries sizes of its cache", "[io]") {
  IoOptions options;
  options.methods = {"edonio", "posix"};
  options.patterns = {"elements"};
  options.np = {2};
  options.accesses = {32, 64};
  options.disk_bytes = {1000, 2000};
  options.runs = 2;
  std::string text;
  for (const IoSpec& spec : make_io_plan(options)) {
    text += fmt::format("{} {} {} {}; ", spec.method, spec.access_bytes, spec.disk_bytes, spec.repeat);
  }
  CHECK(text ==
        "edonio 32 1000 0; edonio 32 2000 0; posix 32 1000 0; edonio 64 1000 0; edonio 64 2000 0; posix 64 1000 0; "
        "posix 64 1000 1; edonio 64 2000 1; edonio 64 1000 1; posix 32 1000 1; edonio 32 2000 1; edonio 32 1000 1; ");
}

TEST_CASE("io: what the disk has no space for is refused beforehand", "[io]") {
  IoOptions options;
  options.methods = {"posix"};
  options.patterns = {"random"};
  options.np = {2, 3};
  options.accesses = {std::uint64_t{1} << 40};
  options.block_bytes = std::uint64_t{1} << 40;
  options.disk_bytes = {1};
  options.folder = "/disk";
  const auto space = [](std::uint64_t available) {
    return std::filesystem::space_info{std::uint64_t{1} << 50, available, available};
  };
  CHECK_NOTHROW(check_space(options, space(std::uint64_t{3} << 40)));
  CHECK_THROWS_WITH(
      check_space(options, space((std::uint64_t{3} << 40) - 1)),
      "--dir /disk: random of 3 tasks needs 3.3 TB, 3.3 TB are free there; smaller blocks (-b) or grids "
      "(--grid) would fit");
  CHECK_THROWS_AS(check_space(options, space(0)), UsageError);
  CHECK_NOTHROW(check_space(options, {}));  // which says nothing

  IoOptions grid = options;
  grid.patterns = {"elements"};
  grid.grid = 10;
  CHECK_NOTHROW(check_space(grid, space(32'000)));
  CHECK_THROWS_WITH(check_space(grid, space(31'999)), Catch::Contains("elements of 2 tasks needs 32.0 kB"));
  grid.methods = {"mounted"};
  CHECK_NOTHROW(check_space(grid, space(0)));

  options.machine.hosts = "a,b";
  CHECK_NOTHROW(check_space(options, space(0)));
}
