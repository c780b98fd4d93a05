/// \file
/// The two names of a checkpoint, and who else has the file.

#include "harness/kernel_runs/checkpoint_names.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "support/folder.hpp"
#include "vm/files/posix_disk.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What can be done with a folder while this lives: by root as by others.
class FolderMode {
 public:
  FolderMode(std::filesystem::path path, int mode) : path_(std::move(path)) {
    std::filesystem::permissions(path_, static_cast<std::filesystem::perms>(mode));
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0) REQUIRE(::seteuid(nobody) == 0);
  }
  ~FolderMode() {
    (void)!::seteuid(::getuid());
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  FolderMode(const FolderMode&) = delete;
  FolderMode& operator=(const FolderMode&) = delete;

 private:
  std::filesystem::path path_;
};

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

TEST_CASE("checkpoint names: a folder that cannot be brought to disk keeps nothing to be written over") {
  const Folder folder;
  const std::string from = folder.write("a.new", "one");
  const std::string to = folder.file("a");
  const std::optional<FileMark> ours = give_name(from, to, {}).named;
  (void)folder.write("a.new", "two");
  Naming naming;
  {
    const FolderMode unreadable(std::filesystem::path(to).parent_path(), 0333);
    naming = give_name(from, to, ours);
  }
  CHECK(naming.error == 0);
  CHECK(naming.named);
  CHECK_FALSE(naming.spare);
  CHECK(text_of(to) == "two");
  CHECK_FALSE(std::filesystem::exists(from));
}

TEST_CASE("checkpoint names: a new file takes the place of what was left, and leaves alone what has other names") {
  const Folder folder;
  const std::string path = folder.file("a.new");
  const std::string kept = folder.write("kept", "somebody's");
  const std::string left = GENERATE(as<std::string>(), "nothing", "a file", "another name", "a link");
  CAPTURE(left);
  if (left == "a file") (void)folder.write("a.new", "of a run that has died");
  if (left == "another name") std::filesystem::create_hard_link(kept, path);
  if (left == "a link") std::filesystem::create_symlink(kept, path);
  const Making making = make_new(path);
  CHECK(making.error == 0);
  REQUIRE(making.made);
  CHECK(leads_to(path, *making.made));
  CHECK(std::filesystem::is_regular_file(std::filesystem::symlink_status(path)));
  CHECK(text_of(path).empty());
  CHECK(text_of(kept) == "somebody's");
}

TEST_CASE("checkpoint names: what another run is writing, and what is no file, is not replaced") {
  const Folder folder;
  const std::string path = folder.write("a.new", "another run's");
  SECTION("it is written to") {
    const auto others = files::make_posix_disk()->open(path, {.access = files::Access::read_write});
    others->lock(files::Access::write);
    CHECK(make_new(path).error == EBUSY);
    CHECK(text_of(path) == "another run's");
  }
  SECTION("a folder") {
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    CHECK(make_new(path).error == EEXIST);
    CHECK(std::filesystem::is_directory(path));
  }
  SECTION("of a run that has died, in a folder that does not give it up: another host's may") {
    const FolderMode unwritable(std::filesystem::path(path).parent_path(), 0555);
    CHECK(make_new(path).error == EACCES);
  }
  SECTION("no folder for it") { CHECK(make_new(folder.file("none/a.new")).error == ENOENT); }
}

TEST_CASE("checkpoint names: a run removes the file that it has made, and no other of that name") {
  const Folder folder;
  const std::string path = folder.file("a.new");
  const std::optional<FileMark> made = make_new(path).made;
  REQUIRE(made);
  SECTION("it is there, and longer") {
    std::ofstream(path, std::ios::app) << "!";
    remove_own(path, *made);
    CHECK_FALSE(std::filesystem::exists(path));
  }
  SECTION("another one is") {
    std::filesystem::rename(folder.write("other", "another run's"), path);
    remove_own(path, *made);
    CHECK(text_of(path) == "another run's");
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

TEST_CASE("checkpoint names: links are followed to where the file is, or will be") {
  namespace fs = std::filesystem;
  const Folder folder;
  const std::string file = folder.write("file", "text");
  const fs::path home = fs::path(file).parent_path();
  fs::create_directory(home / "large");
  const auto link = [&](const std::string& name, const std::string& target) {
    fs::create_symlink(target, home / name);
    return end_of_links((home / name).string());
  };
  CHECK(end_of_links(file) == file);
  CHECK(end_of_links(folder.file("none")) == folder.file("none"));
  const std::string large = (fs::canonical(home) / "large/a.ck").string();
  CHECK(link("relative", "large/a.ck") == large);
  CHECK(link("second", (home / "relative").string()) == large);
  fs::create_symlink("large", home / "folder");
  CHECK(link("up", "folder/../file") == (fs::canonical(home) / "folder/../file").string());
  CHECK(link("itself", "itself") == std::nullopt);
  CHECK(link("of_folder", "large") == std::nullopt);
  CHECK(link("null", "/dev/null") == std::nullopt);
  // A file that somebody has open, whatever that is.
  CHECK(link("input", "/proc/self/fd/0") == std::nullopt);
  CHECK(end_of_links("/dev/stdout") == std::nullopt);
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
