#include "harness/commands/io/options.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "harness/cli/groups.hpp"
#include "harness/cli/values.hpp"
#include "harness/commands/io/methods/method.hpp"
#include "harness/commands/io/paper/tables.hpp"
#include "harness/commands/io/pattern.hpp"
#include "harness/session/order.hpp"
#include "harness/text.hpp"
#include "vm/parameters.hpp"
#include "vm/status.hpp"
#include "vm/system/table.hpp"

namespace nasvm {
namespace {

constexpr int most_grid = 1600;  // vertices have numbers of 32 bits
constexpr std::uint64_t block_bytes = 64 * 1024;

std::string method_names() { return joined(names_of(io_methods())); }

/// Both ways that Open MPI has.
constexpr std::string_view all_of_mpi = "mpi-io";

std::vector<std::string> parse_methods(const std::string& list) {
  std::vector<std::string> methods;
  for (const std::string& method : split(list, ',')) {
    if (method == all_of_mpi) {
      for (const IoMethodRow& row : io_methods()) {
        if (row.system == "mpi") methods.emplace_back(row.name);
      }
    } else {
      check_one_of("--method", method, names_of(io_methods()));
      methods.push_back(method);
    }
  }
  refuse_repeats("--method", list, methods, "more runs of each");
  return methods;
}

std::vector<std::string> parse_patterns(const std::string& list) {
  std::vector<std::string> patterns = split(list, ',');
  for (const std::string& pattern : patterns) check_one_of("--pattern", pattern, names_of(io_patterns()));
  refuse_repeats("--pattern", list, patterns);
  return patterns;
}

/// Patterns have a grid, or blocks of a length: what none of them has would mean nothing.
void check_sizes(const CommandLine& line, const IoOptions& options) {
  for (const auto& [option, of_grids] : {std::pair{"--grid", true}, {"--block", false}}) {
    const auto has_it = [wanted = of_grids](const std::string& name) { return io_pattern(name).has_grid == wanted; };
    if (!line.given(option) || std::ranges::any_of(options.patterns, has_it)) continue;
    throw UsageError(fmt::format("{}: of what? pattern {} has {}", option, joined(options.patterns),
                                 of_grids ? "blocks (-b)" : "a grid (--grid)"));
  }
}

/// Blocks are whole accesses.
void check_blocks(const IoOptions& options) {
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto has_blocks = [](const std::string& name) { return !io_pattern(name).has_grid; };
  if (std::ranges::none_of(options.patterns, has_blocks)) return;
  const int np = std::ranges::max(options.np);
  if (options.block_bytes > most / static_cast<std::uint64_t>(np)) {
    throw UsageError(fmt::format("--block {}: no file is as long as {} of them (--np)", options.block_bytes, np));
  }
  for (const std::uint64_t access : options.accesses) {
    if (options.block_bytes % access == 0) continue;
    throw UsageError(
        fmt::format("--block {}: is no whole number of accesses of {} bytes (-t)", options.block_bytes, access));
  }
}

/// Each host looks for the folder itself: this one need not be one of them.
void check_mounted(const IoOptions& options) {
  const bool wanted = std::ranges::find(options.methods, mounted_method) != options.methods.end();
  if (wanted && options.mounted.empty()) {
    throw UsageError(fmt::format("--method {}: where? --mounted names the folder", mounted_method));
  }
  if (options.mounted.empty()) return;
  if (!wanted) throw UsageError(fmt::format("--mounted: is for --method {}", mounted_method));
  if (!options.mounted.starts_with('/')) {
    throw UsageError(fmt::format("--mounted {}: a whole path, the same on all hosts", options.mounted));
  }
}

/// The tables say what is measured, and the folder gets the document.
void check_report(const CommandLine& line, IoOptions& options) {
  const bool wanted = !options.report.empty();
  for (const char* option : {"--tables", "--quick"}) {
    if (!wanted && line.given(option)) throw UsageError(fmt::format("{}: of what? --report names a folder", option));
  }
  for (const char* option : {"--method", "--pattern", "--np", "--grid", "--access", "--block", "--disk", "--data",
                             "--no-preload", "--drop-cache", "--export-json"}) {
    if (wanted && line.given(option)) throw UsageError(fmt::format("{}: the tables of --report say that", option));
  }
  if (!wanted) return;
  options.methods = {"edonio", "posix"};
  options.report = whole_path(options.report);
  options.output.export_json = options.report + "/tables.json";
}

std::vector<int> parse_np(const std::string& list) {
  std::vector<int> numbers;
  for (const std::string& text : split(list, ',')) numbers.push_back(parse_count("--np", text, 1, max_tasks));
  refuse_repeats("--np", list, numbers);
  return numbers;
}

std::uint64_t parse_length(const std::string& option, const std::string& text, std::uint64_t least) {
  std::uint64_t length = 0;
  try {
    length = parse_count(text);
  } catch (const std::invalid_argument&) {
    throw UsageError(fmt::format("{} {}: expected bytes, such as 32, 64k, 2M or 1G", option, text));
  }
  if (length < least) throw UsageError(fmt::format("{} {}: {} bytes at least", option, text, least));
  return length;
}

std::vector<std::uint64_t> parse_lengths(const std::string& option, const std::string& list, std::uint64_t least) {
  std::vector<std::uint64_t> lengths;
  for (const std::string& text : split(list, ',')) lengths.push_back(parse_length(option, text, least));
  refuse_repeats(option, list, lengths);
  return lengths;
}

/// "." says nothing.
std::string without_dots(const std::filesystem::path& path) {
  std::filesystem::path result;
  for (const std::filesystem::path& part : path) {
    if (!part.empty() && part != ".") result /= part;
  }
  return result.string();
}

std::uint64_t parse_data(const std::string& text) {
  const std::uint64_t bytes = parse_length("--data", text, 0);
  if (bytes != 0 && bytes < block_bytes) {
    throw UsageError(
        fmt::format("--data {}: {} bytes at least, a block of the cache, or 0: none", text, block_bytes));
  }
  return bytes;
}

std::string parse_folder(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    const bool is_missing = !error || error == std::errc::no_such_file_or_directory;
    throw UsageError(fmt::format("--dir {}: {}: name one on the disk to measure", folder,
                                 is_missing ? "there is no such folder here" : error.message()));
  }
  std::string path = without_dots(whole_path(folder));
  check_order_text("--dir", path);
  return path;
}

}  // namespace

