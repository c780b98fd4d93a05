// Blocks of another host, which tasks of one host fetch for each other.

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>

#include "fake_disk.hpp"
#include "small_files.hpp"
#include "support/process.hpp"
#include "thread_line.hpp"

using namespace nasvm;
using namespace nasvm::files;
using namespace nasvm::test;

namespace {

constexpr std::size_t blocks = 60;

/// Three tasks on a host without the file, and one on a host that has it.
struct TwoHosts {
  TwoHosts() {
    without.folder_there = false;
    with.put("a", bytes_from(0, blocks * block_bytes));
  }
  static Options options(std::size_t data_blocks) {
    Options options = small_blocks(2 * blocks, data_blocks, false);
    options.hosts = {0, 0, 0, 1};
    return options;
  }
  Disk& disk_of(const ThreadLines::Line& line) { return line.rank() == 3 ? with : without; }

  FakeDisk with;
  FakeDisk without;
};

bool reads_all(Files& files, int fd, std::size_t per_access) {
  bool all = true;
  for (std::size_t at = 0; at < blocks * block_bytes; at += per_access) {
    all = all && reads_back(files, fd, at, std::min(per_access, blocks * block_bytes - at));
  }
  return all;
}

}  // namespace

TEST_CASE("tasks of one host fetch each block of another host once", "[files]") {
  const bool hand_on = GENERATE(true, false);
  const std::size_t per_access = GENERATE(500, block_bytes);
  TwoHosts hosts;
  std::atomic<std::uint64_t> handed_on = 0;
  std::atomic<std::uint64_t> answered = 0;
  REQUIRE_NOTHROW(ThreadLines::run(4, [&](ThreadLines::Line& line) {
    Options options = TwoHosts::options(2 * blocks);
    options.hand_on = hand_on;
    options.to_say_so = options.to_answer = std::chrono::minutes(10);  // also where these threads get no core
    Files files(line, hosts.disk_of(line), options);
    const int fd = files.open("a", {});
    if (line.rank() != 3) require(reads_all(files, fd, per_access), "all bytes");
    files.close(fd);
    const auto counters = files.counters();
    handed_on += counters.handed_on;
    if (line.rank() == 3) answered = counters.disk.hits + counters.disk.misses;
  }));
  CAPTURE(handed_on, answered);
  if (hand_on) {
    CHECK(handed_on > blocks);
    CHECK(answered < 2 * blocks);
  } else {
    CHECK(handed_on == 0);
    CHECK(answered >= 3 * blocks);
  }
}

TEST_CASE("tasks whose copies have no room for what others want send them to the owner", "[files]") {
  const std::size_t data_blocks = GENERATE(0, 1, 3);
  TwoHosts hosts;
  REQUIRE_NOTHROW(ThreadLines::run(4, [&](ThreadLines::Line& line) {
    Files files(line, hosts.disk_of(line), TwoHosts::options(data_blocks));
    const int fd = files.open("a", {});
    require(reads_all(files, fd, 700), "in parts");
    require(reads_all(files, fd, block_bytes), "in blocks");
    require(reads_all(files, fd, 7 * block_bytes), "several at once");
    files.set_cache_sizes((data_blocks + 1) * block_bytes, block_bytes);
    require(reads_all(files, fd, block_bytes), "with other caches");
    files.close(fd);
  }));
}

TEST_CASE("a task that is at work holds nobody up who wants what it could hand on", "[files]") {
  TwoHosts hosts;
  std::atomic<int> read = 0;
  REQUIRE_NOTHROW(ThreadLines::run(4, [&](ThreadLines::Line& line) {
    Files files(line, hosts.disk_of(line), TwoHosts::options(20));
    const int fd = files.open("a", {});
    if (line.rank() == 0) {
      line.spin_until([&] { return read == 2; });
    } else if (line.rank() != 3) {
      require(reads_all(files, fd, block_bytes), "all bytes");
      ++read;
    }
    files.close(fd);
  }));
}

TEST_CASE("who refuses too late to hand a block on is not taken for its owner", "[files]") {
  TwoHosts hosts;
  std::atomic<bool> owner_was_asked = false;
  std::atomic<bool> has_refused = false;
  hosts.with.before_read = [&] {
    owner_was_asked = true;
    (void)eventually([&] { return has_refused.load(); });
  };
  REQUIRE_NOTHROW(ThreadLines::run(4, [&](ThreadLines::Line& line) {
    constexpr std::size_t no_copies = 0;
    Files files(line, hosts.disk_of(line), TwoHosts::options(no_copies));
    const int fd = files.open("a", {});
    if (line.rank() == 0) {  // at work while it is asked for block 0, until the owner is
      line.spin_until([&] { return owner_was_asked.load(); });
      files.look();
      has_refused = true;
    } else if (line.rank() == 1) {
      require(reads_back(files, fd, 0, block_bytes), "block 0");
    }
    files.close(fd);
  }));
}

TEST_CASE("an error of the owner's is heard by all who wanted the block", "[files]") {
  TwoHosts hosts;
  REQUIRE_NOTHROW(ThreadLines::run(4, [&](ThreadLines::Line& line) {
    Files files(line, hosts.disk_of(line), TwoHosts::options(20));
    const int fd = files.open("a", {});
    hosts.with.fails_to_read = true;
    files.synchronize();
    for (std::uint64_t block = 0; line.rank() != 3 && block < 6; ++block) {
      const std::string error = error_of([&] { (void)reads_back(files, fd, block * block_bytes, block_bytes); });
      require(error.starts_with("5 a: cannot be read"), error);
    }
    files.synchronize();
    hosts.with.fails_to_read = false;
    files.synchronize();
    require(reads_all(files, fd, block_bytes), "all bytes");
    files.close(fd);
  }));
}

TEST_CASE("blocks of two owners that could not be read at once can be read later", "[files]") {
  FakeDisk with;
  FakeDisk without;
  without.folder_there = false;
  with.put("a", bytes_from(0, blocks * block_bytes));
  REQUIRE_NOTHROW(ThreadLines::run(4, [&](ThreadLines::Line& line) {
    Options options = small_blocks(2 * blocks, 20, false);
    options.hosts = {0, 0, 1, 1};
    Files files(line, line.rank() < 2 ? without : with, options);
    const int fd = files.open("a", {});
    with.fails_to_read = true;
    files.synchronize();
    // Two blocks, one of each owner's, that task 0 fetches for its host: the second error may be there before the
    // first.
    for (std::uint64_t block = 0; line.rank() == 0 && block < blocks; block += 4) {
      const std::string error = error_of([&] { (void)reads_back(files, fd, block * block_bytes, 2 * block_bytes); });
      require(error.starts_with("5 a: cannot be read"), error);
    }
    files.synchronize();
    with.fails_to_read = false;
    files.synchronize();
    require(reads_all(files, fd, block_bytes), "all bytes");
    files.close(fd);
  }));
}
