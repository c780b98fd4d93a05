#include "harness/command.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "harness/text.hpp"

namespace nasvm {
namespace {

/// The usual view of such records, whichever command has it first; nullptr: they have none of their own.
const View* usual_view(std::string_view section, std::span<const CommandRow> commands) {
  for (const CommandRow& command : commands) {
    const auto found = std::ranges::find_if(
        command.views, [&](const View& view) { return view.name.empty() && view.section == section; });
    if (found != command.views.end()) return &*found;
  }
  return nullptr;
}

/// Does the command of that view put such records beside its own?
bool are_beside(const View& view, std::string_view section, std::span<const CommandRow> commands) {
  const auto command = std::ranges::find(commands, view.command, &CommandRow::name);
  return std::ranges::find(command->records, section, &RecordType::section) != command->records.end() &&
         std::ranges::find(command->views, section, &View::section) == command->views.end();
}

}  // namespace

std::vector<RecordType> record_types(std::span<const CommandRow> commands) {
  std::vector<RecordType> all;
  for (const CommandRow& command : commands) {
    for (const RecordType& type : command.records) {
      if (std::ranges::find(all, type.section, &RecordType::section) == all.end()) all.push_back(type);
    }
  }
  return all;
}

/// Commands that hold runs against something stand behind `run` in the table.
const View* view_of(const Document& document, std::span<const CommandRow> commands, std::string_view name) {
  for (const CommandRow& command : commands | std::views::reverse) {
    const auto found = std::ranges::find_if(
        command.views, [&](const View& view) { return view.name == name && document.has(view.section); });
    if (found != command.views.end()) return &*found;
  }
  return nullptr;
}

void check_one_kind(const Source& source, std::span<const CommandRow> commands) {
  const View* view = view_of(source.document, commands);
  if (view == nullptr) return;
  for (const auto& list : source.document.lists()) {
    const View* other = usual_view(list->section(), commands);
    const bool fits = other == nullptr || list->size() == 0 || list->section() == view->section ||
                      are_beside(*view, list->section(), commands);
    if (fits) continue;
    throw UsageError(fmt::format("{}: has results of {} and of {}; expected one kind in a file", source.file,
                                 name_of(*other), name_of(*view)));
  }
}

std::string maker_names(std::span<const CommandRow> commands, bool (*wanted)(const View&)) {
  std::vector<std::string_view> names;
  for (const CommandRow& command : commands) {
    if (std::ranges::any_of(command.views, wanted)) names.push_back(command.name);
  }
  const std::string last(names.back());
  names.pop_back();
  return names.empty() ? last : joined(names) + " or " + last;
}

}  // namespace nasvm
