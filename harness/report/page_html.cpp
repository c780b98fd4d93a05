#include <fmt/format.h>

#include "harness/report/page.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

constexpr std::string_view style =
    R"(body { font-family: sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 }
th, td { padding: 0.2em 0.7em; text-align: right }
th { border-bottom: 1px solid #444; vertical-align: bottom }
tbody { border-bottom: 1px solid #bbb }
.left { text-align: left }
.note { color: #444; font-size: 90% }
figure { margin: 1em 0; overflow-x: auto }
)";

std::string cell(std::string_view tag, const Column& column, const std::string& text) {
  return fmt::format("<{0}{1}>{2}</{0}>", tag, column.align == Align::left ? " class=\"left\"" : "", text);
}

std::string head_of(const Grid& grid) {
  std::string cells;
  for (const Column& column : grid.columns) {
    const std::string unit = column.unit.empty() ? "" : "<br>" + xml_escaped(column.unit);
    cells += cell("th", column, xml_escaped(column.title) + unit);
  }
  return fmt::format("<thead><tr>{}</tr></thead>\n", cells);
}

std::string rows_of(const Grid& grid, const Block& block) {
  std::string rows;
  for (const Row& row : block.rows) {
    std::string cells;
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      cells += cell("td", grid.columns[i], xml_escaped(row.cells[i]));
    rows += fmt::format("<tr>{}</tr>\n", cells);
  }
  return fmt::format("<tbody>\n{}</tbody>\n", rows);
}

std::string html_of(const Grid& grid) {
  std::string text;
  for (const std::string& line : grid.heading) text += fmt::format("<h3>{}</h3>\n", xml_escaped(line));
  text += "<table>\n" + head_of(grid);
  for (const Block& block : grid.blocks) text += rows_of(grid, block);
  text += "</table>\n";
  for (const std::string& line : grid.notes) text += fmt::format("<p class=\"note\">{}</p>\n", xml_escaped(line));
  return text;
}

std::string html_of(const Section& section) {
  std::string text = fmt::format("<h2>{}</h2>\n", xml_escaped(section.title));
  for (const std::string& paragraph : section.text) text += fmt::format("<p>{}</p>\n", xml_escaped(paragraph));
  for (const Grid& grid : section.grids) text += html_of(grid);
  for (const Picture& picture : section.pictures) text += fmt::format("<figure>\n{}</figure>\n", picture.svg);
  return text;
}

}  // namespace

std::string page_html(std::string_view title, std::span<const Section> sections) {
  std::string body = fmt::format("<h1>{}</h1>\n", xml_escaped(title));
  for (const Section& section : sections) body += html_of(section);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
      "charset=\"utf-8\">\n<title>{}</title>\n<style>\n{}</style>\n"
      "</head>\n<body>\n{}</body>\n</html>\n",
      xml_escaped(title), style, body);
}

}  // namespace nasvm
