/// \file
/// `nasvm mcast --figures` with a lab that has no hosts.

#include <catch2/catch.hpp>
#include <filesystem>

#include "../../../fake_executor.hpp"
#include "harness/cli/values.hpp"
#include "harness/commands/mcast/figures/figure.hpp"
#include "harness/commands/mcast/figures/record.hpp"
#include "harness/commands/mcast/figures/run.hpp"
#include "harness/text.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

namespace {

std::string value_of(const std::vector<std::string>& words, const std::string& option) {
  return *std::next(std::ranges::find(words, option));
}

/// What `nasvm mcast` would print: 1 ms, and 1 ms for each receiver and each 100 kB; `raw` takes half of it.
ProgramResult good_runs(const std::vector<std::string>& words) {
  Document document;
  document.machine = small_machine();
  for (const std::string& protocol : split(value_of(words, "--protocol"), ',')) {
    for (const std::string& receivers : split(value_of(words, "--receivers"), ',')) {
      const std::string sizes = value_of(words, "-m");
      for (const std::string& bytes : split(sizes.substr(0, sizes.find(':')), ',')) {
        const int number = std::stoi(receivers);
        McastRecord record = mcast_record(number, std::stoull(bytes), 1.0 + number + std::stod(bytes) / 1e5);
        record.protocol = protocol;
        if (protocol.starts_with("raw")) {
          record.kind = McastKind::unreliable;
          record.time.median_s /= 2;
        }
        document.records<McastRecord>().push_back(record);
      }
    }
  }
  ProgramResult result;
  result.ended_well = true;
  result.output = split(to_json(document), '\n');
  return result;
}

/// With results in a folder of its own.
struct Figures {
  Session session;
  Folder folder;

  explicit Figures(FakeLab::Behaviour behaviour = good_runs) { session.lab_behaviour = std::move(behaviour); }

  int operator()(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "mcast");
    for (const char* word : {"--lab", "/no/lab", "--out"}) arguments.emplace_back(word);
    arguments.push_back(folder.file("out"));
    return session(arguments);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return content(folder.file("out/" + name)); }
};

