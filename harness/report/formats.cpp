#include "harness/report/formats.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/report/distinct.hpp"

namespace nasvm {
namespace {

template <typename TextOf>
std::string one_below_the_other(std::span<const Grid> grids, TextOf text_of_grid) {
  std::string text;
  for (const Grid& grid : grids) {
    if (!text.empty() && !grid.heading.empty()) text += "\n";
    text += text_of_grid(grid);
  }
  return text;
}

}  // namespace

std::string name_of(const View& view) {
  return fmt::format("nasvm {}{}{}", view.command, view.option.empty() ? "" : " ", view.option);
}

std::vector<std::string_view> view_names(std::span<const View> views) {
  std::vector<std::string_view> names = distinct(views, &View::name);
  std::erase(names, std::string_view{});
  return names;
}

const Format* find_format(std::span<const Format> formats, std::string_view name, const View& view) {
  const auto found =
      std::ranges::find_if(formats, [&](const Format& format) { return format.name == name && format.fits(view); });
  return found == formats.end() ? nullptr : &*found;
}

std::vector<std::string_view> format_names(std::span<const Format> formats, std::span<const View> views) {
  std::vector<std::string_view> names;
  for (const Format& format : formats) {
    const bool fits = std::ranges::any_of(views, [&](const View& view) { return format.fits(view); });
    if (fits && std::ranges::find(names, format.name) == names.end()) names.push_back(format.name);
  }
  return names;
}

std::string text_of(std::span<const Grid> grids, std::size_t width) {
  return one_below_the_other(grids, [width](const Grid& grid) { return text_of(grid, width); });
}

std::string markdown_of(std::span<const Grid> grids) {
  return one_below_the_other(grids, [](const Grid& grid) { return markdown_of(grid); });
}

std::string render_table(const Report& report) {
  return text_of(report.view.grids(report.sources, report.columns), report.width);
}

std::string render_markdown(const Report& report) {
  return markdown_of(report.view.grids(report.sources, report.columns));
}

std::string render_csv(const Report& report) { return report.view.csv(report.sources); }

std::string render_json(const Report& report) {
  if (report.sources.size() == 1) return to_json(report.sources.front().document);
  std::string text = "[";
  for (const Source& source : report.sources) {
    if (text.size() > 1) text += ",";
    text += '\n';
    text += to_json(source.document);
  }
  return text + "]\n";
}

}  // namespace nasvm
