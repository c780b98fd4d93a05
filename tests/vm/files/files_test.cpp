#include "vm/files/files.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "failing_line.hpp"
#include "fake_disk.hpp"
#include "small_files.hpp"
#include "thread_line.hpp"

using namespace nasvm;
using namespace nasvm::files;
using namespace nasvm::test;

namespace {

/// The appendix program: pencils of records, dealt out one by one, written and read record by record.
void appendix(Files& files, int rank, int tasks, std::size_t pencils, std::size_t pencil_bytes, std::size_t record) {
  const auto each = [&](const auto& visit) {
    for (std::size_t pencil = 0; pencil < pencils; ++pencil) {
      if (static_cast<int>(pencil % static_cast<std::size_t>(tasks)) != rank) continue;
      for (std::size_t at = 0; at < pencil_bytes; at += record) {
        visit(pencil * pencil_bytes + at, std::min(record, pencil_bytes - at));
      }
    }
  };
  int fd = files.open("a", to_write());
  each([&](std::uint64_t position, std::size_t count) { write_at(files, fd, position, count); });
  files.close(fd);
  fd = files.open("a", {});
  if (pencils % 2 == 0) files.preload(fd);
  each([&](std::uint64_t position, std::size_t count) {
    require(reads_back(files, fd, position, count), "record at " + std::to_string(position));
  });
  files.close(fd);
}

}  // namespace

TEST_CASE("the appendix program reads what it has written", "[files]") {
  const int tasks = GENERATE(1, 2, 3, 5, 17);
  const std::size_t disk_blocks = GENERATE(1, 4, 1000);
  const std::size_t data_blocks = GENERATE(0, 1, 32);
  const bool share = GENERATE(false, true);
  const bool one_host = GENERATE(false, true);
  INFO(tasks << " tasks, " << disk_blocks << " blocks, " << data_blocks << " copies, shared " << share);
  FakeDisk disk;
  constexpr std::size_t pencils = 60;
  constexpr std::size_t pencil_bytes = 1250;
  REQUIRE_NOTHROW(ThreadLines::run(tasks, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(disk_blocks, data_blocks, share, hosts_of(tasks, one_host)));
    appendix(files, line.rank(), tasks, pencils, pencil_bytes, 50);
  }));
  CHECK(holds(disk, bytes_from(0, pencils * pencil_bytes)));
}

TEST_CASE("pieces at equal distances of a file that others own are fetched together", "[files]") {
  const std::vector<int> owners = GENERATE(std::vector<int>{0}, std::vector<int>{0, 1});
  const std::size_t per_access = GENERATE(25, 100);
  FakeDisk disk;
  constexpr std::size_t count = 64 * block_bytes + 50;
  constexpr std::size_t piece = 100;
  constexpr std::size_t distance = 700;
  REQUIRE_NOTHROW(ThreadLines::run(4, [&](ThreadLines::Line& line) {
    Options options = small_blocks(100, 8, false);
    options.owners = Owners::listed;
    options.owner_list = owners;
    Files files(line, disk, options);
    int fd = files.open("a", to_write());
    if (line.rank() == 3) write_at(files, fd, 0, count);
    files.close(fd);
    fd = files.open("a", {});
    const auto read_pieces = [&](std::size_t from, std::size_t to) {
      for (std::size_t begin = from; begin + piece <= to; begin += distance) {
        for (std::size_t at = begin; at < begin + piece; at += per_access) {
          require(reads_back(files, fd, at, per_access), "piece at " + std::to_string(at));
        }
      }
    };
    const bool asks = line.rank() >= 2;
    const auto before = files.counters().questions;
    read_pieces(static_cast<std::size_t>(line.rank()) * piece, count);
    const auto asked = files.counters().questions - before;
    // A block has six of them; the file has 64 blocks.
    if (asks) require(asked > 0 && asked < 24, "questions: " + std::to_string(asked));
    // The pattern is left in the midst of a run, across the end of one, and taken up again.
    require(reads_back(files, fd, 10 * block_bytes - 7, 3 * block_bytes), "all of some blocks");
    read_pieces(20 * block_bytes + 33, 50 * block_bytes);
    require(reads_back(files, fd, 33, 1), "another place");
    require(reads_back(files, fd, 51 * block_bytes, 2 * piece), "more than a piece");
    files.close(fd);
  }));
}

