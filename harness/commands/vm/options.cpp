#include "harness/commands/vm/options.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/groups.hpp"
#include "harness/cli/values.hpp"
#include "harness/text.hpp"
#include "vm/keeper/runtime_folder.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::array<std::string_view, 2> formats{"table", "json"};

/// What users of PVM's console are used to.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> synonyms{
    {{"conf", "status"}, {"delete", "remove"}, {"halt", "stop"}}};

VmAction action_of(const std::string& word) {
  const auto names = std::span(vm_action_names).subspan(1);
  const auto found = std::ranges::find(vm_action_names, own_word(word));
  if (found != vm_action_names.end() && !word.empty()) {
    return static_cast<VmAction>(found - vm_action_names.begin());
  }
  throw UsageError(fmt::format("nasvm vm {}: not known{}; actions are {}", word, hint(word, names), joined(names)));
}

/// Of the words behind the action: hosts, or the machine's name.
void take_words(VmOptions& options) {
  if (options.words.empty()) return;
  options.action = action_of(options.words.front());
  const std::string_view action = vm_action_names[static_cast<std::size_t>(options.action)];
  std::vector<std::string> rest(options.words.begin() + 1, options.words.end());
  if (options.action == VmAction::add || options.action == VmAction::remove) {
    options.hosts = std::move(rest);
    return;
  }
  if (rest.size() > 1 || (rest.size() == 1 && !options.name.empty())) {
    throw UsageError(fmt::format("nasvm vm {}: one machine's name is expected, not {}", action, joined(rest, " ")));
  }
  if (rest.empty()) return;
  keeper::check_name(rest.front());  // an empty one, too, which is not that none was given
  options.name = rest.front();
}

/// An option that the action does not have is a mistake.
void check_given(const CommandLine& line, const VmOptions& options) {
  const auto refuse = [&](const char* option, std::string_view actions) {
    throw UsageError(fmt::format("{} is for nasvm vm {}", option, actions));
  };
  const bool starts = options.action == VmAction::start;
  for (const char* option : {"--launcher", "--rsh", "--copy", "--interface"}) {
    if (line.given(option) && !starts) refuse(option, "start: a machine keeps what it was started with");
  }
  for (const char* option : {"--hostfile", "--host"}) {
    if (line.given(option) && !starts && options.action != VmAction::add) refuse(option, "start and add");
  }
  const bool shows = options.action == VmAction::status || options.action == VmAction::ps;
  if (line.given("--format") && !shows) refuse("--format", "status and ps");
}

void check_hosts(const VmOptions& options) {
  const bool wants = options.action == VmAction::add || options.action == VmAction::remove;
  if (!wants || !options.hosts.empty() || !options.machine.hostfile.empty() || !options.machine.hosts.empty()) return;
  throw UsageError(fmt::format("nasvm vm {}: which hosts? for instance nasvm vm {}",
                               vm_action_names[static_cast<std::size_t>(options.action)],
                               options.action == VmAction::add ? "add node7:4 node8:4" : "remove node7"));
}

}  // namespace

std::string_view own_word(std::string_view word) {
  const auto found = std::ranges::find(synonyms, word, [](const auto& pair) { return pair.first; });
  return found == synonyms.end() ? word : found->second;
}

void add_vm_options(CommandLine& line, VmOptions& options) {
  line.arguments({"ACTION", "[WORD...]",
                  "start [NAME], status [NAME], add HOST[:SLOTS]..., remove HOST..., ps [NAME] (the tasks), stop "
                  "[NAME]; none: read them from standard input"},
                 options.words);
  line.option({"--name", "NAME",
               "of the machine (default: default; status and ps: the only one there is; of several, status without a "
               "name lists them)"},
              options.name);
  add_host_options(line, options.machine,
                   "start, add: hosts, one 'name slots=N' a line (default of start: this host, or the nodes of a "
                   "Slurm job)");
  add_choice(line, {"--format", "NAME", fmt::format("status, ps: what to print: {}", joined(formats))},
             options.format, {formats.begin(), formats.end()});
  line.afterwards([&line, &options] {
    take_words(options);
    check_given(line, options);
    check_hosts(options);
    if (!options.name.empty() || line.given("--name")) keeper::check_name(options.name);
  });
  line.footer(
      "Example:\n  nasvm vm start --hostfile hosts\n  nasvm run ep --class S --np 8 --vm\n"
      "  nasvm vm add node7:4\n  nasvm vm status\n  nasvm vm stop");
}

}  // namespace nasvm
