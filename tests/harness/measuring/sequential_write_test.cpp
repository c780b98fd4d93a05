#include "harness/measuring/sequential_write.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

#include "support/folder.hpp"
#include "vm/status.hpp"

using namespace nasvm;

TEST_CASE("sequential write: its file goes again, and nobody else's is touched") {
  const test::Folder folder;
  CHECK(sequential_write_s(folder.file("new"), 1000) > 0);
  CHECK_FALSE(std::filesystem::exists(folder.file("new")));
  const std::string there = folder.write("there", "precious");
  std::filesystem::create_symlink(there, folder.file("link"));
  for (const std::string& name : {there, folder.file("link")}) {
    CHECK_THROWS_AS(sequential_write_s(name, 1000), RunError);
    CHECK(std::filesystem::file_size(name) == 8);
  }
}
