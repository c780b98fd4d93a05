#include "harness/document/csv.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/text.hpp"

namespace nasvm {
namespace {

class CellWriter final : public Fields {
 public:
  Cells cells;
  using Fields::choice;
  using Fields::count;
  using Fields::named_texts;

  void text(const char* name, std::string& value, Need, Shown shown) override {
    cells.push_back({name, shown == Shown::everywhere ? value : ""});
  }
  void letter(const char* name, char& value) override { cells.push_back({name, std::string(1, value)}); }
  void boolean(const char* name, bool& value, Need) override { cells.push_back({name, value ? "true" : "false"}); }
  void integer(const char* name, int& value, Need, int) override { cells.push_back({name, std::to_string(value)}); }
  void count(const char* name, std::uint64_t& value, Need) override {
    cells.push_back({name, std::to_string(value)});
  }
  void real(const char* name, double& value, Need, Shown shown) override {
    cells.push_back({name, shown == Shown::everywhere ? fmt::format("{}", value) : ""});
  }
  void choice(const char* name, std::size_t& position, const Choices& choices) override {
    cells.push_back({name, std::string(choices.printed[position])});
  }
  bool has(const char*, bool known) override { return known; }
  void texts(const char*, std::vector<std::string>&) override {}
  void counts(const char*, std::vector<std::uint64_t>&) override {}
  void named_texts(const char* name, NamedTexts& values) override {
    std::vector<std::string> parts;
    for (const auto& [key, value] : values) parts.push_back(fmt::format("{}:{}", key, value));
    cells.push_back({name, joined(parts, ";")});
  }
  void object(const char*, const Describe& describe) override { describe(*this); }
  void elements(const char*, std::size_t, const DescribeElement&) override {}
  void members(const char* name, const std::vector<std::string>& names, const DescribeMember& describe) override {
    std::vector<std::string> parts;
    for (const std::string& key : names) {
      std::string part = key;
      for (const Cell& cell : cells_of([&](Fields& fields) { describe(fields, key); })) part += ":" + cell.text;
      parts.push_back(std::move(part));
    }
    cells.push_back({name, joined(parts, ";")});
  }
};

const Cell* find(const Cells& cells, std::string_view name) {
  const auto found = std::ranges::find(cells, name, &Cell::name);
  return found == cells.end() ? nullptr : &*found;
}

Cells cells_of_source(const Source& source) {
  const Document& document = source.document;
  return {{"file", source.file},
          {"created", document.created},
          {"hosts", joined(names_of(document.machine.hosts), ";")},
          {"version", document.build.version},
          {"commit", document.build.commit},
          {"flags", document.build.flags}};
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

Cells cells_of(const Describe& record) {
  CellWriter writer;
  record(writer);
  return std::move(writer.cells);
}

Cells together(std::initializer_list<Cells> parts) {
  Cells all;
  for (const Cells& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

void CsvTable::add(const Source& source, const Cells& cells) {
  const Cells known = together({cells, cells_of_source(source)});
  std::vector<std::string> fields;
  for (const std::string& column : columns_) {
    const Cell* cell = find(known, column);
    fields.push_back(cell == nullptr ? "" : csv_field(cell->text));
  }
  lines_ += joined(fields, ",") + "\n";
}

std::string CsvTable::text() const { return joined(columns_, ",") + "\n" + lines_; }

}  // namespace nasvm
