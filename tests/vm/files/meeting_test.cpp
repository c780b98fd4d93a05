#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "fake_disk.hpp"
#include "small_files.hpp"
#include "support/process.hpp"
#include "thread_line.hpp"
#include "vm/files/files.hpp"
#include "vm/files/note.hpp"

using namespace nasvm;
using namespace nasvm::files;
using namespace nasvm::test;

TEST_CASE("tasks that call different things are told so", "[files]") {
  FakeDisk disk;
  const bool one_host = GENERATE(false, true);
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Options options = small_blocks(3, 2, false);
    options.hosts = hosts_of(2, one_host);
    Files files(line, disk, options);
    const int fd = files.open("a", to_update());
    const std::string error = error_of([&] {
      if (line.rank() == 0) files.flush(fd);
      else files.close(fd);
    });
    require(error == "22 task 1 calls do_close a where task 0 calls do_flush a", error);
    files.close(fd);
    const std::string opened = error_of([&] { files.open("a", line.rank() == 0 ? to_update() : to_write()); });
    require(opened == "22 do_open a: tasks open it with different flags, modes or shares", opened);
  }));
}

TEST_CASE("a file is the same one for all, also where a task has called something else than to open one before",
          "[files]") {
  FakeDisk disk;
  const bool one_host = GENERATE(false, true);
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Options options = small_blocks(8, 2, false);
    options.hosts = hosts_of(2, one_host);
    Files files(line, disk, options);
    const std::string error = error_of([&] {
      if (line.rank() == 0) files.open("a", to_write());
      else files.synchronize();
    });
    require(error == "22 task 1 calls do_gsync where task 0 calls do_open a", error);
    const int first = files.open("a", to_write());
    const int second = files.open("b", to_write());
    if (line.rank() == 0) write_at(files, first, 0, 2 * block_bytes);
    files.close(first);
    files.close(second);
  }));
  CHECK(holds(disk, bytes_from(0, 2 * block_bytes)));
  CHECK(disk.content("b").empty());
}

TEST_CASE("a collective call ends with an error that names who has ended", "[files]") {
  const int leaver = GENERATE(0, 2);
  FakeDisk disk;
  std::atomic<int> told = 0;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(3, 2, false));
    if (line.rank() == leaver) return line.leave();
    const std::string error = error_of([&] { files.open("a", to_update()); });
    require(error == "110 do_open a: task " + std::to_string(leaver) + " has ended", error);
    // Who ends before the other one has called would be missing, too.
    ++told;
    line.wait_elsewhere([&] { return told == 2; });
  }));
}

TEST_CASE("who has ended its part while files are open is named by all others, in every call, and by readers",
          "[files]") {
  const int leaver = GENERATE(0, 2);
  FakeDisk disk;
  disk.put("a", bytes_from(0, 3 * block_bytes));
  std::atomic<int> told = 0;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    const std::string ended = "task " + std::to_string(leaver) + " has ended";
    {
      Files files(line, disk, small_blocks(3, 2, false));
      const int fd = files.open("a", to_update());
      if (line.rank() != leaver) {
        require(error_of([&] { files.flush(fd); }) == "110 do_flush a: " + ended, "flush");
        require(error_of([&] { files.close(fd); }) == "110 do_close a: " + ended, "close");
        const auto block = static_cast<std::uint64_t>(leaver) * block_bytes;
        require(error_of([&] { (void)reads_back(files, fd, block, 10); }).starts_with("5 a: task "), "read");
        ++told;
        line.wait_elsewhere([&] { return told == 2; });
      }
    }
  }));
}