TEST_CASE("pieces that could not be fetched together are an error where they are read, and not for ever", "[files]") {
  FakeDisk disk;
  constexpr std::size_t count = 512 * block_bytes;
  constexpr std::size_t piece = 1000;
  constexpr std::size_t distance = 3000;
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Options options = small_blocks(1, 8, false);
    options.owners = Owners::listed;
    options.owner_list = {0};
    Files files(line, disk, options);
    int fd = files.open("a", to_write());
    if (line.rank() == 0) write_at(files, fd, 0, count);
    files.close(fd);
    fd = files.open("a", {});
    int errors = 0;
    for (std::size_t at = 0; line.rank() == 1 && at + piece <= count; at += distance) {
      if (at == 30 * distance) disk.fails_to_read = true;
      const std::string error = error_of([&] { require(reads_back(files, fd, at, piece), "a piece"); });
      if (error == "none") continue;
      require(error.starts_with("5 a: cannot be read"), error);
      ++errors;
      disk.fails_to_read = false;
      require(reads_back(files, fd, at, piece), "the same piece again");
    }
    if (line.rank() == 1) require(errors == 1, "errors: " + std::to_string(errors));
    files.close(fd);
  }));
}

TEST_CASE("long accesses go over many blocks", "[files]") {
  const bool share = GENERATE(false, true);
  FakeDisk disk;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(8, 4, share));
    const int fd = files.open("a", to_update());
    constexpr std::size_t count = 100 * block_bytes + 17;
    write_at(files, fd, static_cast<std::uint64_t>(line.rank()) * count, count);
    require(reads_back(files, fd, static_cast<std::uint64_t>(line.rank()) * count, count), "its own");
    files.synchronize();
    require(reads_back(files, fd, static_cast<std::uint64_t>((line.rank() + 1) % 3) * count, count), "another's");
    files.close(fd);
  }));
}

TEST_CASE("random reads and writes are those of a plain file", "[files]") {
  const int tasks = GENERATE(1, 2, 4);
  const std::size_t disk_blocks = GENERATE(1, 3, 100);
  const bool share = GENERATE(false, true);
  FakeDisk disk;
  disk.in_memory = GENERATE(false, true);
  constexpr std::size_t part = 10 * block_bytes + 1000;  // of each task, so that blocks are common to two
  REQUIRE_NOTHROW(ThreadLines::run(tasks, [&](ThreadLines::Line& line) {
    Options options = small_blocks(disk_blocks, 2, share);
    options.hosts.assign(static_cast<std::size_t>(tasks), 7);
    options.straight_bytes = 1;
    Files files(line, disk, options);
    const int fd = files.open("a", to_update());
    std::vector<std::byte> plain(part * static_cast<std::size_t>(tasks));
    std::mt19937 random(static_cast<unsigned>(line.rank()));
    const auto below = [&](std::size_t limit) {
      return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
    };
    const std::size_t begin = part * static_cast<std::size_t>(line.rank());
    std::size_t end = 0;
    for (int step = 0; step < 2000; ++step) {
      const std::size_t at = begin + below(part);
      std::size_t count = 1 + below(below(4) == 0 ? part : 40);
      count = std::min(count, begin + part - at);
      files.seek(fd, static_cast<std::int64_t>(at), Files::Whence::set);
      if (below(2) == 0) {
        const std::vector<std::byte> data(count, static_cast<std::byte>(below(256)));
        require(files.write(fd, data) == count, "written");
        std::copy(data.begin(), data.end(), plain.begin() + static_cast<std::ptrdiff_t>(at));
        end = std::max(end, at + count);
      } else if (at + count <= end) {
        std::vector<std::byte> data(count);
        files.read(fd, data);
        require(std::equal(data.begin(), data.end(), plain.begin() + static_cast<std::ptrdiff_t>(at)),
                "read at step " + std::to_string(step));
      }
      if (step % 500 == 499) files.flush(fd);
    }
    files.close(fd);
  }));
}

namespace {

/// Of tasks on one host, with a page cache that has all or nothing.
Options on_one_host(int tasks) {
  Options options = small_blocks(100, 4, true);
  options.hosts.assign(static_cast<std::size_t>(tasks), 0);
  return options;
}

}  // namespace

