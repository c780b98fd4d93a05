#include "vm/launch/complaint.hpp"

#include <catch2/catch.hpp>

namespace nasvm {

TEST_CASE("complaint: a line of somebody else's program becomes printable") {
  CHECK(printable_line("no route\tto \x1b[31mhost\r") == "no route to  [31mhost");
  CHECK(printable_line("ends in blanks  ") == "ends in blanks");
  CHECK(printable_line("").empty());
  CHECK(printable_line("\r").empty());
  CHECK(printable_line("*** --- ***").empty());
}

}  // namespace nasvm
