#include "harness/commands/io/views.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>

#include "../../fake_executor.hpp"
#include "harness/program.hpp"

using namespace nasvm;

namespace {

IoRecord record(const std::string& method, double write_s, double read_s) {
  IoRecord made;
  made.method = method;
  made.transport = "shm";
  made.np = 2;
  made.grid = 10;
  made.access_bytes = 32;
  made.disk_cache_bytes = 1 << 20;
  made.file_bytes = 32000;
  made.time = {0, write_s, 0, 0, 0, read_s, 0};
  return made;
}

/// Measures nothing; posix has other conditions in its second run.
class FakeIo final : public IoExecutor {
 public:
  IoReport run(const IoSpec& spec) override {
    IoReport report;
    report.time = {1, 1, 1, 1, 1, 1, 1};
    const bool far = spec.method == "posix" && spec.repeat == 1;
    report.sampled.conditions = Conditions{far ? 250.0 : 55.0, 12, 0, 0, 10};
    return report;
  }
  MachineRecord machine() override { return test::small_machine(); }
};

/// Of `nasvm io` with these options.
std::vector<IoRecord> measured(const std::vector<std::string>& options) {
  Executors executors;
  executors.io = [](const IoOptions&) { return std::make_unique<FakeIo>(); };
  const std::vector<CommandRow> rows = commands(executors);
  std::string out;
  Console console;
  console.out = [&](std::string_view text) { out += text; };
  console.err = [](std::string_view) {};
  std::vector<std::string> words{"nasvm", "io", "--format", "json"};
  words.insert(words.end(), options.begin(), options.end());
  REQUIRE(program(words, {.commands = rows, .formats = formats()}, console) == 0);
  return from_json(out, "out").records<IoRecord>();
}

}  // namespace

TEST_CASE("io says how much faster the file cache is than each of the others", "[io]") {
  Document document;
  document.records<IoRecord>() = {record("edonio", 2, 1), record("posix", 20, 0.5)};
  const std::vector<Source> sources{{"", document}};
  const std::string text = text_of(io_grids(sources, Columns::usual).at(0));
  CHECK_THAT(text, Catch::Contains("edonio, 1 MiB"));
  CHECK_THAT(text, Catch::Contains("10.0x") && Catch::Contains("0.50x"));
  CHECK_THAT(io_csv(sources), Catch::Contains("posix,shm,2,elements,10,0,32"));
}

TEST_CASE("io says of several runs that figures are medians, and what the spread is", "[io]") {
  Document document;
  document.records<IoRecord>() = {record("edonio", 2, 1)};
  const auto text = [&] { return text_of(io_grids(std::vector<Source>{{"", document}}, Columns::usual).at(0)); };
  CHECK_THAT(text(), !Catch::Contains("Medians") && !Catch::Contains("Spread"));
  document.records<IoRecord>().push_back(record("edonio", 3, 1));
  CHECK_THAT(text(), Catch::Contains("Medians of 2 runs, of each column by itself") &&
                         Catch::Contains("Spread: (largest - smallest) / median."));
}

TEST_CASE("io says what auto chooses, where it is measured", "[io]") {
  Document document;
  document.records<IoRecord>() = {record("edonio", 2, 1)};
  const auto text = [&] { return text_of(io_grids(std::vector<Source>{{"", document}}, Columns::usual).at(0)); };
  CHECK_THAT(text(), !Catch::Contains("auto:"));
  document.records<IoRecord>().push_back(record("auto", 2, 0.5));
  CHECK_THAT(text(), Catch::Contains("auto: edonio as programs have it: reads of 4 KiB and more come straight"));
}

TEST_CASE("io has no figures for what was read wrong", "[io]") {
  Document document;
  document.records<IoRecord>() = {record("edonio", 2, 1), record("posix", 20, 0.5)};
  document.records<IoRecord>()[1].verified = false;
  const std::vector<Source> sources{{"", document}};
  const std::string text = text_of(io_grids(sources, Columns::usual).at(0));
  CHECK_THAT(text, !Catch::Contains("10.0x"));
  CHECK_FALSE(is_right(document.records<IoRecord>()[1]));
}

TEST_CASE("of io, the file cache alone is compared with earlier measurements", "[io]") {
  Document document;
  document.records<IoRecord>() = {record("edonio", 2, 1), record("posix", 20, 0.5)};
  const auto compared = compared_io(document);
  REQUIRE(compared.size() == 2);
}

TEST_CASE("io tells apart what was asked for in another way", "[io]") {
  Document document;
  auto& records = document.records<IoRecord>();
  records.assign(7, record("edonio", 2, 1));
  for (IoRecord& one : records) one.transport = "auto";
  records[1].preload = true;
  records[2].cold = true;
  records[3].sync = false;
  records[4].transport = "direct";
  records[5].data_cache_bytes = 0;
  records[6].data_cache_bytes = 1 << 20;
  std::set<std::string> names;
  for (const Compared& one : compared_io(document)) names.insert(one.name);
  CHECK(names.size() == 14);
  CHECK(names.contains("io elements of 10^3 by 2 tasks in pieces of 32 bytes, edonio, 1 MiB, writing"));
}

