#include "harness/commands/io/paper/tables.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "harness/commands/io/plan.hpp"
#include "harness/commands/io/record.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::string_view all_tables = "all";
constexpr std::uint64_t kilobyte = 1024;
constexpr std::uint64_t data_bytes = 512 * kilobyte;
constexpr std::uint64_t usual_disk_bytes = 4096 * kilobyte;
constexpr int tasks_of_5_1 = 22;
constexpr int tasks_of_5_2 = 16;

constexpr std::array<PaperLine, 5> lines_5_1{{
    {"edonio", 1024, {3.0, 20.6, 0.7, 1.6, 0.7, 55.6, 0.2}},
    {"edonio", 2048, {1.7, 21.2, 1.5, 1.2, 1.3, 52.7, 0.3}},
    {"edonio", 4096, {1.6, 17.3, 3.2, 2.2, 2.6, 46.2, 0.3}},
    {"edonio", 8192, {1.5, 13.4, 6.2, 1.2, 5.5, 29.4, 0.3}},
    {"edonio", 12288, {1.6, 9.6, 6.6, 2.2, 10.3, 20.3, 1.5}},
}};
constexpr std::array<PaperLine, 3> lines_5_2{{
    {"edonio", 1, {2.2, 3.1, 2.4, 1.3, 1.3, 4.7, 0.2}},
    {"edonio", 0, {1.2, 3.1, 1.8, 0.8, 0.0, 25.3, 0.2}},
    {"posix", 0, {1.4, 38.5, 0.2, 0.7, 0.0, 25.4, 0.2}},
}};
constexpr std::array<PaperLine, 14> lines_5_3{{
    {"edonio", 1, {1.9, 29.1, 0.7, 0.7, 2.5, 44.9, 0.1}},
    {"posix", 1, {1.0, 293.7, 0.1, 0.4, 0, 213.7, 0.1}},
    {"edonio", 2, {1.5, 20.9, 0.6, 0.6, 2.8, 39.5, 0.1}},
    {"posix", 2, {1.0, 187.8, 0.1, 0.5, 0, 83.8, 0.1}},
    {"edonio", 4, {2.0, 13.2, 0.7, 0.6, 2.8, 22.6, 0.1}},
    {"posix", 4, {0.9, 84.2, 0.1, 0.6, 0, 48.9, 0.1}},
    {"edonio", 8, {1.4, 6.4, 1.2, 0.7, 1.9, 8.2, 0.2}},
    {"posix", 8, {0.9, 50.5, 0.1, 0.6, 0, 34.2, 0.1}},
    {"edonio", 16, {1.2, 3.5, 1.1, 1.0, 1.8, 4.3, 0.3}},
    {"posix", 16, {1.5, 26.8, 0.2, 0.7, 0, 17.0, 0.2}},
    {"edonio", 32, {2.0, 2.0, 1.8, 1.3, 1.0, 2.3, 0.4}},
    {"posix", 32, {1.6, 20.5, 0.4, 1.4, 0, 10.0, 0.4}},
    {"edonio", 64, {3.1, 1.3, 2.4, 2.5, 0.9, 1.3, 0.8}},
    {"posix", 64, {2.8, 22.6, 0.7, 3.0, 0, 9.5, 0.9}},
}};
constexpr std::array<PaperLine, 8> lines_5_4{{
    {"edonio", 16, {3.1, 31.3, 1.9, 1.4, 2.2, 84.5, 0.3}},
    {"posix", 16, {1.3, 141.2, 0.2, 0.8, 0, 89.5, 0.2}},
    {"edonio", 32, {3.1, 15.5, 3.2, 1.5, 3.6, 30.1, 0.4}},
    {"posix", 32, {2.1, 122.4, 0.4, 1.3, 0, 49.3, 0.4}},
    {"edonio", 64, {3.0, 5.3, 7.6, 2.5, 7.9, 7.2, 0.8}},
    {"posix", 64, {3.5, 118.6, 0.7, 2.1, 0, 48.0, 0.7}},
    {"edonio", 128, {4.7, 3.0, 10.7, 4.3, 7.7, 4.0, 1.6}},
    {"posix", 128, {4.7, 89.2, 1.5, 3.7, 0, 47.5, 1.4}},
}};
constexpr std::array<PaperLine, 6> lines_5_5{{
    {"edonio", 32, {2.1, 45.9, 5.2, 2.6, 3.4, 119.5, 0.4}},
    {"posix", 32, {1.5, 262.0, 0.4, 2.3, 0, 111.4, 0.3}},
    {"edonio", 64, {2.9, 24.1, 7.3, 2.8, 6.5, 56.7, 0.8}},
    {"posix", 64, {2.8, 218.1, 0.7, 2.2, 0, 108.8, 0.7}},
    {"edonio", 128, {4.9, 14.1, 23.1, 4.6, 15.8, 21.4, 1.5}},
    {"posix", 128, {4.5, 360.3, 1.5, 4.8, 0, 105.2, 1.5}},
}};