TEST_CASE("long reads on one host come straight from memory, short ones from the cache", "[files]") {
  FakeDisk disk;
  disk.in_memory = true;
  disk.put("a", bytes_from(0, 20 * block_bytes));
  const bool update = GENERATE(false, true);
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Files files(line, disk, on_one_host(3));
    const int fd = files.open("a", update ? to_update() : Files::Opening{});
    for (std::size_t at = 0; at < 10 * block_bytes; at += 600) require(reads_back(files, fd, at, 512), "long");
    require(files.counters().straight == (10 * block_bytes + 599) / 600, "all of them straight");
    require(files.counters().disk.reads == 0, "nothing is loaded");
    files.synchronize();  // others may load from here on
    require(reads_back(files, fd, 15 * block_bytes, 511), "short");
    require(files.counters().straight == (10 * block_bytes + 599) / 600, "not the short one");
    files.synchronize();
    const auto before = files.counters().straight;
    require(reads_back(files, fd, 15 * block_bytes, 1000), "long, of a block that is cached");
    require(files.counters().straight == before, "cached");
    files.close(fd);
  }));
}

TEST_CASE("of a file that is written to, long reads are what was written", "[files]") {
  FakeDisk disk;
  disk.in_memory = true;
  disk.put("a", std::vector<std::byte>(9 * block_bytes));
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Options options = on_one_host(3);
    options.straight_bytes = 600 / used_room_factor;
    Files files(line, disk, options);
    const int fd = files.open("a", to_update());
    const auto straight_reads = [&](std::uint64_t at) {
      const auto before = files.counters().straight;
      require(reads_back(files, fd, at, 600), "at " + std::to_string(at));
      return files.counters().straight - before;
    };
    if (line.rank() == 1) {
      write_at(files, fd, 0, 3 * block_bytes);
      require(straight_reads(100) == 0, "its own, not given away yet");
    }
    files.synchronize();
    require(straight_reads(block_bytes + 100) == 0, "in the owner's cache only");
    files.flush(fd);
    require(straight_reads(100) == 0, "on disk, and in a cache");
    files.set_cache_sizes(0, block_bytes);
    files.synchronize();
    require(straight_reads((static_cast<std::uint64_t>(line.rank()) + 2) % 3 * block_bytes + 100) <= 1, "either");
    if (line.rank() == 2) write_at(files, fd, 3 * block_bytes, 6 * block_bytes);
    files.flush(fd);
    require(straight_reads(4 * block_bytes) == 1, "on disk, and only there");
    files.close(fd);
  }));
  CHECK(disk.content("a") == bytes_from(0, 9 * block_bytes));
}

TEST_CASE("with memory ready for blocks, only longer reads come straight, and less so where tasks share cores",
          "[files]") {
  struct Lengths {
    bool crowded;
    std::size_t through_cache, straight;
  };
  const auto lengths = GENERATE(Lengths{false, 512, 4096}, Lengths{true, 1023, 1024});
  FakeDisk disk;
  disk.in_memory = true;
  REQUIRE_NOTHROW(ThreadLines::run(1, [&](ThreadLines::Line& line) {
    Options options = on_one_host(1);
    options.crowded = lengths.crowded;
    Files files(line, disk, options);
    int fd = files.open("a", to_write());
    write_at(files, fd, 0, 20 * block_bytes);
    files.close(fd);
    fd = files.open("a", {});
    require(reads_back(files, fd, 0, lengths.through_cache), "what is long for new memory");
    require(files.counters().straight == 0, "is not");
    require(reads_back(files, fd, 5 * block_bytes, lengths.straight), "longer");
    require(files.counters().straight == 1, "is");
    files.close(fd);
  }));
}

TEST_CASE("owners on another host are asked, whatever this one's memory has", "[files]") {
  FakeDisk disk;
  disk.in_memory = true;
  disk.put("a", bytes_from(0, 20 * block_bytes));
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Options options = on_one_host(3);
    options.hosts = {0, 0, 1};
    Files files(line, disk, options);
    const int fd = files.open("a", {});
    for (std::size_t at = 0; at < 20 * block_bytes - 600; at += 600) require(reads_back(files, fd, at, 600), "all");
    files.close(fd);
    require(files.counters().straight == 0, "none");
  }));
  CHECK(disk.looks_in_memory == 0);
}

