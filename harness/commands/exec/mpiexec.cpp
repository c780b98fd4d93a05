#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "harness/commands/exec/exec.hpp"
#include "harness/session/machines.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// What becomes of an option of mpiexec.
enum class Meaning {
  option,    ///< of exec, under another name
  nothing,   ///< it is passed over
  variable,  ///< NAME=VALUE or NAME
  setting,   ///< NAME VALUE
  binding,
  placing,   ///< of tasks on hosts, which is passed over where there is one
  per_host,  ///< how many of them each host has
};

struct Option {
  std::string_view name;
  Meaning meaning = Meaning::nothing;
  std::string_view of_exec{};
  int words = 1;  ///< that follow it
};

using enum Meaning;

/// Those of Open MPI and of MPICH that test runners use.
constexpr std::array options{
    Option{"-n", option, "--np"},
    Option{"-np", option, "--np"},
    Option{"--np", option, "--np"},
    Option{"--n", option, "--np"},
    Option{"-c", option, "--np"},
    Option{"-host", option, "--host"},
    Option{"--host", option, "--host"},
    Option{"-hosts", option, "--host"},
    Option{"-H", option, "--host"},
    Option{"-hostfile", option, "--hostfile"},
    Option{"--hostfile", option, "--hostfile"},
    Option{"-machinefile", option, "--hostfile"},
    Option{"--machinefile", option, "--hostfile"},
    Option{"-f", option, "--hostfile"},
    Option{"-timeout", option, "--timeout"},
    Option{"--timeout", option, "--timeout"},
    Option{"-wdir", option, "--folder"},
    Option{"--wdir", option, "--folder"},
    Option{"-wd", option, "--folder"},
    Option{"--transport", option, "--transport"},
    Option{"--table", option, "--table"},
    Option{"--export-json", option, "--export-json"},
    Option{"-tag-output", option, "--tag-output", 0},
    Option{"--tag-output", option, "--tag-output", 0},
    Option{"-prepend-rank", option, "--tag-output", 0},
    Option{"-l", option, "--tag-output", 0},
    Option{"-x", variable},
    Option{"-env", setting, {}, 2},
    Option{"-genv", setting, {}, 2},
    Option{"-bind-to", binding},
    Option{"--bind-to", binding},
    Option{"--mca", nothing, {}, 2},
    Option{"-mca", nothing, {}, 2},
    Option{"--gmca", nothing, {}, 2},
    Option{"-gmca", nothing, {}, 2},
    Option{"--prefix", nothing},
    Option{"--map-by", placing},
    Option{"-map-by", placing},
    Option{"--rank-by", placing},
    Option{"-rank-by", placing},
    Option{"-ppn", per_host},
    Option{"-N", per_host},
    Option{"--npernode", per_host},
    Option{"-npernode", per_host},
    Option{"-genvlist", nothing},
    Option{"-launcher", nothing},
    Option{"-iface", nothing},
    Option{"--oversubscribe", nothing, {}, 0},
    Option{"-oversubscribe", nothing, {}, 0},
    Option{"--nooversubscribe", nothing, {}, 0},
    Option{"-nooversubscribe", nothing, {}, 0},
    Option{"--display-map", nothing, {}, 0},
    Option{"-display-map", nothing, {}, 0},
    Option{"-v", nothing, {}, 0},
    Option{"--use-hwthread-cpus", nothing, {}, 0},
    Option{"--allow-run-as-root", nothing, {}, 0},
    Option{"--report-bindings", nothing, {}, 0},
    Option{"-genvall", nothing, {}, 0},
    Option{"-envall", nothing, {}, 0},
    Option{"--quiet", nothing, {}, 0},
    Option{"-q", nothing, {}, 0},
};

/// The line while it is made.
class ExecLine {
 public:
  explicit ExecLine(std::span<const std::string> given) : given_(given), line_{given.front(), "exec", "--quiet"} {}

  std::vector<std::string> make() {
    for (; is_option(); ++at_) take_option();
    if (at_ < given_.size() && given_[at_] == "--") ++at_;
    if (at_ >= given_.size()) throw UsageError("mpiexec: name a program, as in nasvm mpiexec -n 4 ./program");
    if (std::find(given_.begin() + static_cast<std::ptrdiff_t>(at_), given_.end(), ":") != given_.end()) {
      throw UsageError(
          "mpiexec: several programs (:) are not known: all tasks run one; nasvm exec hands a : on to it");
    }
    check_placing();
    if (!has_np_) line_.insert(line_.end(), {"--np", per_host_.empty() ? "1" : per_host_});
    if (!variables_.empty()) line_.insert(line_.end(), {"-x", variables_});
    line_.emplace_back("--");
    line_.insert(line_.end(), given_.begin() + static_cast<std::ptrdiff_t>(at_), given_.end());
    return line_;
  }

 private:
  [[nodiscard]] bool is_option() const {
    return at_ < given_.size() && given_[at_].starts_with('-') && given_[at_] != "--";
  }

  /// The next word; of "--np=4" what stands behind the sign.
  std::string next(std::string_view option) {
    if (inline_value_.has_value()) return *std::exchange(inline_value_, std::nullopt);
    if (++at_ >= given_.size()) throw UsageError(fmt::format("mpiexec {}: its value is missing", option));
    return given_[at_];
  }