TEST_CASE("what is written to blocks of a task that has ended its part is told by the next writes", "[files]") {
  const int leaver = GENERATE(0, 2);
  FakeDisk disk;
  std::atomic<int> told = 0;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(3, 2, false));
    const int fd = files.open("a", to_update());
    if (line.rank() == leaver) return;
    // The news may come after the outcome of this.
    (void)error_of([&] { files.flush(fd); });
    const std::string error = error_of([&] {
      auto block = static_cast<std::uint64_t>(leaver);
      for (Deadline deadline; !deadline.passed(); block += 3) {
        files.look();
        files.seek(fd, static_cast<std::int64_t>(block * block_bytes), Files::Whence::set);
        (void)files.write(fd, bytes_from(block * block_bytes, 3000));
      }
    });
    require(error == "5 a: task " + std::to_string(leaver) + ", which has a part of it, has ended", error);
    ++told;
    line.wait_elsewhere([&] { return told == 2; });
  }));
}

TEST_CASE("who ends its part after task 0 has is named as well, and at once by those who know", "[files]") {
  FakeDisk disk;
  disk.put("a", bytes_from(0, 3 * block_bytes));
  std::atomic<int> opened = 0;
  std::atomic<int> ended = 0;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    {
      Files files(line, disk, small_blocks(3, 2, false));
      const int fd = files.open("a", to_update());
      ++opened;
      line.wait_elsewhere([&] { return opened == 3; });
      if (line.rank() == 1) line.spin_until([&] { return ended == 1; });
      if (line.rank() == 2) {
        line.spin_until([&] { return ended == 2; });
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < 1000; ++i) {
          const std::string error = error_of([&] { (void)reads_back(files, fd, block_bytes, 10); });
          require(error == "5 a: task 1, which has a part of it, has ended", error);
        }
        require(std::chrono::steady_clock::now() - begin < std::chrono::seconds(500), "at once");
      }
    }
    ++ended;
  }));
}

TEST_CASE("the end of an earlier part of a task is not taken for that of the next one", "[files]") {
  FakeDisk disk;
  std::atomic<int> ended = 0;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    for (int part = 0; part < 20; ++part) {
      {
        Files files(line, disk, small_blocks(3, 2, false));
        files.close(files.open("a", to_update()));
      }
      ++ended;
      line.spin_until([&] { return ended >= 3 * (part + 1); });
    }
  }));
}

TEST_CASE("who comes to the next session while task 0 is in the last one still is heard of again", "[files]") {
  FakeDisk disk;
  std::atomic<bool> serves = false;
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    {
      Files files(line, disk, small_blocks(2, 2, false));
      files.close(files.open("a", to_update()));
      if (line.rank() == 0) {
        serves = true;
        line.serve_at_work(2);  // that the other's part has ended, and that it has come to do_nio
      } else {
        line.spin_until([&] { return serves.load(); });
      }
    }
    Files files(line, disk, small_blocks(2, 2, false));
    files.close(files.open("a", to_update()));
  }));
}

TEST_CASE("a collective call ends with an error that names who waits elsewhere", "[files]") {
  const int elsewhere = GENERATE(0, 1);
  FakeDisk disk;
  std::atomic<bool> told = false;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(3, 2, false));
    const std::string expected = "110 do_open a: task " + std::to_string(elsewhere) + " waits in another call";
    if (line.rank() == elsewhere) {
      line.wait_elsewhere([&] { return told.load(); });
    } else {
      const auto begin = std::chrono::steady_clock::now();
      const std::string error = error_of([&] { files.open("a", to_update()); });
      require(error == expected, error);
      require(std::chrono::steady_clock::now() - begin > Absence::patience, "it was given time");
      if (line.rank() == 2) told = true;
    }
    // Who comes too late hears of it, and then all are in step again.
    if (line.rank() == elsewhere) require(error_of([&] { files.open("a", to_update()); }) == expected, "late");
    files.close(files.open("b", to_update()));
  }));
}