TEST_CASE("who does not find a file in memory looks there less and less often", "[files]") {
  FakeDisk disk;
  disk.put("a", bytes_from(0, 1000 * block_bytes));
  REQUIRE_NOTHROW(ThreadLines::run(1, [&](ThreadLines::Line& line) {
    Files files(line, disk, on_one_host(1));
    const int fd = files.open("a", {});
    for (std::size_t block = 0; block < 1000; ++block) {
      require(reads_back(files, fd, block * block_bytes + 1, 600), "cold");
    }
    files.close(fd);
  }));
  CHECK(disk.looks_in_memory < 20);
}

TEST_CASE("gaps read as zero", "[files]") {
  FakeDisk disk;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(4, 4, false));
    const int fd = files.open("a", to_update());
    if (line.rank() == 1) write_at(files, fd, 5 * block_bytes + 3, 5);
    files.flush(fd);
    require(files.seek(fd, 0, Files::Whence::end) == 5 * block_bytes + 8, "size");
    std::vector<std::byte> bytes(5 * block_bytes + 8, std::byte{1});
    files.seek(fd, 0, Files::Whence::set);
    files.read(fd, bytes);
    require(std::all_of(bytes.begin(), bytes.end() - 5, [](std::byte byte) { return byte == std::byte{0}; }), "zero");
    require(std::equal(bytes.end() - 5, bytes.end(), bytes_from(5 * block_bytes + 3, 5).begin()), "the end");
    files.close(fd);
  }));
}

TEST_CASE("errors have the system's codes and name the file", "[files]") {
  FakeDisk disk;
  const bool one_host = GENERATE(false, true);
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(4, 4, false, hosts_of(2, one_host)));
    std::vector<std::byte> bytes(10);
    require(error_of([&] { files.open("none", {}); }).starts_with("2 none: cannot be opened"), "no such file");
    const int fd = files.open("a", to_write());
    require(error_of([&] { files.read(fd, bytes); }) == "9 a: is open for writing only", "write only");
    write_at(files, fd, 0, 10);
    files.close(fd);
    require(error_of([&] { files.write(fd, bytes); }) == "9 no file is open as 0", "closed");
    const int again = files.open("a", {});
    require(error_of([&] { files.write(again, bytes); }) == "9 a: is open for reading only", "read only");
    files.read(again, bytes);
    require(error_of([&] { files.read(again, bytes); }) == "61 a: 10 bytes from 10 on cannot be read: it has 10",
            "end");
    require(error_of([&] { files.reserve(again, 10); }) == "9 a: is open for reading only", "reserve");
    require(error_of([&] { files.seek(again, -1, Files::Whence::set); }).starts_with("22 a: "), "negative");
    require(files.seek(again, -4, Files::Whence::end) == 6 && files.seek(again, 2, Files::Whence::current) == 8,
            "seek");
    require(error_of([&] { files.open("a", to_update()); }).starts_with("16 a: "), "a second time");
    require(error_of([&] {
              files.open("a", {.access = Access::write, .create = true, .exclusive = true});
            }).starts_with("17 a: "),
            "exclusive");
    require(error_of([&] { files.set_cache_sizes(0, 100); }).starts_with("22 "), "cache");
    require(error_of([&] { files.set_cache_sizes(100, block_bytes); }) ==
                "22 a data cache of 100 bytes does not hold a block of 4096 (0: none)",
            "copies");
    require(error_of([&] { files.set_cache_sizes(0, std::size_t{1} << 49); }).starts_with("12 562949953421312 bytes"),
            "more than there is");
    files.close(again);
  }));
}

TEST_CASE("after a read that has failed in its midst, what is read is the file's", "[files]") {
  FakeDisk disk;
  disk.put("a", bytes_from(0, 2 * block_bytes));
  int loads = 0;
  disk.before_read = [&] { disk.fails_to_read = ++loads == 2; };
  REQUIRE_NOTHROW(ThreadLines::run(1, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(1, 0, false));
    const int fd = files.open("a", {});
    // Block 1 was to come into the only frame, in place of block 0.
    const std::string error = error_of([&] { (void)reads_back(files, fd, 0, 2 * block_bytes); });
    require(error.starts_with("5 a: cannot be read"), error);
    require(reads_back(files, fd, 0, 10), "block 0 again");
    files.close(fd);
  }));
}