void add_io_options(CommandLine& line, IoOptions& options, std::span<const std::string_view> formats) {
  const auto no_preload = std::make_shared<bool>(false);
  const auto no_sync = std::make_shared<bool>(false);
  add_parsed(line,
             {"--method", "LIST",
              fmt::format("ways to read and write the file: {}; {}: {}", method_names(), all_of_mpi, "ompio,romio")},
             "edonio,posix,mmap", [&](const std::string& list) { options.methods = parse_methods(list); });
  add_parsed(line, {"--np", "LIST", "numbers of tasks"}, "2",
             [&](const std::string& list) { options.np = parse_np(list); });
  add_parsed(line,
             {"--pattern", "LIST", fmt::format("what tasks write and read: {}", joined(names_of(io_patterns())))},
             std::string(io_patterns().front().name),
             [&](const std::string& list) { options.patterns = parse_patterns(list); });
  add_count(line, {"--grid", "N", "elements in each direction: the file has 32 N^3 bytes (array: 8 N^3)"},
            options.grid, 1, most_grid);
  add_parsed(line, {"-t,--access", "LIST", "bytes of one access (a column of elements has 32 N)"}, "32",
             [&](const std::string& list) { options.accesses = parse_lengths("--access", list, 1); });
  add_parsed(line, {"-b,--block", "BYTES", "block of each task, for patterns without a grid"}, "16M",
             [&](const std::string& text) { options.block_bytes = parse_length("--block", text, 1); });
  add_parsed(line, {"--disk", "LIST", "disk cache of each task, for edonio"}, "64M",
             [&](const std::string& list) { options.disk_bytes = parse_lengths("--disk", list, block_bytes); });
  add_parsed(line, {"--data", "BYTES", "read-only data cache of each task, for edonio (0: none)"}, "8M",
             [&](const std::string& text) { options.data_bytes = parse_data(text); });
  line.flag({"--no-preload", "", "do not fill the disk caches before reading"}, *no_preload);
  line.flag({"--no-sync", "", "writing ends when the system has everything, not the disk"}, *no_sync);
  line.flag({"--drop-cache", "", "the page cache forgets the file before it is read"}, options.drop_cache);
  add_parsed(line, {"--dir", "FOLDER", "for the file, which is removed afterwards"}, ".",
             [&](const std::string& folder) { options.folder = parse_folder(folder); });
  line.option({"--mounted", "FOLDER", "where each host has mounted that of --dir, for method mounted"},
              options.mounted);
  line.option({"--report", "FOLDER", "measure the paper's tables, and write a report with plots there"},
              options.report);
  add_parsed(line, {"--tables", "LIST", fmt::format("of --report: {}, or all", joined(names_of(paper_tables())))},
             "all", [&](const std::string& list) { options.tables = parse_paper_tables(list); });
  line.flag({"--quick", "", "of --report: small files, few tasks"}, options.quick);
  add_parsed(line, {"--transport", "NAME", "what carries messages between tasks"}, options.transport,
             [&](const std::string& order) {
               if (is_message_system(order)) {
                 throw UsageError(fmt::format("--transport {}: tasks of message systems have no file cache", order));
               }
               options.transport = order;
             });
  add_runs_option(line, options.runs, "runs of each case, in alternating order");
  add_machine_options(line, options.machine);
  add_timeout_option(line, options.timeout_s);
  add_output_options(line, options.output, formats);
  line.afterwards([&line, &options, no_preload, no_sync] {
    check_report(line, options);
    options.preload = !*no_preload;
    options.sync = !*no_sync;
    options.names_folder = line.given("--dir");
    check_sizes(line, options);
    check_blocks(options);
    check_mounted(options);
  });
}

}  // namespace nasvm
