#include "vm/process/programs.hpp"

#include <stdlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "support/folder.hpp"
#include "vm/process/environment.hpp"

using namespace nasvm::process;
namespace fs = std::filesystem;

TEST_CASE("this program is found, and those built with it beside it or one folder up", "[process]") {
  const fs::path self = own_program();
  CHECK(fs::exists(self));
  CHECK(find_sibling(self.filename().native()) == self);
  CHECK(find_sibling("nasvmd") == self.parent_path().parent_path() / "nasvmd");
  CHECK(find_sibling("nasvm-no-such-program").empty());
}

TEST_CASE("programs of the system are found in PATH, in its order", "[process]") {
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/nowhere:/bin:/usr/bin", 1);
  CHECK(find_in_path("sh") == "/bin/sh");
  CHECK(find_in_path("no such program").empty());
  ::setenv("PATH", "/nowhere", 1);
  CHECK(find_in_path("sh").empty());
  // A folder of that name is no program; what is empty, also at the end, is this folder.
  const nasvm::test::Folder folder;
  fs::create_directories(folder.file("sh"));
  ::setenv("PATH", (fs::path(folder.file("sh")).parent_path().string() + ":/bin").c_str(), 1);
  CHECK(find_in_path("sh") == "/bin/sh");
  const auto before = fs::current_path();
  fs::current_path("/bin");
  for (const char* empty : {"", "/nowhere:", ":/nowhere"}) {
    ::setenv("PATH", empty, 1);
    CHECK(find_in_path("sh") == "./sh");
  }
  fs::current_path(before);
  ::setenv("PATH", path.c_str(), 1);
}

TEST_CASE("an environment leaves out what it is told to, and adds what is not set", "[process]") {
  const auto contains = [](const std::vector<std::string>& variables, const std::string& wanted) {
    return std::find(variables.begin(), variables.end(), wanted) != variables.end();
  };
  ::setenv("NASVM_PROGRAMS_TEST", "ours", 1);
  const std::vector<std::string> defaults{"NASVM_PROGRAMS_TEST=theirs", "NASVM_PROGRAMS_TEST_2=new"};
  const auto all = environment_without({}, defaults);
  CHECK(contains(all, "NASVM_PROGRAMS_TEST=ours"));
  CHECK_FALSE(contains(all, "NASVM_PROGRAMS_TEST=theirs"));
  CHECK(contains(all, "NASVM_PROGRAMS_TEST_2=new"));
  CHECK_FALSE(contains(environment_without({"OTHER", "NASVM_PROG"}), "NASVM_PROGRAMS_TEST=ours"));
  ::unsetenv("NASVM_PROGRAMS_TEST");
}
