#include "harness/commands/vm/vm.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "harness/cli/words.hpp"
#include "harness/commands/vm/options.hpp"
#include "harness/commands/vm/report.hpp"
#include "harness/document/build_info.hpp"
#include "harness/report/distinct.hpp"
#include "harness/session/machines.hpp"
#include "harness/text.hpp"
#include "vm/keeper/kept_machine.hpp"
#include "vm/keeper/runtime_folder.hpp"

namespace nasvm {
namespace {

constexpr const char* console_help =
    "start [NAME] [OPTION...]      starts a machine (options as of nasvm vm start)\n"
    "status, conf [NAME]           hosts, what runs, what waits; of several machines without NAME: which there are\n"
    "add HOST[:SLOTS]...           more hosts\n"
    "remove, delete HOST...        fewer\n"
    "ps [NAME]                     tasks of the program that is running\n"
    "stop, halt [NAME]             ends the machine\n"
    "quit                          leaves this console; the machine goes on\n";

/// One of those that were typed, carried out.
class Action {
 public:
  Action(const VmOptions& options, const Console& console) : options_(options), console_(console) {}

  void carry_out() {
    switch (options_.action) {
      case VmAction::console:
        return;
      case VmAction::start:
        return start();
      case VmAction::status:
        return status();
      case VmAction::add:
        return add();
      case VmAction::remove:
        return remove();
      case VmAction::ps:
        return ps();
      case VmAction::stop:
        return stop();
    }
  }

 private:
  [[nodiscard]] std::string name() const {
    return options_.name.empty() ? std::string(keeper::usual_name) : options_.name;
  }
  [[nodiscard]] keeper::KeptMachine machine() const { return keeper::KeptMachine(name()); }

  void start() {
    const Machine::Options machine = machine_options(options_.machine);
    keeper::start_machine(name(), machine);
    console_.out(fmt::format("machine {} is up: {}\n", name(), counted(machine.hosts.size(), "host")));
  }

  void status() {
    const std::vector<std::string> names = keeper::names_of_machines();
    if (options_.name.empty() && names.size() > 1 && options_.format != "json") return list(names);
    const keeper::KeptMachine kept(name_to_show());
    console_.out(options_.format == "json" ? machine_json(kept.state())
                                           : machine_table(kept.state(), console_.out_columns));
  }

  /// Without a name the only one is meant, whatever its name is.
  [[nodiscard]] std::string name_to_show() const {
    const std::vector<std::string> names = keeper::names_of_machines();
    if (!options_.name.empty() || names.empty()) return name();
    if (names.size() == 1) return names.front();
    throw UsageError(fmt::format("which machine? there are {}: name one, for instance nasvm vm {} {}", joined(names),
                                 vm_action_names[static_cast<std::size_t>(options_.action)], names.front()));
  }

  void list(const std::vector<std::string>& names) {
    std::vector<MachineLine> lines;
    lines.reserve(names.size());
    for (const std::string& one : names) lines.push_back({one, line_of(one)});
    console_.out(machines_table(lines, console_.out_columns));
  }

  static std::string line_of(const std::string& one) {
    try {
      const keeper::KeptMachine kept(one);
      const keeper::State& state = kept.state();
      return fmt::format("up: {}, {}", counted(keeper::hosts_of(state).size(), "host"),
                         state.jobs.empty() ? "nothing is running" : state.jobs.front().what);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      return error.what();
    }
  }

  void add() {
    std::vector<HostSpec> hosts;
    if (!options_.machine.hostfile.empty()) hosts = read_hostfile(options_.machine.hostfile);
    const std::size_t of_file = hosts.size();
    std::vector<std::string> words = options_.hosts;
    if (!options_.machine.hosts.empty()) words.push_back(options_.machine.hosts);
    if (!words.empty()) {
      const auto named = parse_host_list(joined(words, ","));
      hosts.insert(hosts.end(), named.begin(), named.end());
    }
    check_each_once(hosts);
    keeper::KeptMachine kept(name());
    pass_over(keeper::hosts_of(kept.state()), hosts, of_file);
    tell_of_waiting(kept);
    kept.add(hosts);
    console_.out(fmt::format("{} added to machine {}\n", counted(hosts.size(), "host"), name()));
  }

  /// A hostfile may have grown since its hosts were added; who names a host by itself means that one.
  void pass_over(const std::vector<HostSpec>& there, std::vector<HostSpec>& hosts, std::size_t of_file) const {
    std::vector<std::string> names;
    const auto is_there = [&](const HostSpec& host) {
      const bool is = std::ranges::any_of(there, std::bind_front(is_one_host, host));
      if (is) names.push_back(host.name);
      return is;
    };
    const auto behind = hosts.begin() + static_cast<std::ptrdiff_t>(of_file);
    hosts.erase(std::remove_if(hosts.begin(), behind, is_there), behind);
    if (names.empty()) return;
    const std::string text = fmt::format("a part of machine {} already: {}", name(), joined(names));
    if (hosts.empty()) throw UsageError(fmt::format("{}: nothing to add, {}", options_.machine.hostfile, text));
    console_.err(fmt::format("nasvm: {}\n", text));
  }

