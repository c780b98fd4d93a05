/// \file
/// Which files are programs that can be run.

#include "vm/abi/launch/program_file.hpp"

#include <cerrno>

#include <catch2/catch.hpp>

#include "support/folder.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::abi;
using Catch::Contains;

TEST_CASE("program file: what cannot be run is refused with the reason", "[exec]") {
  const test::Folder folder;
  errno = ENOENT;  // of a call before
  CHECK_THROWS_WITH(find_program(folder.file("")), Contains("no program that can be run: Is a directory"));
  CHECK_THROWS_WITH(find_program(folder.write("text", "")),
                    Contains("no program that can be run: Permission denied"));
  CHECK_THROWS_WITH(find_program(folder.file("none")), Contains("No such file or directory"));
  CHECK_THROWS_AS(find_program(folder.file("none")), UsageError);
}
