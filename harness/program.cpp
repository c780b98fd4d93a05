#include "harness/program.hpp"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/document/build_info.hpp"
#include "harness/wrap.hpp"
#include "vm/launch/machine.hpp"

namespace nasvm {
namespace {

constexpr std::size_t usual_columns = 80;
/// Longer lines are hard to read.
constexpr std::size_t widest_help = 100;

/// What the command line stands for.
std::vector<std::string> meant_line(std::span<const std::string> arguments, const Tables& tables) {
  std::vector<std::string> line(arguments.begin(), arguments.end());
  const auto is_called_so = [&](const CommandRow& row) {
    return row.name == line[1] || std::ranges::find(row.aliases, line[1]) != row.aliases.end();
  };
  const auto row = line.size() < 2 ? tables.commands.end() : std::ranges::find_if(tables.commands, is_called_so);
  if (row == tables.commands.end()) return line;
  line[1] = row->name;
  return row->instead ? row->instead(line) : line;
}

Exit carry_out(std::span<const std::string> typed, const Tables& tables, const Console& console) {
  const std::vector<std::string> arguments = meant_line(typed, tables);
  std::vector<std::unique_ptr<Command>> commands;
  std::vector<CommandHead> heads;
  for (const CommandRow& row : tables.commands) {
    commands.push_back(row.make());
    heads.push_back({row.name, row.description, [&tables, command = commands.back().get()](CommandLine& line) {
                       command->add_options(line, tables);
                     }});
  }
  const Choice choice = read_command_line(heads, arguments, build_record().version);
  if (choice.help.empty()) return commands[choice.command]->run({tables, arguments, console});
  console.out(
      wrapped(choice.help, std::min(console.out_columns == 0 ? usual_columns : console.out_columns, widest_help)));
  return Exit::ok;
}

Exit report(const Console& console, std::string text, Exit status) {
  // One line, whatever the user's words in it are; and nothing that a terminal would take for a command.
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = c == '\n' ? ' ' : '?';
  }
  console.err("nasvm: " + text + "\n");
  return status;
}

}  // namespace

int program(std::span<const std::string> arguments, const Tables& tables, const Console& console) {
  const auto guarded = [&] {
    try {
      return carry_out(arguments, tables, console);
    } catch (const Interrupted& interrupt) {
      // Nothing is left to clean up; whoever sent the signal is to see that it has ended this program.
      (void)report(console, interrupt.what(), interrupt.exit_status());
      std::signal(interrupt.signal_number(), SIG_DFL);
      std::raise(interrupt.signal_number());
      return interrupt.exit_status();
    } catch (const Error& error) {
      return report(console, error.what(), error.exit_status());
    } catch (const std::bad_alloc&) {
      return report(console, "out of memory", Exit::broken);
    } catch (const std::exception& error) {
      return report(console, std::string("unexpected: ") + error.what(), Exit::broken);
    }
  };
  return static_cast<int>(guarded());
}

}  // namespace nasvm
