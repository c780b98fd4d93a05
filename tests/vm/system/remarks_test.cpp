#include "vm/system/remarks.hpp"

#include <catch2/catch.hpp>
#include <string>

using nasvm::Remarks;

TEST_CASE("remarks stand behind what is known, where there are any", "[systems]") {
  Remarks remarks;
  CHECK(remarks.after("pvmd exited") == "pvmd exited");
  remarks.add("libpvm [pid17]: mksocs() bind: No space");
  remarks.add("--------------------");
  remarks.add("");
  remarks.add("gave up");
  CHECK(remarks.after("pvmd exited") == "pvmd exited: libpvm [pid17]: mksocs() bind: No space gave up");
}

TEST_CASE("remarks without end are cut", "[systems]") {
  Remarks remarks;
  for (int i = 0; i < 10'000; ++i) remarks.add("again and again");
  CHECK(remarks.after("").size() < 400);
}
