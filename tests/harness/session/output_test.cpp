#include "harness/session/output.hpp"

#include <catch2/catch.hpp>

#include "../fake_executor.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using test::content;
using test::Folder;

TEST_CASE("output: a file holds what was written last, longer or shorter") {
  const Folder folder;
  OutputFile file(folder.file("f"));
  CHECK(file.is_rewritable());
  file.rewrite("short");
  CHECK(content(folder.file("f")) == "short");
  file.rewrite("much longer than before");
  CHECK(content(folder.file("f")) == "much longer than before");
  file.rewrite("x");
  CHECK(content(folder.file("f")) == "x");
  file.rewrite("");
  CHECK(content(folder.file("f")).empty());
}

TEST_CASE("output: opening leaves an existing file as it is") {
  const Folder folder;
  const std::string path = folder.write("f", "old");
  OutputFile file(path);
  CHECK(content(path) == "old");
}

TEST_CASE("output: what cannot be opened is a usage error") {
  const Folder folder;
  CHECK_THROWS_AS(OutputFile(folder.file("no/f")), UsageError);
  CHECK_THROWS_AS(OutputFile(folder.file("")), UsageError);
}

TEST_CASE("output: what cannot be written is a run error with the system's reason") {
  OutputFile full("/dev/full");
  CHECK_FALSE(full.is_rewritable());
  CHECK_THROWS_AS(full.rewrite("x"), RunError);
  CHECK_THROWS_WITH(full.rewrite("x"), "cannot write /dev/full: No space left on device");
}