TEST_CASE("who worked when it was asked for, and waits elsewhere since, is named", "[files]") {
  FakeDisk disk;
  std::atomic<bool> told = false;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(3, 2, false));
    if (line.rank() == 1) {
      line.serve_at_work(1);
      line.wait_elsewhere([&] { return told.load(); });
    }
    const std::string error = error_of([&] { files.open("a", to_update()); });
    require(error == "110 do_open a: task 1 waits in another call", error);
    told = true;
    files.close(files.open("b", to_update()));  // task 0 has to be there for who comes late
  }));
}

TEST_CASE("who has one long read, and gets answers, is not found in one and the same call", "[files]") {
  constexpr std::size_t blocks = 6;
  FakeDisk disk;
  disk.put("a", bytes_from(0, blocks * block_bytes));
  std::atomic<std::size_t> loaded = 0;
  std::atomic<std::size_t> looked = 0;
  std::atomic<bool> has_read = false;
  // The owner's disk takes its time: until task 2 knows what task 1 does.
  disk.before_read = [&] {
    const std::size_t number = ++loaded;
    (void)eventually([&] { return looked >= number; });
  };
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Options options = small_blocks(blocks, 0, false);
    options.owners = Owners::listed;
    options.owner_list = {0};
    options.prefetch = false;
    Files files(line, disk, options);
    const int fd = files.open("a", to_update());
    if (line.rank() == 0) {
      line.wait_elsewhere([&] { return has_read.load(); });
    } else if (line.rank() == 1) {
      require(reads_back(files, fd, 0, blocks * block_bytes), "all bytes");
      has_read = true;
    } else {
      std::vector<std::uint64_t> calls;
      line.listen([&](int, std::span<const std::byte> message) {
        const Note note = decode(message);
        if (note.kind == Kind::waiting) calls.push_back(note.bytes);
      });
      for (std::size_t block = 1; block <= blocks; ++block) {
        line.spin_until([&] { return loaded >= block; });
        line.post(1, encode({.kind = Kind::where}));
        line.wait_elsewhere([&] { return calls.size() == block; });
        looked = block;
      }
      line.listen({});
      require(std::ranges::adjacent_find(calls, std::greater_equal<>()) == calls.end(), "each time in another one");
    }
  }));
}

TEST_CASE("who computes is waited for, and so is who waits for it", "[files]") {
  using namespace std::chrono_literals;
  Absence absence;
  const TimePoint begin{};
  const std::vector<int> missing{1, 2};
  for (int second = 0; second < 100; ++second) {
    const TimePoint now = begin + std::chrono::seconds(second);
    if (absence.ask(1, now)) absence.hear(1, 4, now);  // waits in its fourth call
    CHECK(absence.ask(2, now) == (second == 0));       // computes: no answer
    CHECK(absence.verdict(missing).empty());
  }
  absence.hear(2, 1, begin + 100s);
  CHECK(absence.verdict(missing).empty());
  for (int second = 101; second < 105; ++second) {
    const TimePoint now = begin + std::chrono::seconds(second);
    CHECK(absence.ask(2, now));
    absence.hear(2, static_cast<std::uint64_t>(second), now);  // in other calls each time
    CHECK(absence.verdict(missing).empty());
  }
  for (int second = 105; second < 109; ++second) {
    CHECK(absence.verdict(missing).empty());
    const TimePoint now = begin + std::chrono::seconds(second);
    CHECK(absence.ask(2, now));
    absence.hear(2, 104, now);
  }
  CHECK(absence.verdict(missing) == "tasks 1, 2 wait in other calls");
  absence.hear_working(2);  // as one with a thread says
  CHECK(absence.verdict(missing).empty());
  for (int second = 109; second < 114; ++second) {
    CHECK(absence.verdict(missing).empty());
    const TimePoint now = begin + std::chrono::seconds(second);
    CHECK(absence.ask(2, now));
    absence.hear(2, 104, now);
  }
  CHECK(absence.verdict(missing) == "tasks 1, 2 wait in other calls");
  absence.lose(1);
  CHECK(absence.verdict(missing) == "task 1 has ended, task 2 waits in another call");
}
