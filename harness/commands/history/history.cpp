#include "harness/commands/history/history.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "harness/commands/history/series.hpp"
#include "harness/document/csv.hpp"
#include "harness/report/cases.hpp"
#include "harness/report/columns.hpp"
#include "harness/report/numbers.hpp"
#include "harness/statistics.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::array<std::string_view, 4> format_names{"table", "markdown", "csv", "svg"};
/// Those that commands have (compared.hpp).
constexpr std::array<std::string_view, 7> figure_names{"time",      "latency",   "mean latency", "in a row",
                                                       "bandwidth", "both ways", "message rate"};

/// By name, each file once: a link such as latest.json is passed over where the file itself is there, too.
std::vector<std::string> without_links_to_others(std::vector<std::string> files) {
  std::ranges::sort(files);
  std::ranges::stable_partition(files, [](const std::string& file) {
    std::error_code error;
    return !std::filesystem::is_symlink(file, error);
  });
  std::set<std::filesystem::path> seen;
  std::erase_if(files, [&seen](const std::string& file) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::canonical(file, error);
    return !error && !seen.insert(path).second;
  });
  return files;
}

/// The documents in a folder and those below it; folders that may not be read are passed over, with a line.
std::vector<std::string> files_in(const std::string& folder, const Console& console) {
  std::error_code error;
  std::vector<std::string> files;
  using Walk = std::filesystem::recursive_directory_iterator;
  Walk entry(folder, error);
  if (error)
    throw UsageError(fmt::format("{}: {}; expected a folder with result documents", folder, error.message()));
  for (; entry != Walk(); entry.increment(error)) {
    const std::string path = entry->path();
    if (entry->path().extension() == ".json") files.push_back(path);
    if (!entry->is_directory(error) || ::access(path.c_str(), R_OK | X_OK) == 0) continue;
    console.err(fmt::format("nasvm: passed over: {}: {}\n", path, std::strerror(errno)));
    entry.disable_recursion_pending();
  }
  if (error) throw UsageError(fmt::format("{}: {}", folder, error.message()));
  return without_links_to_others(std::move(files));
}

/// What stands in place of a figure.
std::string failure_of(const Point& point) { return failed_text(point.wrong, point.wrong + point.values.size()); }

/// Of a point whose results are right, else empty.
template <typename Text>
std::string if_right(const Point& point, Text text) {
  return point.is_right() ? text(point.values) : std::string();
}

std::string middle_text(const Point& point) {
  return point.is_right() ? number_text(median(point.values)) : failure_of(point);
}

/// The median of the first point whose results are right; not a number where there is none.
double first_middle(const Series& series) {
  const std::vector<double> medians = series.medians();
  const auto found = std::ranges::find_if(medians, [](double value) { return !std::isnan(value); });
  return found == medians.end() ? std::numeric_limits<double>::quiet_NaN() : *found;
}

/// "2 of 14 documents have wrong results: ..."
std::vector<std::string> wrong_notes(const std::vector<Series>& all) {
  std::set<std::string> files;
  std::set<std::string> wrong;
  for (const Series& series : all) {
    for (const Point& point : series.points) {
      files.insert(point.file);
      if (!point.is_right()) wrong.insert(point.file);
    }
  }
  if (wrong.empty()) return {};
  return {fmt::format("{} of {} {} wrong results: their cases have no figures, x by time.", wrong.size(),
                      counted(files.size(), "document"), wrong.size() == 1 ? "has" : "have")};
}

/// Throws UsageError where nobody knows when the document was made.
Source read_source(const std::string& file, std::span<const RecordType> types) {
  Source source{file, read_document(file, types)};
  if (is_time(source.document.created)) return source;
  throw UsageError(fmt::format("{}: \"created\" is no time; expected one such as 2026-11-20T12:00:00Z", file));
}

/// Leaves the newest ones.
void keep_last(std::vector<Point>& points, std::size_t count) {
  if (points.size() > count) points.erase(points.begin(), points.end() - static_cast<std::ptrdiff_t>(count));
}

/// "+12.3 %" of the first; "-" where either is not known.
std::string change_text(double now, double first) {
  const double change = 100 * (now / first - 1);
  return std::isnan(change) ? "-" : fmt::format("{:+.1f} %", change);
}

/// One row for each case.
Grid overview(const std::vector<Series>& all) {
  const auto medians_of = [](const Series& series) { return series.medians(); };
  const ColumnsOf<Series> columns{
      {{"Case", "", Align::left}, [](const Series& one) { return one.title; }},
      {{"Figure", "", Align::left},
       [](const Series& one) { return fmt::format("{} ({})", one.figure.name, one.figure.unit); }},
      {{"Documents", ""}, [](const Series& one) { return std::to_string(one.points.size()); }},
      {{"First", ""}, [](const Series& one) { return middle_text(one.points.front()); }},
      {{"Last", ""}, [](const Series& one) { return middle_text(one.points.back()); }},
      {{"Change", ""}, [&](const Series& one) { return change_text(medians_of(one).back(), first_middle(one)); }},
      {{"By time", "", Align::left}, [&](const Series& one) { return sparkline(medians_of(one)); }},
  };
  std::vector<std::string> notes{"Medians of each document. --case TEXT shows a line for each document."};
  std::ranges::move(wrong_notes(all), std::back_inserter(notes));
  return {{}, heads_of(columns), {block_of(columns, all)}, std::move(notes)};
}

