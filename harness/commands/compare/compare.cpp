#include "harness/commands/compare/compare.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/cli/groups.hpp"
#include "harness/cli/values.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

/// Commands that make documents; the first is the usual one.
std::vector<CommandRow> makers(const Tables& tables) {
  std::vector<CommandRow> all;
  std::ranges::copy_if(tables.commands, std::back_inserter(all),
                       [](const CommandRow& row) { return !row.views.empty(); });
  return all;
}

/// Formats that the usual command has not: "; of p2p also osu, table6".
std::string special_formats(const Tables& tables) {
  const std::vector<CommandRow> all = makers(tables);
  const std::vector<std::string_view> usual = format_names(tables.formats, all.front().views);
  std::string text;
  for (const CommandRow& row : all) {
    std::vector<std::string_view> names = format_names(tables.formats, row.views);
    std::erase_if(names, [&](std::string_view name) { return std::ranges::find(usual, name) != usual.end(); });
    if (!names.empty()) text += fmt::format("; of {} also {}", row.name, joined(names));
  }
  return text;
}

std::vector<std::string_view> all_view_names(const Tables& tables) {
  std::vector<std::string_view> all;
  for (const CommandRow& row : tables.commands) {
    for (const std::string_view name : view_names(row.views)) {
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
    }
  }
  return all;
}

class Compare final : public Command {
 public:
  void add_options(CommandLine& line, const Tables& tables) override {
    line.arguments({"FILE", "", "result documents, as written by run --export-json (-: standard input)"}, files_,
                   Presence::required);
    const std::vector<std::string_view> usual = format_names(tables.formats, makers(tables).front().views);
    line.option({"--format", "NAME", "what to print: " + joined(usual) + special_formats(tables)}, format_);
    line.afterwards([this, &tables] { check_known_format(tables); });
    add_view_options(line, view_, all_view_names(tables));
    line.flag({"-f,--full", "", "all columns, as of p2p and mcast -f"}, full_);
    line.footer("Example:\n  nasvm compare before.json after.json");
  }

  Exit run(const Call& call) override {
    const std::vector<RecordType> types = record_types(call.tables.commands);
    std::vector<Source> sources;
    for (const std::string& file : files_) {
      sources.push_back({file, read_document(file, types)});
      check_one_kind(sources.back(), call.tables.commands);
      if (view_of(sources.back().document, call.tables.commands) != nullptr) continue;
      throw UsageError(fmt::format("{}: has no results; compare takes what {} have exported (--export-json)", file,
                                   maker_names(call.tables.commands)));
    }
    const View& view = chosen_view(sources, call.tables);
    const Format* format = find_format(call.tables.formats, format_, view);
    if (format == nullptr) refuse_format(view, call.tables, sources.front().file);
    call.console.out(
        format->render({view, sources, full_ ? Columns::all : Columns::usual, call.console.out_columns}));
    const bool good = std::ranges::all_of(sources, [](const Source& source) { return source.document.all_right(); });
    return good ? Exit::ok : Exit::failed;
  }

 private:
  void check_known_format(const Tables& tables) const {
    if (std::ranges::find(tables.formats, format_, &Format::name) != tables.formats.end()) return;
    check_one_of("--format", format_, format_names(tables.formats, makers(tables).front().views));
  }

  /// The one view of all documents.
  static const View& common_view(const std::vector<Source>& sources, const Tables& tables) {
    const Source& first = sources.front();
    const View& view = *view_of(first.document, tables.commands);
    for (const Source& source : sources) {
      const View& other = *view_of(source.document, tables.commands);
      if (&other == &view) continue;
      throw UsageError(fmt::format("{} is of {}, {} of {}: compare like with like", first.file, name_of(view),
                                   source.file, name_of(other)));
    }
    return view;
  }

  /// The view that was asked for.
  [[nodiscard]] const View& chosen_view(const std::vector<Source>& sources, const Tables& tables) const {
    const View& usual = common_view(sources, tables);
    if (view_.empty()) return usual;
    const View* view = view_of(sources.front().document, tables.commands, view_);
    if (view == nullptr) {
      throw UsageError(fmt::format("--view {}: not made for results of {}; {}", view_, name_of(usual),
                                   other_views(sources.front().document, tables)));
    }
    return *view;
  }

  /// "there are: scaling, by-rank"
  static std::string other_views(const Document& document, const Tables& tables) {
    std::vector<std::string_view> names = all_view_names(tables);
    std::erase_if(names, [&](std::string_view name) { return view_of(document, tables.commands, name) == nullptr; });
    return names.empty() ? "there are the usual tables alone" : "there are: " + joined(names);
  }

  /// A format that another kind of the same command's results has is named with the option of this one.
  [[noreturn]] void refuse_format(const View& view, const Tables& tables, const std::string& file) const {
    const auto maker = std::ranges::find(tables.commands, view.command, &CommandRow::name);
    const auto names = format_names(tables.formats, maker->views);
    const bool of_command = std::ranges::find(names, format_) != names.end();
    throw UsageError(fmt::format("--format {}: not made for {}; there are: {}", format_,
                                 of_command ? fmt::format("results of {}", view.option) : file,
                                 joined(format_names(tables.formats, std::span(&view, 1)))));
  }

  std::vector<std::string> files_;
  std::string format_ = "table";
  std::string view_;  ///< by its name
  bool full_ = false;
};

}  // namespace

CommandRow compare_command() {
  return {"compare", "print the tables of saved results, side by side", [] { return std::make_unique<Compare>(); }};
}

}  // namespace nasvm