/// A task writes a column of elements at a time.
IoSpec case_of(std::string_view method, int grid, int np) {
  return {.method = std::string(method),
          .np = np,
          .grid = grid,
          .access_bytes = 32 * static_cast<std::uint64_t>(grid),
          .data_bytes = data_bytes,
          .disk_bytes = usual_disk_bytes};
}

std::vector<IoSpec> cache_sizes(bool quick) {
  std::vector<IoSpec> cases;
  for (const PaperLine& line : lines_5_1) {
    IoSpec spec = case_of(line.method, quick ? 50 : 200, tasks_of_5_1);
    spec.disk_bytes = kilobyte * static_cast<std::uint64_t>(line.x);
    cases.push_back(spec);
  }
  return cases;
}

/// The paper's grid has 121 x 121 x 91 elements; a cube has 0.1 % less.
std::vector<IoSpec> preloading(bool quick) {
  std::vector<IoSpec> cases;
  for (const PaperLine& line : lines_5_2) {
    cases.push_back(case_of(line.method, quick ? 40 : 110, tasks_of_5_2));
    cases.back().preload = line.x != 0;
  }
  return cases;
}

template <int grid>
std::vector<IoSpec> numbers_of_tasks(bool quick) {
  std::vector<IoSpec> cases;
  for (const int np : quick ? std::vector<int>{1, 4} : std::vector<int>{1, 2, 4, 8, 16}) {
    for (const std::string_view method : {"edonio", "posix"})
      cases.push_back(case_of(method, quick ? grid / 5 : grid, np));
  }
  return cases;
}

int np_of(const IoRecord& record) { return record.np; }
int disk_kilobytes_of(const IoRecord& record) { return static_cast<int>(record.disk_cache_bytes / kilobyte); }
int preload_of(const IoRecord& record) { return record.preload ? 1 : 0; }

}  // namespace

std::span<const PaperTable> paper_tables() {
  static constexpr std::array tables{
      PaperTable{"5.1", "Table 5.1: size of the disk cache, 22 tasks, 200 x 200 x 200 elements, 256 MB",
                 "Performance is best when the disk caches together hold the entire file.", "Cache (KB)",
                 disk_kilobytes_of, lines_5_1, cache_sizes},
      PaperTable{"5.2", "Table 5.2: do_preload, 16 tasks, 121 x 121 x 91 elements (here 110 x 110 x 110), 43 MB",
                 "Filling the disk caches before reading takes most of the time off reading.", "Preload", preload_of,
                 lines_5_2, preloading},
      PaperTable{
          "5.3", "Table 5.3: 100 x 100 x 100 elements, 32 MB, caches of 4 MB",
          "Read and write times decrease with more tasks; nearly ten times faster than NX when caches are large "
          "enough.",
          "NP", np_of, lines_5_3, numbers_of_tasks<100>},
      PaperTable{"5.4", "Table 5.4: 200 x 200 x 200 elements, 256 MB, caches of 4 MB",
                 "With caches that are too small, EDONIO is about as fast as NX.", "NP", np_of, lines_5_4,
                 numbers_of_tasks<200>},
      PaperTable{"5.5", "Table 5.5: 300 x 300 x 300 elements, 864 MB, caches of 4 MB",
                 "206 tasks would be needed to hold the file.", "NP", np_of, lines_5_5, numbers_of_tasks<300>},
  };
  return tables;
}

std::vector<const PaperTable*> parse_paper_tables(const std::string& list) {
  std::vector<const PaperTable*> chosen;
  const std::vector<std::string> names = split(list, ',');
  refuse_repeats("--tables", list, names);
  for (const PaperTable& table : paper_tables()) {
    if (list == all_tables || std::ranges::find(names, table.name) != names.end()) chosen.push_back(&table);
  }
  if (list != all_tables && chosen.size() != names.size()) {
    throw UsageError(fmt::format("--tables {}: expected some of {}, or all", list, joined(names_of(paper_tables()))));
  }
  return chosen;
}

std::vector<IoSpec> paper_cases(std::span<const PaperTable* const> tables, bool quick) {
  std::vector<IoSpec> all;
  for (const PaperTable* table : tables) {
    for (IoSpec& spec : table->cases(quick)) {
      spec.table = table->name;
      all.push_back(std::move(spec));
    }
  }
  return all;
}

}  // namespace nasvm
