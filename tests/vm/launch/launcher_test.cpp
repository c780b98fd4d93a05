#include "vm/launch/launcher.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "support/task_bodies.hpp"
#include "vm/launch/machine.hpp"
#include "vm/process/start.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

namespace {

/// Starts daemons as `local` does, and counts them.
class ToyLauncher final : public Launcher {
 public:
  void check(const HostSpec& host) override {
    if (host.name == "forbidden") throw UsageError("host forbidden is not for toys");
  }
  process::Child start(const HostSpec&, const std::string& bootstrap) override {
    ++started;
    return process::start({.program = daemon_program(), .input = bootstrap, .output = STDERR_FILENO});
  }
  static inline int started = 0;
};

std::unique_ptr<Launcher> make_toy() { return std::make_unique<ToyLauncher>(); }

/// The table with one more row.
std::vector<LauncherRow> with_toy() {
  std::vector<LauncherRow> rows(launchers().begin(), launchers().end());
  rows.push_back({"toy", "starts daemons for a test", make_toy});
  return rows;
}

}  // namespace

TEST_CASE("every launcher of the table can be made by its name", "[launcher]") {
  for (const LauncherRow& row : launchers()) {
    CAPTURE(row.name);
    CHECK(make_launcher(row.name) != nullptr);
    CHECK_FALSE(row.description.empty());
  }
}

TEST_CASE("an unknown launcher is refused with those that are known", "[launcher]") {
  CHECK_THROWS_WITH(make_launcher("pigeon"), Contains("\"pigeon\"") && Contains("local") && !Contains("toy"));
  CHECK_THROWS_WITH(make_launcher("pigeon", with_toy()), Contains("local, toy"));
}

TEST_CASE("a launcher is one more row of the table that a machine is given", "[launcher]") {
  const auto rows = with_toy();
  ToyLauncher::started = 0;
  Machine machine({two_hosts(1), "toy", rows});
  CHECK(ToyLauncher::started == 2);
  CHECK(machine.hosts().size() == 2);
  CHECK(machine.run(program_of("report rank", 2, "direct")).size() == 2);
}

TEST_CASE("a launcher is asked about every host before any daemon is started", "[launcher]") {
  const auto rows = with_toy();
  ToyLauncher::started = 0;
  CHECK_THROWS_WITH(Machine({{{"127.0.0.1", "127.0.0.1", 1}, {"forbidden", "127.0.0.2", 1}}, "toy", rows}),
                    Contains("not for toys"));
  CHECK(ToyLauncher::started == 0);
}
