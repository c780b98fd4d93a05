#include "harness/command.hpp"

#include <algorithm>
#include <ranges>

namespace nasvm {

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

}  // namespace nasvm
