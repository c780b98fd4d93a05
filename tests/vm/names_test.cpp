#include "vm/names.hpp"

#include <array>
#include <catch2/catch.hpp>

using namespace nasvm;

namespace {

constexpr std::array<std::string_view, 5> known{"shm", "direct", "daemon", "--class", "--transport"};

}  // namespace

TEST_CASE("a name is likely meant when a few letters are missing, too many, wrong or swapped", "[names]") {
  CHECK(likely_name("--clas", known) == "--class");
  CHECK(likely_name("--classs", known) == "--class");
  CHECK(likely_name("dirct", known) == "direct");
  CHECK(likely_name("dieract", known) == "direct");
  CHECK(likely_name("daemno", known) == "daemon");
  CHECK(likely_name("--tarnspotr", known) == "--transport");
  CHECK(likely_name("Direct", known) == "direct");
}

TEST_CASE("a name like no other is meant for none", "[names]") {
  CHECK(likely_name("pigeon", known).empty());
  CHECK(likely_name("", known).empty());
  CHECK(likely_name("sss", known).empty());
  CHECK(likely_name("direct", {}).empty());
  CHECK(likely_name(std::string(100'000, 'x'), known).empty());
}

TEST_CASE("of several names the nearest is meant", "[names]") {
  constexpr std::array<std::string_view, 3> near{"merge", "merged", "tuned"};
  CHECK(likely_name("mergeed", near) == "merged");
  CHECK(likely_name("merg", near) == "merge");
}

TEST_CASE("a hint stands behind what was typed, or is nothing", "[names]") {
  CHECK(hint("dirct", known) == " (did you mean direct?)");
  CHECK(hint("pigeon", known).empty());
}