TEST_CASE("io: blocks of the table say what else was asked for, where that differs", "[io]") {
  Document document;
  auto& records = document.records<IoRecord>();
  records.assign(2, record("edonio", 2, 1));
  const auto text = [&] { return text_of(io_grids(std::vector<Source>{{"", document}}, Columns::usual).at(0)); };
  CHECK_THAT(text(), !Catch::Contains("With") && Catch::Contains("Reads come from the page cache"));
  records[1].cold = true;
  records[1].sync = false;
  CHECK_THAT(text(), Catch::Contains("With") && Catch::Contains("from disk, no fsync") &&
                         Catch::Contains("; of those from disk it was told to forget it (--drop-cache)."));
}

TEST_CASE("io: a document and its CSV have the size of the data cache, where it is not the usual one", "[io]") {
  Document document;
  document.records<IoRecord>() = {record("edonio", 2, 1)};
  CHECK_THAT(io_csv(std::vector<Source>{{"", document}}), !Catch::Contains("data_cache_bytes"));
  CHECK_THAT(to_json(document), !Catch::Contains("data_cache_bytes"));
  document.records<IoRecord>()[0].data_cache_bytes = 0;
  CHECK(from_json(to_json(document), "again").records<IoRecord>() == document.records<IoRecord>());
  const std::vector<Source> sources{{"", document}};
  CHECK_THAT(io_csv(sources), Catch::Contains(",data_cache_bytes,conditions_changed\n"));
  CHECK_THAT(text_of(io_grids(sources, Columns::usual).at(0)), Catch::Contains("edonio, 1 MiB, no data cache"));
}

TEST_CASE("io: the disk cache of auto tells its rows apart, too", "[io]") {
  Document document;
  document.records<IoRecord>() = {record("auto", 2, 1), record("auto", 4, 2), record("posix", 4, 2)};
  document.records<IoRecord>()[1].disk_cache_bytes = 2 << 20;
  CHECK_THAT(text_of(io_grids(std::vector<Source>{{"", document}}, Columns::usual).at(0)),
             Catch::Contains(" auto, 1 MiB ") && Catch::Contains(" auto, 2 MiB ") && Catch::Contains(" posix "));
}

TEST_CASE("io: a folder that was asked for is said below the table, and makes no other case", "[io]") {
  Document document;
  document.records<IoRecord>() = {record("edonio", 2, 1)};
  Document other = document;
  other.records<IoRecord>()[0].folder = "/disk";
  const auto text = [](const std::vector<Source>& sources) {
    return text_of(io_grids(sources, Columns::usual).at(0));
  };
  CHECK(compared_io(other).at(0).name == compared_io(document).at(0).name);
  CHECK_THAT(text({{"", document}}), !Catch::Contains("--dir"));
  CHECK_THAT(text({{"", other}}), Catch::Contains("The file was in /disk (--dir)."));
  CHECK_THAT(text({{"a", document}, {"b", other}}), Catch::Contains("The file of B was in /disk (--dir)."));
  CHECK_THAT(to_json(document), !Catch::Contains("folder"));
  CHECK(from_json(to_json(other), "again").records<IoRecord>() == other.records<IoRecord>());
  CHECK_THAT(io_csv(std::vector<Source>{{"", document}}), !Catch::Contains("folder"));
  CHECK_THAT(io_csv(std::vector<Source>{{"", other}}), Catch::Contains(",folder,conditions_changed\n"));
  CHECK(measured({"--runs", "1", "--np", "2", "--method", "posix", "--dir", "/tmp"}).at(0).folder == "/tmp");
  CHECK(measured({"--runs", "1", "--np", "2", "--method", "posix"}).at(0).folder.empty());
}

TEST_CASE("io: records of the paper's tables have the data cache of these; older ones mean it", "[io]") {
  const test::Folder folder;
  auto records = measured({"--report", folder.file("paper"), "--tables", "5.2", "--quick", "--runs", "1"});
  REQUIRE(records.size() == 3);
  for (IoRecord& one : records) {
    CHECK(one.data_cache_bytes == paper_data_cache_bytes);
    one.sampled = {};  // then a record is one line
  }
  Document document;
  document.records<IoRecord>() = records;
  std::string text = to_json(document);
  const std::string size = "\"data_cache_bytes\": 524288, ";
  for (auto at = text.find(size); at != std::string::npos; at = text.find(size)) text.erase(at, size.size());
  CHECK_THAT(text, !Catch::Contains("data_cache_bytes"));
  CHECK(from_json(text, "older").records<IoRecord>() == records);
}

TEST_CASE("io sets samples under other conditions apart, and takes none again", "[io]") {
  const auto records =
      measured({"--method", "edonio,posix", "--np", "2", "--grid", "10", "--runs", "3", "--dir", "/tmp"});
  REQUIRE(records.size() == 6);
  for (const IoRecord& one : records) {
    CHECK(one.sampled.changed == (one.method == "posix" && one.repeat == 1));
  }
}
