#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "../../fake_executor.hpp"
#include "harness/commands/io/paper/report.hpp"
#include "harness/commands/io/paper/tables.hpp"
#include "harness/commands/io/plan.hpp"
#include "harness/program.hpp"
#include "harness/text.hpp"
#include "support/process.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

std::vector<IoSpec> cases_of(const std::string& tables, bool quick = false) {
  return paper_cases(parse_paper_tables(tables), quick);
}

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("io: the cases of the paper's tables are the paper's, on 16 tasks at most but for the first", "[io]") {
  CHECK(cases_of("all").size() == 5 + 3 + 3 * 2 * 5);
  for (const IoSpec& spec : cases_of("all")) {
    CHECK(spec.access_bytes == 32 * static_cast<std::uint64_t>(spec.grid));
    CHECK(spec.np <= (spec.table == "5.1" ? 22 : 16));
  }
  CHECK(cases_of("5.1").front().disk_bytes == std::uint64_t{1} << 20);
  CHECK(cases_of("5.1").front().grid == 200);
  CHECK_FALSE(cases_of("5.2").back().preload);
  CHECK(cases_of("5.2").back().method == "posix");
  CHECK(cases_of("5.5").back().grid == 300);
  CHECK(cases_of("5.5", true).back().grid == 60);
}

TEST_CASE("io: only tables of the paper can be asked for", "[io]") {
  CHECK(parse_paper_tables("5.2,5.4").size() == 2);
  CHECK_THROWS_AS(parse_paper_tables("5.6"), UsageError);
  CHECK_THROWS_AS(parse_paper_tables("5.1,5.1"), UsageError);
}

TEST_CASE("io: the report has our figures beside the paper's", "[io]") {
  Document document;
  IoRecord record;
  record.method = "edonio";
  record.table = "5.3";
  record.np = 8;
  record.grid = 100;
  record.folder = "/scratch";
  for (const double write_s : {0.25, 0.75, 0.5}) {
    record.time = {0, write_s, 0, 0, 0, 0.125, 0};
    record.cost.hits = 924;
    document.records<IoRecord>().push_back(record);
  }
  const std::vector<Section> sections = paper_sections({"a.json", document});
  REQUIRE(sections.size() == 2);
  const std::string table = text_of(sections.front().grids.at(0));
  CHECK_THAT(table, Catch::Contains("293.7") && Catch::Contains("0.5") && Catch::Contains("0.125"));
  CHECK_THAT(table, Catch::Contains(" 924 ") && !Catch::Contains("924.0"));
  CHECK_THAT(sections.front().pictures.at(0).svg,
             Catch::Contains("edonio, here") && Catch::Contains("NX, Paragon, 1995"));
  CHECK_THAT(joined(sections.front().text), !Catch::Contains("wrong"));
  CHECK_THAT(joined(sections.back().text), Catch::Contains("The file was in /scratch (--dir)."));
}

TEST_CASE("io: in the report, a case has no figures where one of its runs read wrong, and that is said", "[io]") {
  Document document;
  for (int repeat = 0; repeat < 5; ++repeat) {
    IoRecord record;
    record.method = "edonio";
    record.table = "5.3";
    record.np = 8;
    record.grid = 100;
    record.repeat = repeat;
    record.time.write_s = 0.4321;
    record.verified = repeat != 3;
    document.records<IoRecord>().push_back(record);
  }
  const Section section = paper_sections({"a.json", document}).front();
  CHECK_THAT(joined(section.text), Catch::Contains("1 of 5 runs read wrong: their cases have no figures."));
  const Grid& grid = section.grids.at(0);
  CHECK_THAT(text_of(grid), !Catch::Contains("0.4321"));
  const auto is_ours = [](const Row& row) { return row.cells.at(2) == "here"; };
  std::vector<Row> ours;
  for (const Block& block : grid.blocks) std::ranges::copy_if(block.rows, std::back_inserter(ours), is_ours);
  REQUIRE(ours.size() == 1);
  CHECK(std::ranges::count(ours.front().cells, "-") == 13);
  CHECK_THAT(section.pictures.at(0).svg, !Catch::Contains("edonio, here"));
}

TEST_CASE("io: the report leaves out what was measured under other conditions", "[io]") {
  Document document;
  for (const double write_s : {0.3111, 0.3333, 3.333}) {
    IoRecord record;
    record.method = "edonio";
    record.table = "5.3";
    record.np = 8;
    record.grid = 100;
    record.time.write_s = write_s;
    record.sampled.changed = write_s > 1;
    document.records<IoRecord>().push_back(record);
  }
  const std::vector<Section> sections = paper_sections({"a.json", document});
  CHECK_THAT(text_of(sections.front().grids.at(0)), Catch::Contains("0.3222") && !Catch::Contains("0.3333"));
}

TEST_CASE("io: the report is there also when a run cannot finish", "[io]") {
  class Failing final : public IoExecutor {
   public:
    IoReport run(const IoSpec&) override {
      if (++runs_ == 3) throw RunError("task 1 was killed by signal 9");
      IoReport report;
      report.time = {1, 1, 1, 1, 1, 1, 1};
      return report;
    }
    MachineRecord machine() override { return small_machine(); }

   private:
    int runs_ = 0;
  };
  Executors executors;
  executors.io = [](const IoOptions&) { return std::make_unique<Failing>(); };
  const std::vector<CommandRow> rows = commands(executors);
  const Folder folder;
  std::string err;
  Console console;
  console.out = [](std::string_view) {};
  console.err = [&](std::string_view text) { err += text; };
  const std::vector<std::string> words{"nasvm", "io", "--report", folder.file("paper"), "--quick", "--dir", "/tmp"};
  CHECK(program(words, {.commands = rows, .formats = formats()}, console) == 3);
  CHECK_THAT(err, Catch::Contains("killed by signal 9"));
  CHECK_THAT(text_of_file(folder.file("paper/report.md")), Catch::Contains("here"));
}

TEST_CASE("io measures tables of the paper, and writes its report", "[io]") {
  const Folder folder;
  const std::string disk = std::filesystem::path(folder.write("file", "")).parent_path().string();
  const ProcessResult result =
      run_process(built_program("nasvm"), {"io", "--report", disk + "/paper", "--tables", "5.2,5.3", "--quick",
                                           "--dir", disk, "--runs", "1", "--timeout", "60"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  const std::string report = text_of_file(disk + "/paper/report.md");
  CHECK_THAT(report, Catch::Contains("Table 5.2") && Catch::Contains("Table 5.3") && Catch::Contains("here"));
  CHECK_THAT(text_of_file(disk + "/paper/report.html"), Catch::Contains("<svg"));
  CHECK(std::filesystem::exists(disk + "/paper/table-5.2.svg"));
  CHECK(std::filesystem::exists(disk + "/paper/tables.json"));
}

TEST_CASE("io: a report says by itself what is measured", "[io]") {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"io", "--tables", "5.1"}, {"io", "--quick"}, {"io", "--report", "x", "--np", "4"}}) {
    const ProcessResult result = run_process(built_program("nasvm"), arguments);
    CHECK(result.exit_status == 2);
    CHECK(std::ranges::count(result.err, '\n') == 1);
  }
}
