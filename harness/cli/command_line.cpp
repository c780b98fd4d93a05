#include "harness/cli/command_line.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

std::string empty_value_text(const std::string& option) {
  return fmt::format("{}: its value is empty; give it one, or leave it out", option);
}

/// Stands in front of a word in brackets while CLI11 has it: it would take "[a,b]" for a list of arguments.
constexpr char shield = '\x1f';

std::string shielded(const std::string& word) { return word.starts_with('[') ? shield + word : word; }
void unshield(std::string& word) {
  if (word.starts_with(shield) && word[1] == '[') word.erase(0, 1);
}

class Cli11Line final : public CommandLine {
 public:
  explicit Cli11Line(CLI::App& command) : command_(command) {}

  void option(const OptionText& text, std::string& value, Presence presence) override {
    CLI::Option* option = command_.add_option(text.names, value, text.description)->type_name(text.placeholder);
    if (!value.empty()) option->capture_default_str();
    option->required(presence == Presence::required);
    values_.push_back(&value);
  }
  void option_or(const OptionText& text, const std::string& implied, std::optional<std::string>& value) override {
    command_
        .add_option_function<std::string>(
            text.names,
            [&value](std::string given) {
              unshield(given);
              value = std::move(given);
            },
            text.description)
        ->type_name(text.placeholder)
        ->expected(0, 1)
        ->default_str(implied);
  }
  void arguments(const OptionText& text, std::vector<std::string>& values, Presence presence) override {
    command_.add_option(text.names, values, text.description)
        ->type_name(text.placeholder)
        ->required(presence == Presence::required);
    lists_.push_back(&values);
  }
  void program(const OptionText& text, std::vector<std::string>& words) override {
    arguments(text, words, Presence::required);
    command_.positionals_at_end();
  }
  void flag(const OptionText& text, bool& value) override { command_.add_flag(text.names, value, text.description); }
  void footer(const std::string& text) override { command_.footer(text); }
  void afterwards(std::function<void()> action) override { actions_.push_back(std::move(action)); }
  [[nodiscard]] bool given(const std::string& name) const override { return command_.count(name) > 0; }

  void act() const {
    refuse_empty_values();
    for (std::string* value : values_) unshield(*value);
    for (std::vector<std::string>* list : lists_) std::ranges::for_each(*list, unshield);
    for (const auto& action : actions_) action();
  }

 private:
  /// Who gives an option an empty value ("$UNSET") has meant something: it is not taken for an option left out.
  void refuse_empty_values() const {
    for (const CLI::Option* option : std::as_const(command_).get_options()) {
      const bool empty = std::ranges::find(option->results(), "") != option->results().end();
      if (option->get_positional() || !empty) continue;
      throw UsageError(empty_value_text(option->get_name()));
    }
  }

  CLI::App& command_;
  std::vector<std::function<void()>> actions_;
  std::vector<std::string*> values_;
  std::vector<std::vector<std::string>*> lists_;
};

std::string one_line(std::string text) {
  std::erase(text, shield);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void check_command_name(std::span<const CommandHead> heads, std::span<const std::string> arguments) {
  const std::string list = joined(names_of(heads));
  if (arguments.size() < 2) {
    throw UsageError(fmt::format("no command given; commands are {} (nasvm --help says more)", list));
  }
  const std::string& name = arguments[1];
  if (!name.starts_with('-') && std::ranges::find(heads, name, &CommandHead::name) == heads.end()) {
    throw UsageError(
        fmt::format("command '{}' is not known{}; commands are {}", name, hint(name, names_of(heads)), list));
  }
}

/// Options that the command has, as they are typed.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// "did you mean --class? ", for the first of `typed` that is near an option of the command; or nothing.
std::string option_hint(const CLI::App& command, const std::vector<std::string>& typed) {
  const std::vector<std::string> names = option_names(command);
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const std::string& word : typed) {
    const std::string_view likely = likely_name(std::string_view(word).substr(0, word.find('=')), known);
    if (word.starts_with('-') && !likely.empty()) return fmt::format("did you mean {}? ", likely);
  }
  return "";
}

