#pragma once
/// \file
/// The contract between the program and its subcommands. A subcommand is one folder harness/commands/<name>/ and one
/// row in the table (commands.cpp): it supplies its options, what it does, the records and the views of its results.
/// All else is done once: harness/cli reads the command line, harness/session measures and exports, harness/document
/// writes and reads records, harness/report makes tables of them. A command that has views gets every format,
/// exports, and `nasvm compare` with its row.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/document/records.hpp"
#include "harness/report/formats.hpp"
#include "harness/session/output.hpp"
#include "vm/launch/launcher.hpp"
#include "vm/multicast/table.hpp"
#include "vm/status.hpp"

namespace nasvm {

struct CommandRow;

/// What the program consists of: tables, handed to whoever reads them.
struct Tables {
  std::span<const CommandRow> commands;
  std::span<const Format> formats;
  std::span<const LauncherRow> launchers = nasvm::launchers();
  std::span<const multicast::Row> protocols = multicast::protocols();
};

/// One call of the program.
struct Call {
  const Tables& tables;
  std::vector<std::string> command_line;  ///< as typed, from the program's name on
  const Console& console;
};

/// A subcommand with its options. Made for one call.
class Command {
 public:
  virtual ~Command() = default;

  /// Adds the options to the command's line. They receive their values in this object, which outlives the line.
  virtual void add_options(CommandLine& line, const Tables& tables) = 0;
  /// Does it, once the options have their values. Blocks. Throws UsageError and RunError.
  virtual Exit run(const Call& call) = 0;
};

struct CommandRow {
  std::string_view name;         ///< "run"
  std::string_view description;  ///< one line for --help
  std::function<std::unique_ptr<Command>()> make;
  std::span<const View> views{};          ///< kinds of its results, the usual one first; none: it makes no documents
  std::span<const RecordType> records{};  ///< what it puts into documents
  /// The command line of another command that does what one of this command asks for, or the same line: then this
  /// command carries it out, which prints its help. Throws UsageError.
  std::function<std::vector<std::string>(std::span<const std::string> line)> instead{};
  /// Other names that scripts know it by; `name` stands in the line for them.
  std::span<const std::string_view> aliases{};
};

/// All types of records that commands put into documents, each once.
std::vector<RecordType> record_types(std::span<const CommandRow> commands);

/// The view of that name with which a document is to be shown: the most special one, whose records it has; nullptr
/// when it has results of no command with such a view. An empty name: the usual view.
const View* view_of(const Document& document, std::span<const CommandRow> commands, std::string_view name = {});

/// Throws UsageError where a document has results of several kinds, as one that was put together from several: a view
/// would show one of them.
void check_one_kind(const Source& source, std::span<const CommandRow> commands);

/// Is there anything for `nasvm regress` and `nasvm history` in it?
inline bool can_be_compared(const View& view) { return view.compared != nullptr; }

/// "run, p2p or peers": the commands that make documents, those with such a view.
std::string maker_names(
    std::span<const CommandRow> commands, bool (*wanted)(const View&) = [](const View&) { return true; });

}  // namespace nasvm
