/// \file
/// The two names of a checkpoint, and who else has the file.

#include "harness/kernel_runs/checkpoint_names.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

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
  const Naming naming = give_name(from, to, {});
  CHECK(naming.error == 0);
  REQUIRE(naming.named);
  CHECK(naming.named->bytes == 3);
  CHECK_FALSE(naming.spare);
  CHECK(text_of(to) == "one");
  CHECK_FALSE(std::filesystem::exists(from));
}

TEST_CASE("checkpoint names: the old one is kept under the other name when it is ours, else given up") {
  const Folder folder;
  const std::string from = folder.write("a.new", "one");
  const std::string to = folder.file("a");
  std::optional<FileMark> ours = give_name(from, to, {}).named;
  const std::string change = GENERATE(as<std::string>(), "none", "longer", "another file", "not ours");
  CAPTURE(change);
  if (change == "longer") std::ofstream(to, std::ios::app) << "!";
  if (change == "another file") std::filesystem::rename(folder.write("other", "one"), to);
  if (change == "not ours") ours.reset();
  const std::string before = text_of(to);
  (void)folder.write("a.new", "two");
  const Naming naming = give_name(from, to, ours);
  CHECK(naming.error == 0);
  CHECK(text_of(to) == "two");
  CHECK(std::filesystem::exists(from) == naming.spare.has_value());
  if (change != "none") CHECK_FALSE(naming.spare);
  if (naming.spare) {
    CHECK(naming.spare == ours);
    CHECK(text_of(from) == before);
  } else if (change == "none") {
    WARN("this file system exchanges no names: checkpoints are new files here");
  }
}

TEST_CASE("checkpoint names: a folder that has come in between stays where it is") {
  const Folder folder;
  const std::string from = folder.write("a.new", "one");
  const std::string to = folder.file("a");
  const std::optional<FileMark> ours = give_name(from, to, {}).named;
  std::filesystem::remove(to);
  std::filesystem::create_directory(to);
  (void)folder.write("a.new", "two");
  const Naming naming = give_name(from, to, ours);
  CHECK(naming.error == EISDIR);
  CHECK(std::filesystem::is_directory(to));
  CHECK(text_of(from) == "two");
}

TEST_CASE("checkpoint names: what is not there gets no name") {
  const Folder folder;
  const std::string to = folder.write("a", "one");
  const Naming naming = give_name(folder.file("a.new"), to, {});
  CHECK(naming.error == ENOENT);
  CHECK_FALSE(naming.named);
  CHECK(text_of(to) == "one");
}

TEST_CASE("checkpoint names: a file is not written over that somebody has kept, changed, or is reading") {
  const Folder folder;
  const std::string path = folder.file("a");
  const std::optional<FileMark> mark = give_name(folder.write("a.new", "one"), path, {}).named;
  REQUIRE(mark);
  const bool alone = is_nobody_elses(path, *mark);
  if (!alone) WARN("this file system gives no leases: checkpoints are new files here");
  SECTION("another name") {
    std::filesystem::create_hard_link(path, folder.file("kept"));
    CHECK_FALSE(is_nobody_elses(path, *mark));
    std::filesystem::remove(folder.file("kept"));
    CHECK(is_nobody_elses(path, *mark) == alone);
  }
  SECTION("a reader") {
    {
      const std::ifstream reader(path);
      CHECK_FALSE(is_nobody_elses(path, *mark));
    }
    CHECK(is_nobody_elses(path, *mark) == alone);
  }
  SECTION("longer") {
    std::ofstream(path, std::ios::app) << "!";
    CHECK_FALSE(is_nobody_elses(path, *mark));
  }
  SECTION("another file") {
    std::filesystem::rename(folder.write("other", "one"), path);
    CHECK_FALSE(is_nobody_elses(path, *mark));
  }
  SECTION("a link to it") {
    std::filesystem::create_symlink(path, folder.file("link"));
    CHECK_FALSE(is_nobody_elses(folder.file("link"), *mark));
  }
  SECTION("a pipe") {
    std::filesystem::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK_FALSE(is_nobody_elses(path, *mark));
  }
  SECTION("nothing") { CHECK_FALSE(is_nobody_elses(folder.file("none"), *mark)); }
}
