#pragma once
/// \file
/// Formats: views of result documents as text. A new one is a new file here and one row in the table (report.cpp).
/// Other commands have tables of their own (harness/peers/report, harness/roofline/report).

#include <span>
#include <string>
#include <string_view>

#include "harness/report/cases.hpp"

namespace nasvm {

/// One way to print results.
struct Format {
  std::string_view name;                                   ///< "table"
  std::string_view description;                            ///< one line for people
  std::string (*render)(std::span<const Source> sources);  ///< the whole text, ending in a newline
};

/// All formats of `nasvm run`; the first is the default.
std::span<const Format> formats();

/// The format of that name, or nullptr.
const Format* find_format(std::string_view name, std::span<const Format> among = formats());

/// The columns of the paper (White, Ålund and Sunderam, "Performance of the NAS Parallel Benchmarks on PVM-Based
/// Networks", Tables 1 to 10) for people: about 110 characters wide.
std::string render_table(std::span<const Source> sources);
/// The same table in Markdown.
std::string render_markdown(std::span<const Source> sources);
/// One line for each run, every figure in full precision; quoted as in RFC 4180.
std::string render_csv(std::span<const Source> sources);
/// The document itself; an array of documents when there are several.
std::string render_json(std::span<const Source> sources);
/// For each run the result block in the layout of the NAS reference codes, for programs that read it.
std::string render_npb(std::span<const Source> sources);

}  // namespace nasvm