/// Arguments that nobody knows are said before those that are missing: these may be their misspelling.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string name = chosen.empty() ? "nasvm" : "nasvm " + command.get_name();
  std::vector<std::string> unknown = command.remaining();
  std::erase(unknown, "--");  // everybody knows that
  // CLI11 turns them round.
  const std::string what =
      unknown.empty() ? error.what() : CLI::ExtrasError(name, {unknown.rbegin(), unknown.rend()}).what();
  throw UsageError(fmt::format("{} ({}{} --help says more)", one_line(what), option_hint(command, unknown), name));
}

/// --np of a command that starts a program, as other launchers have it. To CLI11 it is "-n p".
std::string long_name(const std::string& argument) {
  return argument == "-np" || argument.starts_with("-np=") ? "-" + argument : argument;
}

/// How many of the arguments, the command's name among them, may be options: none behind "--" is one, nor behind the
/// first word of a program.
std::size_t count_until_program(const CLI::App& command, std::span<const std::string> arguments) {
  std::size_t at = 2;
  for (; at < arguments.size() && arguments[at] != "--"; ++at) {
    if (!command.get_positionals_at_end()) continue;
    if (!arguments[at].starts_with('-')) break;
    const CLI::Option* option = command.get_option_no_throw(long_name(arguments[at]));
    if (option == nullptr || option->get_items_expected_max() == 0) continue;
    const bool may_lack_value = option->get_items_expected_min() == 0;
    if (may_lack_value && at + 1 < arguments.size() && arguments[at + 1].starts_with('-')) continue;
    ++at;
  }
  return std::min(at, arguments.size());
}

/// CLI11 takes "--np=" for "--np", and what follows it for its value.
void refuse_empty_values(const CLI::App& command, std::span<const std::string> arguments) {
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("--") || argument.find('=') + 1 != argument.size()) continue;
    const std::string name = argument.substr(0, argument.size() - 1);
    const std::vector<std::string> known = option_names(command);
    if (std::ranges::find(known, name) != known.end()) throw UsageError(empty_value_text(name));
  }
}

/// The text that was asked for with --help or --version; empty when there are options to read instead.
std::string parse_or_help(CLI::App& app, std::span<const std::string> arguments, const std::string& version) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - 1);
  std::ranges::transform(reversed, reversed.begin(), shielded);
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    for (const CLI::App* command : app.get_subcommands()) return command->help("nasvm");
    return app.help();
  } catch (const CLI::CallForVersion&) {
    return fmt::format("nasvm {}\n", version);
  } catch (const CLI::ParseError& error) {
    refuse(app, error);
  }
  return {};
}

}  // namespace

Choice read_command_line(std::span<const CommandHead> heads, std::span<const std::string> arguments,
                         const std::string& version) {
  check_command_name(heads, arguments);
  CLI::App app("NAS kernels on a virtual machine: what each way of passing messages costs.", "nasvm");
  app.footer(
      "Examples:\n  nasvm run all --class A --np 8 --transport daemon,direct\n"
      "  nasvm p2p --transport daemon,direct,raw-tcp -m 1:1M\n"
      "  nasvm hosts --methods --np 8\n\n"
      "Exit status: 0 all well; 1 a verification failed, or something got slower; 2 wrong usage;\n"
      "3 a run could not finish; 4 regress could not decide.");
  app.set_version_flag("--version", "");
  app.require_subcommand(1);
  std::vector<std::unique_ptr<Cli11Line>> lines;
  for (const CommandHead& head : heads) {
    CLI::App& command = *app.add_subcommand(std::string(head.name), std::string(head.description));
    lines.push_back(std::make_unique<Cli11Line>(command));
    head.add_options(*lines.back());
  }
  std::vector<std::string> words(arguments.begin(), arguments.end());
  if (!words[1].starts_with('-')) {
    const CLI::App& command = *app.get_subcommand(words[1]);
    const std::span may_be_options(words.data(), count_until_program(command, words));
    refuse_empty_values(command, may_be_options.subspan(2));
    if (command.get_positionals_at_end()) {
      std::ranges::transform(may_be_options, may_be_options.begin(), long_name);
    }
  }
  if (std::string text = parse_or_help(app, words, version); !text.empty()) return {0, std::move(text)};
  const std::string chosen = app.get_subcommands().front()->get_name();
  const auto position =
      static_cast<std::size_t>(std::ranges::find(heads, chosen, &CommandHead::name) - heads.begin());
  lines[position]->act();
  return {position, {}};
}

}  // namespace nasvm
