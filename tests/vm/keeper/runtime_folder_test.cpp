#include "vm/keeper/runtime_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

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