TEST_CASE("nothing comes into the buffer of a read that has failed", "[files]") {
  FakeDisk disk;
  disk.put("a", bytes_from(0, 3 * block_bytes));
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& of_task) {
    FailingLine line(of_task);
    Options options = small_blocks(3, 0, false);
    options.owners = Owners::listed;
    options.owner_list = {0};
    options.prefetch = false;
    Files files(line, disk, options);
    const int fd = files.open("a", {});
    if (line.rank() == 1) {
      const std::vector<std::byte> zeros(block_bytes);
      std::vector<std::byte> buffer = zeros;
      line.fail_after(Kind::read, 1);
      require(fails_otherwise([&] { files.read(fd, buffer); }), "the wait for its answer");
      // The answer to this one comes behind the other's.
      require(reads_back(files, fd, 2 * block_bytes, 10), "another block");
      require(buffer == zeros, "the buffer is as it was");
    }
    files.close(fd);
  }));
}

TEST_CASE("what a flush or a close has said to be done survives a crash", "[files]") {
  FakeDisk disk;
  constexpr std::size_t count = 7 * block_bytes + 11;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(2, 2, false));
    const int fd = files.open("a", to_update());
    write_at(files, fd, static_cast<std::uint64_t>(line.rank()) * count, count);
    files.flush(fd);
    require(disk.after_crash("a") == bytes_from(0, 3 * count), "after flush");
    files.synchronize();
    write_at(files, fd, static_cast<std::uint64_t>(line.rank() + 3) * count, count);
    files.close(fd);
    require(disk.after_crash("a") == bytes_from(0, 6 * count), "after close");
  }));
}

TEST_CASE("one task of each host brings its part to disk", "[files]") {
  FakeDisk disk;
  REQUIRE_NOTHROW(ThreadLines::run(4, [&](ThreadLines::Line& line) {
    auto options = small_blocks(2, 2, false);
    options.hosts = {1, 2, 1, 2};
    Files files(line, disk, options);
    const int fd = files.open("a", to_write());
    write_at(files, fd, static_cast<std::uint64_t>(line.rank()) * block_bytes, block_bytes);
    files.close(fd);
  }));
  CHECK(disk.syncs == 2);
}

TEST_CASE("a full disk is told by all tasks, and the rest is written", "[files]") {
  FakeDisk disk;
  disk.room = 2 * block_bytes;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(10, 2, false));
    const int fd = files.open("a", to_write());
    write_at(files, fd, static_cast<std::uint64_t>(line.rank()) * block_bytes, block_bytes);
    const std::string error = error_of([&] { files.flush(fd); });
    require(error.starts_with("28 a: cannot be written"), "flush: " + error);
    files.synchronize();
    if (line.rank() == 0) disk.room = UINT64_MAX;
    files.synchronize();
    files.close(fd);  // what had no room is there now
  }));
  CHECK(holds(disk, bytes_from(0, 3 * block_bytes)));
}

TEST_CASE("what could not be brought to disk is never said to be there", "[files]") {
  FakeDisk disk;
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(10, 2, false));
    const int fd = files.open("a", to_write());
    write_at(files, fd, static_cast<std::uint64_t>(line.rank()) * block_bytes, block_bytes);
    files.synchronize();
    if (line.rank() == 0) disk.fails_to_sync = true;
    files.synchronize();
    require(error_of([&] { files.flush(fd); }).starts_with("5 a: cannot be brought to disk"), "flush");
    files.synchronize();
    if (line.rank() == 0) disk.fails_to_sync = false;
    files.synchronize();
    require(error_of([&] { files.flush(fd); }).starts_with("5 a: cannot be brought to disk"), "flush again");
    require(error_of([&] { files.close(fd); }).starts_with("5 a: cannot be brought to disk"), "close");
  }));
}

TEST_CASE("a file that does not get its size when it is closed is told by all tasks", "[files]") {
  FakeDisk disk;
  disk.fails_to_resize = true;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(4, 2, false));
    const int fd = files.open("a", to_update());
    files.reserve(fd, 10 * block_bytes);
    write_at(files, fd, static_cast<std::uint64_t>(line.rank()) * block_bytes, block_bytes);
    files.flush(fd);
    const std::string error = error_of([&] { files.close(fd); });
    require(error.starts_with("5 a: cannot be given a size"), error);
    require(error_of([&] { files.close(fd); }).starts_with("9 "), "closed all the same");
  }));
  CHECK(holds(disk, bytes_from(0, 3 * block_bytes)));
}