/// One row for each document.
Grid detail(const Series& series) {
  const double first = first_middle(series);
  const std::vector<double> medians = series.medians();
  double most = 0;
  for (const double middle : medians) most = std::fmax(most, middle);
  constexpr double widest_bar = 24;
  const ColumnsOf<Point> columns{
      {{"Created", "", Align::left}, [](const Point& point) { return point.created; }},
      {{"Commit", "", Align::left}, [](const Point& point) { return point.commit; }},
      {{"Samples", ""}, [](const Point& point) { return std::to_string(point.values.size()); }},
      {{"Median", std::string(series.figure.unit)}, middle_text},
      {{"Lowest", ""},
       [](const Point& point) {
         return if_right(point, [](const auto& values) { return number_text(std::ranges::min(values)); });
       }},
      {{"Highest", ""},
       [](const Point& point) {
         return if_right(point, [](const auto& values) { return number_text(std::ranges::max(values)); });
       }},
      {{"Change", ""},
       [&](const Point& point) {
         return if_right(point, [&](const auto& values) { return change_text(median(values), first); });
       }},
      {{"", "", Align::left},
       [&](const Point& point) {
         return if_right(point, [&](const auto& values) {
           return std::string(static_cast<std::size_t>(std::lround(widest_bar * median(values) / most)), '#');
         });
       }},
      {{"File", "", Align::left}, [](const Point& point) { return point.file; }},
  };
  return {{fmt::format("{}, {}: {}", series.title, series.figure.name, sparkline(medians))},
          heads_of(columns),
          {block_of(columns, series.points)},
          {}};
}

/// One line for each document of each case; without figures where a result was wrong.
std::string csv_of(const std::vector<Series>& all) {
  std::string text = "case,figure,unit,file,created,commit,samples,median,lowest,highest,machine,wrong\n";
  for (const Series& series : all) {
    for (const Point& point : series.points) {
      const std::string figures = if_right(point, [](const auto& values) {
        const auto [lowest, highest] = std::ranges::minmax(values);
        return fmt::format("{},{},{}", median(values), lowest, highest);
      });
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_field(series.name), series.figure.name,
                      series.figure.unit, csv_field(point.file), csv_field(point.created), csv_field(point.commit),
                      point.values.size(), figures.empty() ? ",," : figures, csv_field(series.machine), point.wrong);
    }
  }
  return text;
}

/// In letters of either case, as tables write "FT" what names of cases have as "ft".
bool has_part(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return part.empty() || !std::ranges::search(text, part, same).empty();
}

class History final : public Command {
 public:
  void add_options(CommandLine& line, const Tables&) override {
    line.option({"DIR", "", "folder with result documents, and those below it"}, folder_, Presence::required);
    line.option({"--case", "TEXT", "only cases with this in their name (FT is ft); a line for each document"}, case_);
    line.option({"--figure", "NAME", "only this figure: " + joined(figure_names)}, figure_);
    add_parsed(line, {"--last", "N", "only the newest N documents of each case"}, "",
               [this](const std::string& text) {
                 if (!text.empty()) last_ = parse_count("--last", text, 1, std::numeric_limits<int>::max());
               });
    line.afterwards([this] {
      if (!figure_.empty()) check_one_of("--figure", figure_, figure_names);
    });
    add_choice(line, {"--format", "NAME", "what to print: " + joined(format_names)}, format_,
               {format_names.begin(), format_names.end()});
    line.footer("Example:\n  nasvm history results/nightly --case 'ft class A, 8 tasks, direct'");
  }

  Exit run(const Call& call) override {
    const std::vector<RecordType> types = record_types(call.tables.commands);
    std::vector<Source> sources;
    for (const std::string& file : files_in(folder_, call.console)) {
      try {
        Source source = read_source(file, types);
        check_one_kind(source, call.tables.commands);
        sources.push_back(std::move(source));
      } catch (const UsageError& error) {
        call.console.err(fmt::format("nasvm: passed over: {}\n", error.what()));
      }
    }
    std::vector<Series> all = series_of(sources, call.tables.commands);
    if (all.empty()) {
      throw UsageError(fmt::format(
          "{}: no result documents there with a figure to follow; expected those of nasvm {} (--export-json)",
          folder_, maker_names(call.tables.commands, can_be_compared)));
    }
    std::erase_if(all, [this](const Series& one) { return !is_wanted(one); });
    if (all.empty()) {
      throw UsageError(fmt::format("{}: no result documents there with such a case; nasvm history {} lists all cases",
                                   folder_, folder_));
    }
    for (Series& one : all) keep_last(one.points, static_cast<std::size_t>(last_));
    call.console.out(rendered(all, call.console.out_columns));
    return Exit::ok;
  }

 private:
  [[nodiscard]] bool is_wanted(const Series& series) const {
    return has_part(series.title, case_) && (figure_.empty() || figure_ == series.figure.name);
  }

  [[nodiscard]] std::string rendered(const std::vector<Series>& all, std::size_t width) const {
    if (format_ == "svg") return svg_of(all);
    if (format_ == "csv") return csv_of(all);
    std::vector<Grid> grids;
    if (case_.empty() && all.size() > 1) grids = {overview(all)};
    else std::ranges::transform(all, std::back_inserter(grids), detail);
    return format_ == "markdown" ? markdown_of(grids) : text_of(grids, width);
  }

  std::string folder_;
  std::string case_;
  std::string figure_;
  int last_ = std::numeric_limits<int>::max();  ///< documents of each case
  std::string format_ = "table";
};

}  // namespace

CommandRow history_command() {
  return {"history", "one figure over many documents, commit by commit", [] { return std::make_unique<History>(); }};
}

}  // namespace nasvm
