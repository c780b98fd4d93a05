/// \file
/// The two names of a checkpoint, and who else has the file.

#include "harness/kernel_runs/checkpoint_names.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/folder.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("checkpoint names: the first one takes its name, and nothing is left") {
  const Folder folder;
  const std::string from = folder.write("a.new", "one");
  const std::string to = folder.file("a");
  const bool keep_old = GENERATE(false, true);
  const Naming naming = give_name(from, to, keep_old);
  CHECK(naming.error == 0);
  CHECK_FALSE(naming.spare);
  CHECK(text_of(to) == "one");
  CHECK_FALSE(std::filesystem::exists(from));
}

TEST_CASE("checkpoint names: the old one is given up, or kept under the other name") {
  const Folder folder;
  const std::string from = folder.write("a.new", "two");
  const std::string to = folder.write("a", "one");
  const bool keep_old = GENERATE(false, true);
  const Naming naming = give_name(from, to, keep_old);
  CHECK(naming.error == 0);
  CHECK(text_of(to) == "two");
  CHECK(std::filesystem::exists(from) == naming.spare);
  if (naming.spare) {
    CHECK(keep_old);
    CHECK(text_of(from) == "one");
  }
}

TEST_CASE("checkpoint names: what is not there gets no name") {
  const Folder folder;
  const std::string to = folder.write("a", "one");
  const Naming naming = give_name(folder.file("a.new"), to, GENERATE(false, true));
  CHECK(naming.error == ENOENT);
  CHECK_FALSE(naming.spare);
  CHECK(text_of(to) == "one");
}

TEST_CASE("checkpoint names: a file is not written over that somebody has kept, or is reading") {
  const Folder folder;
  const std::string path = folder.write("a.new", "one");
  const bool alone = is_nobody_elses(path);
  if (!alone) WARN("this file system gives no leases: checkpoints are new files here");
  SECTION("another name") {
    std::filesystem::create_hard_link(path, folder.file("kept"));
    CHECK_FALSE(is_nobody_elses(path));
    std::filesystem::remove(folder.file("kept"));
    CHECK(is_nobody_elses(path) == alone);
  }
  SECTION("a reader") {
    {
      const std::ifstream reader(path);
      CHECK_FALSE(is_nobody_elses(path));
    }
    CHECK(is_nobody_elses(path) == alone);
  }
  SECTION("a link to another file") {
    std::filesystem::create_symlink(path, folder.file("link"));
    CHECK_FALSE(is_nobody_elses(folder.file("link")));
  }
  SECTION("nothing") { CHECK_FALSE(is_nobody_elses(folder.file("none"))); }
}