  void take_option() {
    std::string word = given_[at_];
    if (const auto sign = word.find('='); word.starts_with("--") && sign != std::string::npos) {
      inline_value_ = word.substr(sign + 1);
      word.resize(sign);
    }
    const auto option = std::ranges::find(options, word, &Option::name);
    if (option == options.end()) {
      throw UsageError(fmt::format("mpiexec {}: this option is not known; nasvm mpiexec --help lists them", word));
    }
    carry_over(*option);
    inline_value_.reset();
  }

  void carry_over(const Option& option) {
    std::vector<std::string> values;
    for (int i = 0; i < option.words; ++i) values.push_back(next(option.name));
    switch (option.meaning) {
      case Meaning::option:
        has_np_ = has_np_ || option.of_exec == "--np";
        if (option.of_exec == "--host") hosts_.hosts = values[0];
        if (option.of_exec == "--hostfile") hosts_.hostfile = values[0];
        line_.emplace_back(option.of_exec);
        line_.insert(line_.end(), values.begin(), values.end());
        return;
      case Meaning::variable:
        if (is_set(values[0])) add_variable(values[0]);
        return;
      case Meaning::setting:
        return add_variable(values[0] + "=" + values[1]);
      case Meaning::binding:
        if (values[0] == "none") line_.insert(line_.end(), {"--bind", "none"});
        return;
      case Meaning::placing:
        if (!is_slot_by_slot(values[0])) placing_ = option.name;
        return;
      case Meaning::per_host:
        placing_ = option.name;
        per_host_ = values[0];
        return;
      case Meaning::nothing:
        return;
    }
  }

  /// "slot", with or without modifiers behind a colon: as we do it.
  static bool is_slot_by_slot(std::string_view way) {
    const std::string_view by = way.substr(0, way.find(':'));
    return by.empty() || by == "slot";
  }

  /// Tasks would run elsewhere than they are wanted.
  void check_placing() const {
    if (placing_.empty() || machine_options(hosts_).hosts.size() < 2) return;
    throw UsageError(fmt::format(
        "mpiexec {}: tasks go slot by slot through several hosts; leave it out, and say how many each host takes: in "
        "the hostfile (name slots=N), or by --host a:N,b:N",
        placing_));
  }

  /// Others' launchers go on without a variable that is not there.
  static bool is_set(const std::string& variable) {
    if (variable.find('=') != std::string::npos || std::getenv(variable.c_str()) != nullptr) return true;
    std::fprintf(stderr,
                 "nasvm: mpiexec -x %s: there is no such variable here, so it is left out; -x %s=VALUE sets it\n",
                 variable.c_str(), variable.c_str());
    return false;
  }

  void add_variable(const std::string& variable) {
    if (!variables_.empty()) variables_ += ',';
    for (const char c : variable) {
      if (c == ',' || c == '\\') variables_ += '\\';
      variables_ += c;
    }
  }

  std::span<const std::string> given_;
  std::size_t at_ = 2;
  std::vector<std::string> line_;
  std::string variables_;
  std::optional<std::string> inline_value_;
  bool has_np_ = false;
  MachineOptions hosts_;
  std::string_view placing_;  ///< an option that wants tasks placed in another way than ours; empty: none does
  std::string per_host_;
};

bool asks_for_help(std::span<const std::string> line) {
  return line.size() > 2 && (line[2] == "--help" || line[2] == "-h" || line[2] == "-help");
}

bool asks_for_version(std::span<const std::string> line) {
  return line.size() > 2 && (line[2] == "--version" || line[2] == "-V" || line[2] == "-version");
}

enum class Use { passed_over, of_one_host, with_meaning };

Use use_of(const Option& option) {
  if (option.meaning == nothing) return Use::passed_over;
  return option.meaning == placing || option.meaning == per_host ? Use::of_one_host : Use::with_meaning;
}

std::string names_of(Use use) {
  std::string names;
  for (const Option& option : options) {
    if (use_of(option) != use) continue;
    names += fmt::format("{}{}", names.empty() ? "" : " ", option.name);
  }
  return names;
}

/// For its help alone: `instead` makes it a line of exec.
class Mpiexec final : public Command {
 public:
  void add_options(CommandLine& line, const Tables&) override {
    line.arguments({"OPTIONS PROGRAM", "", "options, the program, its arguments"}, words_);
    line.footer("nasvm exec of one run, quietly, with the options that others' launchers have:\n" +
                names_of(Use::with_meaning) + "\n\nThese mean nothing here and are passed over:\n" +
                names_of(Use::passed_over) + "\n\nThese are passed over with one host, and refused with several:\n" +
                names_of(Use::of_one_host) +
                "\n\n--version and -V print that of nasvm. The exit status is the program's.\n\nExample:\n"
                "  nasvm mpiexec -n 4 ./program --size 10");
  }
  Exit run(const Call&) override { return Exit::usage; }

 private:
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> exec_line_of(std::span<const std::string> mpiexec_line) {
  if (asks_for_help(mpiexec_line)) {
    std::vector<std::string> line(mpiexec_line.begin(), mpiexec_line.begin() + 2);
    line.emplace_back("--help");
    return line;
  }
  if (asks_for_version(mpiexec_line)) return {mpiexec_line.front(), "--version"};
  return ExecLine(mpiexec_line).make();
}

CommandRow mpiexec_command() {
  CommandRow row{"mpiexec", "run an MPI program once and quietly, as other launchers do",
                 [] { return std::make_unique<Mpiexec>(); }};
  static constexpr std::array<std::string_view, 1> aliases{"mpirun"};
  row.aliases = aliases;
  row.instead = exec_line_of;
  return row;
}

}  // namespace nasvm