std::vector<std::string> protocols_of(const char* figure, FigureExtent extent = FigureExtent::whole) {
  return find_mcast_figure(figure)->sweeps(extent).at(0).protocols;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("mcast figures: the papers' cases") {
  CHECK(protocols_of("table2")[1] == "nak:packet=8000:window=50:poll=43");
  CHECK(find_mcast_figure("table2")->sweeps(FigureExtent::whole)[0].receivers == std::vector{30});
  CHECK(find_mcast_figure("table2")->sweeps(FigureExtent::whole)[0].sizes == std::vector<std::uint64_t>{2'000'000});
  // A buffer of 50 KB is 100 packets of 500 bytes, or one of 50 KB.
  CHECK(protocols_of("6").front() == "nak:packet=500:window=100:poll=85");
  CHECK(std::ranges::count(protocols_of("6"), "nak:packet=50000:window=1:poll=1") == 1);
  CHECK(protocols_of("9").size() == 16);
  CHECK(protocols_of("10").back() == "lineartree:packet=8000:window=20:height=30:coalesce=1");
  CHECK(find_mcast_figure("3.4")->sweeps(FigureExtent::whole)[0].receivers == std::vector{2, 4, 6, 8});
  CHECK(figure_hosts(FigureExtent::whole) == 31);
}

TEST_CASE("mcast figures: quick ones are fewer, on hosts that are there, each with its parameters") {
  for (const McastFigure& figure : mcast_figures()) {
    CAPTURE(figure.name);
    for (const FigureExtent extent : {FigureExtent::whole, FigureExtent::quick}) {
      for (const FigureSweep& sweep : figure.sweeps(extent)) {
        CHECK_FALSE(sweep.sizes.empty());
        for (const int receivers : sweep.receivers) CHECK(receivers < figure_hosts(extent));
        for (const std::string& protocol : sweep.protocols) {
          const auto name = protocol.substr(0, protocol.find(':'));
          if (name == "ring") CHECK(protocol.find("window=1:") == std::string::npos);
          if (name != "lineartree") continue;
          McastRecord record;
          record.protocol = protocol;
          CHECK(parameter_of(record, "height") <= static_cast<std::uint64_t>(sweep.receivers.front()));
        }
      }
    }
    CHECK(figure.sweeps(FigureExtent::quick)[0].protocols.size() <=
          figure.sweeps(FigureExtent::whole)[0].protocols.size());
  }
}

TEST_CASE("mcast figures: the lab is made, used and taken down") {
  Figures figures;
  CHECK(figures({"--figures", "9,3.4"}) == 0);
  const auto& seen = figures.session.labs_seen;
  REQUIRE(seen.size() == 1 + 16 + 3 + 1);
  CHECK(seen[0] == "up 31 100 Mbit/s switched");
  CHECK_THAT(seen[1], Contains("mcast --protocol lineartree:packet=8000:window=20:height=1:coalesce=1 ") &&
                          Contains(" --receivers 30 -m 500000:500000 -i 20 ") &&
                          Contains("--hostfile fake.hosts --launcher ssh --format json"));
  CHECK_THAT(seen[17], Contains("mcast --protocol ipmcast --receivers 2,4,6,8 -m 1024,65536 "));
  CHECK(seen.back() == "down");
}

TEST_CASE("mcast figures: the report has tables, plots and what the papers print") {
  Figures figures;
  CHECK(figures({"--figures", "table2,9,5"}) == 0);
  const std::string report = figures.file("report.md");
  // 31 + 20 ms for 2 MB are 313.7 Mbit/s, half of what `raw` reaches.
  CHECK_THAT(report, Contains("| nak:packet=8000:window=50:poll=43 | 313.7 | 0.500 | 0.2500 | NAK-based | 89.7 |"));
  CHECK_THAT(report, Contains("| raw:packet=1472 | 627.5 | 1.000 |"));
  CHECK_THAT(report, Contains("| 15 | 36.00 | 36.00 |"));  // 31 + 5 ms, with either packet
  CHECK_THAT(report, Contains("packets of 50000 B") && Contains("![Figure 9: "));
  CHECK_THAT(figures.file("figure9.svg"), Contains("<svg") && Contains("packets of 8000 B: 15, 36"));
  const std::string html = figures.file("report.html");
  CHECK(count(html, "<svg") == 2);
  CHECK(count(html, "<section") == 0);
  CHECK_THAT(html, Contains("NAK-based &gt;= ring-based"));
  CHECK_THAT(figures.session.out, Contains("Figure 5") && Contains("small messages"));
  CHECK_THAT(figures.session.err, Contains("report: "));
}

TEST_CASE("mcast figures: pictures are well-formed") {
  Figures figures;
  CHECK(figures({"--figures", "--quick"}) == 0);
  CHECK(figures.session.labs_seen.front() == "up 9 100 Mbit/s switched");
  for (const McastFigure& figure : mcast_figures()) {
    if (figure.x == nullptr) continue;
    CAPTURE(figure.name);
    const std::string svg = figures.file(fmt::format("figure{}.svg", figure.name));
    for (const char* tag : {"svg", "g", "text", "circle", "title"}) {
      CHECK(count(svg, fmt::format("<{}>", tag)) + count(svg, fmt::format("<{} ", tag)) ==
            count(svg, fmt::format("</{}>", tag)));
    }
    CHECK(count(svg, "<circle") > 0);
    CHECK(count(svg, "nan") == 0);
    CHECK(count(svg, "inf") == 0);
  }
}

TEST_CASE("mcast figures: the document can be read again, and shown") {
  Figures figures;
  CHECK(figures({"--figures", "3.4"}) == 0);
  const std::string file = figures.folder.file("out/figures.json");
  const Document document = read_document(file);
  REQUIRE(document.records<McastFigureRecord>().size() == 1);
  CHECK(document.records<McastFigureRecord>()[0].rate_mbit_s == 100);
  REQUIRE(document.records<McastRecord>().size() == 24);
  CHECK(document.records<McastRecord>()[0].figure == "3.4");
  Session printed;
  CHECK(printed({"compare", file}) == 0);
  CHECK_THAT(printed.out, Contains("Figure 3.4"));
}

TEST_CASE("mcast figures: a sweep that fails is noted, and the others go on") {
  Figures figures([](const std::vector<std::string>& words) {
    if (value_of(words, "--protocol").starts_with("lineartree")) {
      ProgramResult result;
      result.errors = {"nasvm: unknown multicast protocol \"lineartree\""};
      result.exit_status = 2;
      return result;
    }
    return good_runs(words);
  });
  CHECK(figures({"--figures", "11,7"}) == 3);
  CHECK_THAT(figures.session.err, Contains("Figure 11") && Contains("unknown multicast protocol"));
  CHECK_THAT(figures.file("report.md"), Contains("Nothing could be measured") && Contains("![Figure 7"));
  CHECK(figures.session.labs_seen.back() == "down");
}

TEST_CASE("mcast figures: a case has no figures where data of one repeat arrived wrong, and that is said") {
  // Five repeats of each, and of those to 15 receivers, or of `raw`, one is wrong.
  Figures figures([](const std::vector<std::string>& words) {
    ProgramResult result = good_runs(words);
    Document document = from_json(joined(result.output, "\n"), "runs");
    std::vector<McastRecord> repeats;
    for (McastRecord record : document.records<McastRecord>()) {
      for (record.repeat = 0; record.repeat < 5; ++record.repeat) {
        const bool wrong = record.repeat == 3 && (record.receivers == 15 || record.kind == McastKind::unreliable);
        record.data = wrong ? DataCheck::failed : DataCheck::passed;
        repeats.push_back(record);
      }
    }
    document.records<McastRecord>() = repeats;
    result.output = split(to_json(document), '\n');
    return result;
  });
  CHECK(figures({"--figures", "5,table2"}) == 0);
  const std::string report = figures.file("report.md");
  CHECK(count(report, "| 15 | - | - | - |") == 2);  // short messages, and long ones
  CHECK_THAT(report, Contains("| raw:packet=1472 | - | - |"));
  CHECK_THAT(report, Contains("| nak:packet=8000:window=50:poll=43 | 313.7 | - | 0.2500 |"));
  CHECK(count(report, " measurements brought wrong data: their cases have no figures.") == 2);
  CHECK_THAT(figures.file("figure5.svg"), !Contains(": 15, "));
}

TEST_CASE("mcast figures: a line without a point has no place in the legend") {
  Figures figures([](const std::vector<std::string>& words) {
    ProgramResult result = good_runs(words);
    Document document = from_json(joined(result.output, "\n"), "runs");
    for (McastRecord& record : document.records<McastRecord>()) {
      if (record.protocol == "fanout") record.data = DataCheck::failed;
    }
    result.output = split(to_json(document), '\n');
    return result;
  });
  CHECK(figures({"--figures", "3.4"}) == 0);
  CHECK_THAT(figures.file("figure3.4.svg"), Contains(">ipmcast</text>") && !Contains(">fanout</text>"));
}

TEST_CASE("mcast figures: what options say goes on to the runs") {
  Figures figures;
  CHECK(figures({"--figures", "7", "-i", "3", "-x", "1", "--runs", "2", "--no-auth", "--timeout", "9"}) == 0);
  CHECK_THAT(figures.session.labs_seen[1], Contains(" -i 3 -x 1 --runs 2 --timeout 9 ") && Contains("--no-auth"));
}
