#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/commands/io/pattern.hpp"
#include "vm/status.hpp"

using namespace nasvm;

namespace {

constexpr int grid = 7;
constexpr std::uint64_t access_bytes = 48;
constexpr std::uint64_t block_bytes = 20 * access_bytes;

std::unique_ptr<IoPattern> pattern_of(const IoPatternRow& row, int rank, int tasks) {
  return row.make({rank, tasks, grid, access_bytes, block_bytes});
}

/// The whole file as all tasks write it; no byte is written twice.
std::vector<std::byte> written(const IoPatternRow& row, int tasks) {
  std::vector<std::byte> file(pattern_of(row, 0, tasks)->file_bytes());
  std::vector<int> times(file.size());
  for (int rank = 0; rank < tasks; ++rank) {
    pattern_of(row, rank, tasks)->for_each_written([&](std::uint64_t position, std::span<const std::byte> content) {
      REQUIRE(position + content.size() <= file.size());
      std::ranges::copy(content, file.begin() + static_cast<std::ptrdiff_t>(position));
      for (std::size_t i = 0; i < content.size(); ++i) ++times[position + i];
    });
  }
  CHECK(std::ranges::count(times, 1) == static_cast<std::ptrdiff_t>(file.size()));
  return file;
}

}  // namespace

TEST_CASE("io: the tasks of every pattern write each byte of the file once, and read what was written") {
  for (const IoPatternRow& row : io_patterns()) {
    for (const int tasks : {1, 2, 3, 8, 13}) {
      CAPTURE(row.name, tasks);
      const std::vector<std::byte> file = written(row, tasks);
      CHECK(file.size() == (row.name == "elements" ? 32 * grid * grid * grid
                            : row.has_grid         ? 8 * grid * grid * grid
                                                   : block_bytes * static_cast<std::uint64_t>(tasks)));
      std::uint64_t read_bytes = 0;
      for (int rank = 0; rank < tasks; ++rank) {
        pattern_of(row, rank, tasks)->for_each_read([&](std::uint64_t position, std::span<const std::byte> content) {
          CHECK(std::ranges::equal(content, std::span(file).subspan(position, content.size())));
          read_bytes += content.size();
        });
      }
      CHECK(read_bytes == (row.name == "readers" ? static_cast<std::uint64_t>(tasks) : 1) * file.size());
    }
  }
}

TEST_CASE("io: no block of 64 KB of a file of transfers is like another one") {
  const auto pattern = io_pattern("segmented").make({0, 1, 0, 65536, std::uint64_t{4} << 20});
  std::vector<std::vector<std::byte>> blocks;
  pattern->for_each_written([&](std::uint64_t, std::span<const std::byte> content) {
    blocks.emplace_back(content.begin(), content.end());
  });
  std::ranges::sort(blocks);
  CHECK(blocks.size() == 64);
  CHECK(std::ranges::adjacent_find(blocks) == blocks.end());
}

TEST_CASE("io: random accesses are in no order, and the same in every run") {
  const auto positions = [] {
    std::vector<std::uint64_t> list;
    io_pattern("random").make({0, 1, 0, 32, 32 * 100})->for_each_written([&](std::uint64_t position, auto) {
      list.push_back(position);
    });
    return list;
  };
  CHECK_FALSE(std::ranges::is_sorted(positions()));
  CHECK(positions() == positions());
}

TEST_CASE("io: cubes are cut as equally as the number of tasks allows") {
  CHECK(cuts_for(1) == Cuts{1, 1, 1});
  CHECK(cuts_for(7) == Cuts{1, 1, 7});
  CHECK(cuts_for(8) == Cuts{2, 2, 2});
  CHECK(cuts_for(12) == Cuts{2, 2, 3});
  CHECK(cuts_for(16) == Cuts{2, 2, 4});
}

// Numbers with a sign would have the same bits: only the sanitizers can tell.
TEST_CASE("io: the vertices of the largest grid have numbers of 32 bits") {
  constexpr int largest = 1600;
  constexpr std::uint32_t points = largest + 1;
  // One of so many tasks that it has but the last column.
  const auto pattern = io_pattern("elements").make({largest * largest, largest * largest + 1, largest, 0, 0});
  std::vector<std::vector<std::byte>> columns;
  pattern->for_each_written([&](std::uint64_t position, std::span<const std::byte> content) {
    CHECK(position + content.size() == pattern->file_bytes());
    columns.emplace_back(content.begin(), content.end());
  });
  REQUIRE(columns.size() == 1);
  std::array<std::uint32_t, 8> last{};
  const auto bytes = std::as_writable_bytes(std::span(last));
  REQUIRE(columns.front().size() == largest * bytes.size());
  std::ranges::copy(std::span(columns.front()).last(bytes.size()), bytes.begin());
  constexpr std::uint32_t farthest = points * points * points - 1;
  static_assert(std::uint64_t{points} * points * points - 1 == farthest);
  CHECK(last[6] == farthest);
  CHECK(last[0] == farthest - 1 - points - points * points);
}

TEST_CASE("io: an unknown pattern is refused") { CHECK_THROWS_AS(io_pattern("spiral"), UsageError); }
