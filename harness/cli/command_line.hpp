#pragma once
/// \file
/// The options of one command: which there are, what they mean, where their values go. This is all that commands see
/// of CLI11, which takes seconds to compile in each file that includes it.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

/// How an option looks in --help.
struct OptionText {
  std::string names;        ///< "--np", "-m,--sizes"; without dashes it is an argument by its place
  std::string placeholder;  ///< of its value: "N"
  std::string description;

  /// For messages: "--np", "-m".
  [[nodiscard]] std::string first_name() const { return names.substr(0, names.find(',')); }
};

enum class Presence { optional, required };

/// What is added refers to variables that receive the values: they must outlive the reading of the command line.
class CommandLine {
 public:
  virtual ~CommandLine() = default;

  /// A text. What `value` holds is the default, which --help shows unless it is empty.
  virtual void option(const OptionText& text, std::string& value, Presence presence = Presence::optional) = 0;
  /// One whose value may be left out, which means `implied`. Without the option `value` stays as it is.
  virtual void option_or(const OptionText& text, const std::string& implied, std::optional<std::string>& value) = 0;
  /// All arguments that are no options.
  virtual void arguments(const OptionText& text, std::vector<std::string>& values,
                         Presence presence = Presence::optional) = 0;
  /// A program and its arguments: all words from the first on that is neither an option nor an option's value,
  /// whatever they look like. Required.
  virtual void program(const OptionText& text, std::vector<std::string>& words) = 0;
  virtual void flag(const OptionText& text, bool& value) = 0;
  /// Text below the options: an example, at least.
  virtual void footer(const std::string& text) = 0;
  /// Once everything has been read, actions are done in the order in which they were added: they make values of
  /// texts and check them. Throw UsageError.
  virtual void afterwards(std::function<void()> action) = 0;
  /// Was the option given? To be asked afterwards.
  [[nodiscard]] virtual bool given(const std::string& name) const = 0;
};

/// A command as the command line knows it.
struct CommandHead {
  std::string_view name;
  std::string_view description;
  std::function<void(CommandLine&)> add_options;
};

/// What the user asked for: a command, or a text to be printed.
struct Choice {
  std::size_t command = 0;  ///< position among the heads
  std::string help;         ///< of --help and --version; empty: carry out the command
};

/// Reads the command line; `arguments[0]` is the program's name. Every error of it is a UsageError of one line: what
/// is wrong, and what would be right.
Choice read_command_line(std::span<const CommandHead> heads, std::span<const std::string> arguments,
                         const std::string& version);

}  // namespace nasvm