TEST_CASE("a write that finds the disk full is told to who has written", "[files]") {
  FakeDisk disk;
  disk.room = 0;
  std::atomic<int> told = 0;
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(1, 2, false));
    const int fd = files.open("a", to_write());
    const std::string error = error_of([&] {
      if (line.rank() != 1) return;
      for (int block = 0; block < 1000; ++block) {
        files.write(fd, bytes_from(0, block_bytes));
        files.look();
      }
    });
    if (error.starts_with("28 a: ")) ++told;
    require(error_of([&] { files.close(fd); }).starts_with("28 a: "), "close");
    require(error_of([&] { files.close(fd); }).starts_with("9 "), "closed all the same");
  }));
  CHECK(told == 1);
}

TEST_CASE("what got lost is told by each flush from then on, also where one has ended before all have heard of it",
          "[files]") {
  FakeDisk disk;
  disk.room = 0;
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& of_task) {
    FailingLine line(of_task);
    Options options = small_blocks(1, 0, false);
    options.owners = Owners::listed;
    options.owner_list = {0};
    Files files(line, disk, options);
    const int fd = files.open("a", to_write());
    const auto flush = [&] { files.flush(fd); };
    if (line.rank() == 1) {
      write_at(files, fd, 0, 2 * block_bytes);  // the owner has room for one block, and cannot bring it to disk
      line.fail_after(Kind::arrive, 2);
      require(fails_otherwise(flush), "the second meeting of a flush");
    }
    const std::string apart = error_of(flush);  // task 0 is in the third one of its first flush
    require(apart.starts_with("22 task 1 calls do_flush a"), apart);
    if (line.rank() == 0) disk.room = UINT64_MAX;
    const std::string told = error_of(flush);
    require(told == "28 a: cannot be written: No space left on device", told);
    require(error_of(flush) == told, "and again: it is not on disk");
    require(error_of([&] { files.close(fd); }) == told, "and at last");
    files.close(files.open("a", to_update()));
  }));
}

TEST_CASE("what got lost is told by whatever would say that all can read it, until the file is closed", "[files]") {
  FakeDisk disk;
  disk.room = 0;
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Options options = small_blocks(1, 0, false);
    options.owners = Owners::listed;
    options.owner_list = {0};
    Files files(line, disk, options);
    const int fd = files.open("a", to_write());
    const int other = files.open("b", to_write());
    const std::string lost = "28 a: cannot be written: No space left on device";
    if (line.rank() == 1) write_at(files, fd, 0, 2 * block_bytes);  // the owner has room for one block
    require(error_of([&] { files.synchronize(); }) == lost, "do_gsync");
    if (line.rank() == 0) disk.room = UINT64_MAX;
    require(error_of([&] { files.preload(other); }) == lost, "do_preload");
    if (line.rank() == 1) require(error_of([&] { write_at(files, fd, 0, 1); }) == lost, "do_write");
    files.flush(other);
    require(error_of([&] { files.flush(fd); }) == lost, "do_flush");
    require(error_of([&] { files.close(fd); }) == lost, "do_close");
    files.synchronize();
    files.close(other);
  }));
}

TEST_CASE("a file that nobody can open is refused with the number and the words of task 0", "[files]") {
  FakeDisk of_task_0;
  FakeDisk of_others;
  of_task_0.folder_there = of_others.folder_there = false;
  of_task_0.refuses_with = EACCES;
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Files files(line, line.rank() == 0 ? of_task_0 : of_others, small_blocks(3, 2, false));
    const std::string error = error_of([&] { files.open("a", to_write()); });
    require(error == "13 a: cannot be opened: Permission denied", error);
  }));
}

TEST_CASE("hosts that cannot open a file use those that can", "[files]") {
  FakeDisk with;
  FakeDisk without;
  without.folder_there = false;
  const int first = GENERATE(0, 1);
  const bool one_host = GENERATE(false, true);
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    FakeDisk& own = line.rank() == first ? without : with;
    Files files(line, own, small_blocks(3, 2, false, hosts_of(3, one_host)));
    appendix(files, line.rank(), 3, 20, 1000, 40);
  }));
  CHECK(holds(with, bytes_from(0, 20000)));
}

