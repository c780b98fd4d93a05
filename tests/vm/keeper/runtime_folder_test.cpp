#include "vm/keeper/runtime_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "vm/keeper/runtime_fixture.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::keeper;
using namespace nasvm::test;
using Catch::Contains;

namespace {

unsigned mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

}  // namespace

TEST_CASE("names of machines are short and plain", "[keeper]") {
  for (const char* good : {"default", "a", "A.b_c-9", "_x", "7"}) CHECK_NOTHROW(check_name(good));
  CHECK_NOTHROW(check_name(std::string(64, 'x')));
  for (const char* wrong : {"", ".", "..", ".x", "-x", "a/b", "a b", "\xc3\xa4", "a\n"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(check_name(wrong), UsageError);
  }
  CHECK_THROWS_WITH(check_name(std::string(65, 'x')), Contains("1 to 64"));
}

TEST_CASE("a machine's folder and secret are closed to others", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  CHECK_FALSE(folder.exists());
  folder.make();
  CHECK(folder.exists());
  CHECK(mode_of(runtime.folder + "/nasvm/work") == 0700);
  const Secret secret = make_secret();
  folder.write_secret(secret);
  CHECK(mode_of(folder.path("secret")) == 0600);
  CHECK(folder.read_secret() == secret);
  CHECK(names_of_machines() == std::vector<std::string>{"work"});
  folder.remove();
  CHECK(runtime.is_empty());
}

TEST_CASE("a folder that others can read, or that is none, is refused", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  folder.make();
  const std::string path = runtime.folder + "/nasvm/work";
  SECTION("mode") { ::chmod(path.c_str(), 0755); }
  SECTION("symbolic link") {
    ::rmdir(path.c_str());
    REQUIRE(::symlink("/tmp", path.c_str()) == 0);
  }
  SECTION("the folder above") { ::chmod((runtime.folder + "/nasvm").c_str(), 0770); }
  CHECK_THROWS_WITH(folder.exists(), Contains("mode 0700"));
  CHECK_THROWS_AS(folder.make(), UsageError);
}

TEST_CASE("a folder that has got its group from the one above is its user's own all the same", "[keeper]") {
  const RuntimeFixture runtime;
  REQUIRE(::chmod(runtime.folder.c_str(), 02700) == 0);
  const RuntimeFolder folder("work");
  CHECK_NOTHROW(folder.make());
  CHECK(folder.exists());
}

TEST_CASE("a machine's files look used when they are kept fresh", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  folder.make();
  const net::Fd lock = folder.lock();
  folder.write_secret(make_secret());
  std::ofstream(folder.log()) << "a line\n";
  const std::array paths{runtime_base(), runtime_base() + "/work", folder.path("lock"), folder.path("secret"),
                         folder.log()};
  constexpr std::array<timespec, 2> long_ago{timespec{1000, 0}, timespec{1000, 0}};
  for (const std::string& path : paths) REQUIRE(::utimensat(AT_FDCWD, path.c_str(), long_ago.data(), 0) == 0);
  folder.keep_fresh();
  for (const std::string& path : paths) {
    CAPTURE(path);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK(status.st_mtim.tv_sec > 1000);
    CHECK(status.st_atim.tv_sec > 1000);
  }
}

TEST_CASE("a holder whose number is of another container says not who he is", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  folder.make();
  const net::Fd lock = folder.lock();
  REQUIRE(folder.holder() == ::getpid());
  const std::string number = std::to_string(::getpid());
  std::ofstream(folder.path("lock")) << number << " of another container\n";
  CHECK(folder.holder() == 0);
  std::ofstream(folder.path("lock")) << number << "\n";  // as builds before this one have it
  CHECK(folder.holder() == ::getpid());
}

TEST_CASE("a runtime folder of somebody else's is not used", "[keeper]") {
  const RuntimeFixture runtime;
  ::setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
  CHECK(runtime_base() == "/tmp/nasvm-" + std::to_string(::geteuid()));
}

TEST_CASE("a name is held by one, until he lets it go", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  folder.make();
  CHECK_FALSE(folder.holder().has_value());
  net::Fd lock = folder.lock();
  REQUIRE(lock);
  CHECK_FALSE(folder.lock());
  CHECK(folder.holder() == ::getpid());
  lock.reset();
  CHECK_FALSE(folder.holder().has_value());
  CHECK(folder.lock());
}

TEST_CASE("a name is not held any more when its lock is removed", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  folder.make();
  const net::Fd lock = folder.lock();
  CHECK(folder.is_held(lock.get()));
  REQUIRE(::unlink(folder.path("lock").c_str()) == 0);
  CHECK_FALSE(folder.is_held(lock.get()));
  const net::Fd next = folder.lock();
  CHECK(folder.is_held(next.get()));
  CHECK_FALSE(folder.is_held(lock.get()));
}

TEST_CASE("who stays unnamed writes nothing, and keeps the name from others", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  CHECK_FALSE(folder.lock(Holder::unnamed));
  CHECK(runtime.is_empty());
  folder.make();
  std::ofstream(folder.path("lock")) << "4711\n";
  ::chmod(folder.path("lock").c_str(), 0600);
  const net::Fd lock = folder.lock(Holder::unnamed);
  REQUIRE(lock);
  CHECK(std::filesystem::file_size(folder.path("lock")) == 0);
  CHECK(folder.holder() == 0);
  CHECK_FALSE(folder.lock());
  CHECK_FALSE(folder.clear_away());
  CHECK(folder.exists());
}

TEST_CASE("who takes a name whose folder is removed just then makes it anew", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  folder.make();
  std::filesystem::remove_all(runtime.folder + "/nasvm");
  const net::Fd lock = folder.lock();
  REQUIRE(lock);
  CHECK(folder.is_held(lock.get()));
  CHECK(folder.holder() == ::getpid());
}

TEST_CASE("what a dead keeper has left is cleared away", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  CHECK(folder.clear_away());
  folder.make();
  (void)folder.lock();
  folder.write_end_reason("no host is left");
  CHECK(folder.clear_away());
  CHECK(runtime.is_empty());
}

TEST_CASE("files that are not plain files of the user's alone are not read, nor waited for", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  folder.make();
  const std::string file = GENERATE("secret", "lock", "ended");
  const std::string path = folder.path(file);
  SECTION("pipe") { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }
  SECTION("folder") { REQUIRE(::mkdir(path.c_str(), 0700) == 0); }
  SECTION("link") { REQUIRE(::symlink("/dev/zero", path.c_str()) == 0); }
  SECTION("open to others") {
    std::ofstream(path) << "x\n";
    ::chmod(path.c_str(), 0640);
  }
  const auto complains = Contains(path + " is not a plain file of yours that is closed to others (mode 0600)");
  if (file == "secret") CHECK_THROWS_WITH(folder.read_secret(), complains);
  if (file == "ended") CHECK_THROWS_WITH(folder.end_reason(), complains);
  if (file == "lock") CHECK_THROWS_WITH(folder.holder(), complains);
}

TEST_CASE("a secret that is not there yet, or is none, is told apart", "[keeper]") {
  const RuntimeFixture runtime;
  const RuntimeFolder folder("work");
  folder.make();
  CHECK_THROWS_WITH(folder.read_secret(), Contains("about to start or to end"));
  std::ofstream(folder.path("secret")) << "";
  ::chmod(folder.path("secret").c_str(), 0600);
  CHECK_THROWS_WITH(folder.read_secret(), Contains("about to start or to end"));
  std::ofstream(folder.path("secret")) << "open sesame\n";
  CHECK_THROWS_WITH(folder.read_secret(), Contains("is not a secret") && Contains("nasvm vm stop work"));
}

TEST_CASE("only folders with a machine's name are machines", "[keeper]") {
  const RuntimeFixture runtime;
  RuntimeFolder("work").make();
  std::ofstream(runtime.folder + "/nasvm/notes") << "";
  std::filesystem::create_directory(runtime.folder + "/nasvm/.old");
  CHECK(names_of_machines() == std::vector<std::string>{"work"});
}

TEST_CASE("who listens can be reached, also where the folder's path is long", "[keeper]") {
  const RuntimeFixture runtime;
  const std::string deep = runtime.folder + "/" + std::string(120, 'd');
  REQUIRE(::mkdir(deep.c_str(), 0700) == 0);
  ::setenv("XDG_RUNTIME_DIR", deep.c_str(), 1);
  const RuntimeFolder folder(std::string(64, 'n'));
  folder.make();
  CHECK_FALSE(folder.connect());
  const net::Fd listener = folder.listen();
  CHECK(folder.connect());
  CHECK(folder.end_reason().empty());
  folder.write_end_reason("no host is left");
  CHECK(folder.end_reason() == "no host is left");
}