  /// In the hostfile and behind it, slots of one host could mean two things.
  static void check_each_once(const std::vector<HostSpec>& hosts) {
    for (auto host = hosts.begin(); host != hosts.end(); ++host) {
      if (std::find_if(hosts.begin(), host, [&](const HostSpec& one) { return is_one_host(one, *host); }) == host)
        continue;
      throw UsageError(fmt::format("host {} stands in the hostfile already", host->name));
    }
  }

  void remove() {
    const std::vector<std::string> hosts = distinct(options_.hosts, std::identity{});
    keeper::KeptMachine kept(name());
    tell_of_waiting(kept);
    kept.remove(hosts);
    console_.out(fmt::format("{} removed from machine {}\n", counted(hosts.size(), "host"), name()));
  }

  void tell_of_waiting(keeper::KeptMachine& kept) const {
    kept.on_wait([this](int before) {
      console_.err(fmt::format("nasvm: machine {} is busy: {} before this one\n", name(), before));
    });
  }

  void ps() {
    const keeper::KeptMachine kept(name_to_show());
    console_.out(options_.format == "json" ? machine_json(kept.state())
                                           : tasks_table(kept.state(), console_.out_columns));
  }

  void stop() {
    static constexpr std::array<const char*, 3> endings{
        "machine {} has ended\n",
        "machine {} did not answer: its keeper was killed, and its hosts end by themselves\n",
        "machine {} was not running any more; what its keeper had left is removed\n"};
    const keeper::Ending ending = keeper::stop_machine(name());
    console_.out(fmt::format(fmt::runtime(endings[static_cast<std::size_t>(ending)]), name()));
  }

  const VmOptions& options_;
  const Console& console_;
};

/// Actions line by line, as PVM's console has them. Each line is read as the command line is. `name` is the machine
/// of those that name none; empty: none was given.
class ActionConsole {
 public:
  ActionConsole(std::istream& input, const Call& call, std::string name)
      : input_(input), call_(call), name_(std::move(name)) {}

  /// Status of the last line that has failed.
  Exit run() {
    Exit status = Exit::ok;
    for (std::string line; !left_ && prompt() && std::getline(input_, line);) {
      const Exit one = read(line);
      if (one != Exit::ok) status = one;
    }
    return status;
  }

 private:
  [[nodiscard]] bool prompt() const {
    if (&input_ == &std::cin && ::isatty(STDIN_FILENO) != 0) call_.console.out("vm> ");
    return true;
  }

  Exit read(const std::string& line) {
    const std::size_t first = line.find_first_not_of(" \t\n\v\f\r");
    if (first == std::string::npos || line[first] == '#') return Exit::ok;  // a remark may have half a quote
    try {
      carry_out(words_in("vm", line));
      return Exit::ok;
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      call_.console.err(fmt::format("nasvm: {}\n", error.what()));
      return error.exit_status();
    }
  }

  void carry_out(const std::vector<std::string>& typed) {
    if (typed.front() == "help" || typed.front() == "?") return call_.console.out(console_help);
    if (typed.front() == "quit" || typed.front() == "exit") {
      left_ = true;
      return;
    }
    std::vector<std::string> words{"nasvm", "vm"};
    words.insert(words.end(), typed.begin(), typed.end());
    VmOptions options;
    options.machine.launchers = call_.tables.launchers;
    const std::vector<CommandHead> heads{
        {"vm", "", [&options](CommandLine& command) { add_vm_options(command, options); }}};
    const Choice choice = read_command_line(heads, words, build_record().version);
    if (!choice.help.empty()) return call_.console.out(choice.help);
    if (options.name.empty()) options.name = name_;
    Action(options, call_.console).carry_out();
    left_ = options.action == VmAction::stop;
  }

  std::istream& input_;
  const Call& call_;
  std::string name_;
  bool left_ = false;
};

class Vm final : public Command {
 public:
  explicit Vm(std::istream& input) : input_(input) {}

  void add_options(CommandLine& line, const Tables& tables) override {
    options_.machine.launchers = tables.launchers;
    add_vm_options(line, options_);
  }

  Exit run(const Call& call) override {
    if (options_.action == VmAction::console) return ActionConsole(input_, call, options_.name).run();
    Action(options_, call.console).carry_out();
    return Exit::ok;
  }

 private:
  std::istream& input_;
  VmOptions options_;
};

}  // namespace

CommandRow vm_command(std::istream& input) {
  return {"vm", "machines that are kept between runs: start, status, add, remove, ps, stop",
          [&input] { return std::make_unique<Vm>(input); }};
}

CommandRow vm_command() { return vm_command(std::cin); }

}  // namespace nasvm