TEST_CASE("tasks of one host open a file that is there in two meetings, those of several in four", "[files]") {
  const bool one_host = GENERATE(false, true);
  const bool cuts = GENERATE(false, true);
  FakeDisk disk;
  disk.put("a", bytes_from(0, 3 * block_bytes));
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(3, 2, false, hosts_of(3, one_host)));
    const int before = line.posted();
    const int fd = files.open("a", cuts ? to_write() : Files::Opening{});
    const int posted = line.posted() - before;
    if (line.rank() == 1) require(posted == (one_host ? 2 : 4), std::to_string(posted) + " messages of task 1");
    require(files.seek(fd, 0, Files::Whence::end) == (cuts ? 0 : 3 * block_bytes), "size");
    files.close(fd);
  }));
  CHECK(disk.content("a").size() == (cuts ? 0 : 3 * block_bytes));
}

TEST_CASE("a file that is open elsewhere is neither opened nor cut", "[files]") {
  const bool one_host = GENERATE(false, true);
  FakeDisk disk;
  disk.put("a", bytes_from(0, 100));
  const auto elsewhere = disk.open("a", {});
  elsewhere->lock(Access::read);
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(3, 2, false, hosts_of(2, one_host)));
    require(error_of([&] { files.open("a", to_write()); }).starts_with("16 a: "), "busy");
    files.close(files.open("a", {}));  // readers share it
  }));
  CHECK(holds(disk, bytes_from(0, 100)));
}

TEST_CASE("a file of the same name on another disk is not taken for the same", "[files]") {
  FakeDisk one;
  FakeDisk other;
  one.put("a", {});
  other.put("something else", {});
  other.put("a", bytes_from(5, 20000));
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Files files(line, line.rank() == 0 ? one : other, small_blocks(3, 2, false));
    int fd = files.open("a", to_update());
    if (line.rank() == 1) write_at(files, fd, 0, 20000);
    files.close(fd);
  }));
  CHECK(holds(other, bytes_from(5, 20000)));
  CHECK(holds(one, bytes_from(0, 20000)));
}

TEST_CASE("a file of the same name, number and size that was written at another time is another one", "[files]") {
  const bool one_host = GENERATE(false, true);
  constexpr std::size_t bytes = 4 * block_bytes;
  FakeDisk one;
  FakeDisk other;
  one.put("a", std::vector<std::byte>(bytes), 1);
  other.put("a", std::vector<std::byte>(bytes), 2);
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Files files(line, line.rank() == 0 ? one : other, small_blocks(3, 2, false, hosts_of(2, one_host)));
    const int fd = files.open("a", to_update());
    if (line.rank() == 1) write_at(files, fd, 0, bytes);
    files.close(fd);
  }));
  CHECK(holds(one, bytes_from(0, bytes)));
  CHECK(holds(other, std::vector<std::byte>(bytes)));
}

TEST_CASE("a task that has no memory for its cache, or had trouble before, is told by all that begin", "[files]") {
  const bool had_trouble = GENERATE(false, true);
  FakeDisk disk;
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Options options = small_blocks(3, 2, false);
    std::optional<FileError> trouble;
    if (line.rank() == 1 && had_trouble) trouble.emplace(EINVAL, "parameters");
    if (line.rank() == 1 && !had_trouble) {
      options.block_bytes = std::size_t{1} << 30;
      options.disk_bytes = std::size_t{1} << 49;  // more than addresses
    }
    const std::string error = error_of([&] { const Files files(line, disk, options, trouble); });
    require(had_trouble ? error == "22 parameters" : error.starts_with("12 "), error);
    // And all are in step.
    Files files(line, disk, small_blocks(3, 2, false));
    files.close(files.open("a", to_update()));
  }));
}

TEST_CASE("owners are all tasks, one for each host, or those of a list", "[files]") {
  const auto owners = GENERATE(Owners::all, Owners::one_per_host, Owners::listed);
  FakeDisk disk;
  std::atomic<int> owning = 0;
  REQUIRE_NOTHROW(ThreadLines::run(4, [&](ThreadLines::Line& line) {
    auto options = small_blocks(3, 2, false);
    options.owners = owners;
    options.owner_list = {3};
    options.hosts = {0, 0, 1, 1};
    Files files(line, disk, options);
    appendix(files, line.rank(), 4, 40, 1000, 40);
    if (files.counters().disk.bytes_written > 0) ++owning;
  }));
  CHECK(owning == (owners == Owners::all ? 4 : owners == Owners::one_per_host ? 2 : 1));
  CHECK(holds(disk, bytes_from(0, 40000)));
}

