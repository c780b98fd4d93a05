#include "harness/commands/io/plan.hpp"

#include <catch2/catch.hpp>

#include <fmt/format.h>

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
