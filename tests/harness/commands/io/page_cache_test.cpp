#include "harness/commands/io/page_cache.hpp"

#include <catch2/catch.hpp>

#include "support/folder.hpp"
#include "vm/status.hpp"

using namespace nasvm;

TEST_CASE("io: the page cache keeps nothing of a file that is not there", "[io]") {
  const test::Folder folder;
  CHECK(drop_from_page_cache(folder.file("nothing")) == 0);
  CHECK_THROWS_AS(drop_from_page_cache(folder.write("file", "") + "/below"), RunError);
}