TEST_CASE("small writes to one owner travel together", "[files]") {
  FakeDisk disk;
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(30, 2, false));
    const int fd = files.open("a", to_write());
    for (std::uint64_t at = static_cast<std::uint64_t>(line.rank()) * 32; at < 10 * block_bytes; at += 64) {
      write_at(files, fd, at, 32);
    }
    files.close(fd);
    require(files.counters().batches == 4, std::to_string(files.counters().batches) + " batches");
  }));
  CHECK(holds(disk, bytes_from(0, 10 * block_bytes)));
}

TEST_CASE("reads that follow a pattern are asked for ahead", "[files]") {
  FakeDisk disk;
  disk.put("a", bytes_from(0, 200 * block_bytes));
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(300, 32, false));
    const int fd = files.open("a", {});
    for (std::uint64_t at = 0; at < 200 * block_bytes; at += 1024) require(reads_back(files, fd, at, 100), "bytes");
    files.close(fd);
    require(files.counters().ahead > 90, std::to_string(files.counters().ahead) + " ahead");
  }));
}

TEST_CASE("cache sizes can be changed while files are open", "[files]") {
  FakeDisk disk;
  REQUIRE_NOTHROW(ThreadLines::run(3, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(10, 10, true));
    const int fd = files.open("a", to_update());
    constexpr std::size_t count = 9 * block_bytes;
    write_at(files, fd, static_cast<std::uint64_t>(line.rank()) * count, count);
    for (const std::size_t blocks : {1, 40, 3}) {
      files.set_cache_sizes(blocks * block_bytes, blocks * block_bytes);
      files.preload(fd);
      require(reads_back(files, fd, 0, count), "the first one's");
      require(reads_back(files, fd, static_cast<std::uint64_t>(line.rank()) * count, count), "its own");
    }
    files.close(fd);
  }));
  CHECK(holds(disk, bytes_from(0, 27 * block_bytes)));
}

TEST_CASE("a task without memory for its cache is told by all, which stay in step", "[files]") {
  FakeDisk disk;
  constexpr std::size_t large = std::size_t{1} << 30;
  constexpr std::size_t more_than_addresses = std::size_t{1} << 49;
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Options options = small_blocks(0, 0, false);
    options.block_bytes = options.disk_bytes = large;  // none of which is used
    Files files(line, disk, options);
    const std::string error =
        error_of([&] { files.set_cache_sizes(0, line.rank() == 1 ? more_than_addresses : large); });
    require(error.starts_with("12 ") && error.find("bytes of a file cache") != std::string::npos, error);
    files.synchronize();
    files.set_cache_sizes(0, 2 * large);
  }));
}

TEST_CASE("a task that owns its share of a file writes it without messages, and all can read it", "[files]") {
  const int tasks = GENERATE(1, 2, 3);
  const std::size_t disk_blocks = GENERATE(1, 4, 1000);
  FakeDisk disk;
  constexpr std::size_t share = 5 * block_bytes;
  const auto total = share * static_cast<std::size_t>(tasks) - 100;
  REQUIRE_NOTHROW(ThreadLines::run(tasks, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(disk_blocks, 4, false));
    Files::Opening opening = to_write();
    opening.share_bytes = share - block_bytes + 1;  // whole blocks
    int fd = files.open("a", opening);
    const std::size_t begin = share * static_cast<std::size_t>(line.rank());
    write_at(files, fd, begin, std::min(share, total - begin));
    files.close(fd);
    require(files.counters().batches == 0, "no messages with writes");
    opening = {.share_bytes = share};
    fd = files.open("a", opening);
    files.preload(fd);
    require(reads_back(files, fd, 0, total), "all of it");
    files.close(fd);
  }));
  CHECK(holds(disk, bytes_from(0, total)));
}

TEST_CASE("tasks that say different shares are told so", "[files]") {
  FakeDisk disk;
  REQUIRE_NOTHROW(ThreadLines::run(2, [&](ThreadLines::Line& line) {
    Files files(line, disk, small_blocks(4, 4, false));
    Files::Opening opening = to_write();
    opening.share_bytes = line.rank() == 0 ? block_bytes : 2 * block_bytes;
    require(error_of([&] { files.open("a", opening); }).find("shares") != std::string::npos, "an error");
  }));
}
