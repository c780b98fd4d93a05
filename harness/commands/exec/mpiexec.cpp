#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/commands/exec/exec.hpp"
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
    Option{"--map-by", nothing},
    Option{"-map-by", nothing},
    Option{"--rank-by", nothing},
    Option{"-genvlist", nothing},
    Option{"-launcher", nothing},
    Option{"-iface", nothing},
    Option{"--oversubscribe", nothing, {}, 0},
    Option{"-oversubscribe", nothing, {}, 0},
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
    if (!has_np_) line_.insert(line_.end(), {"--np", "1"});
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
        line_.emplace_back(option.of_exec);
        line_.insert(line_.end(), values.begin(), values.end());
        return;
      case Meaning::variable:
        return add_variable(values[0]);
      case Meaning::setting:
        return add_variable(values[0] + "=" + values[1]);
      case Meaning::binding:
        if (values[0] == "none") line_.insert(line_.end(), {"--bind", "none"});
        return;
      case Meaning::nothing:
        return;
    }
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
};

bool asks_for_help(std::span<const std::string> line) {
  return line.size() > 2 && (line[2] == "--help" || line[2] == "-h" || line[2] == "-help");
}

std::string names_of(bool with_meaning) {
  std::string names;
  for (const Option& option : options) {
    if ((option.meaning != nothing) != with_meaning) continue;
    names += fmt::format("{}{}", names.empty() ? "" : " ", option.name);
  }
  return names;
}

/// For its help alone: `instead` makes it a line of exec.
class Mpiexec final : public Command {
 public:
  void add_options(CommandLine& line, const Tables&) override {
    line.arguments({"OPTIONS PROGRAM", "", "options, the program, its arguments"}, words_);
    line.footer("nasvm exec of one run, quietly, with the options that others' launchers have:\n" + names_of(true) +
                "\n\nThese mean nothing here and are passed over:\n" + names_of(false) +
                "\n\nThe exit status is the program's.\n\nExample:\n  nasvm mpiexec -n 4 ./program --size 10");
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
  return ExecLine(mpiexec_line).make();
}

CommandRow mpiexec_command() {
  CommandRow row{"mpiexec", "run an MPI program once and quietly, as other launchers do",
                 [] { return std::make_unique<Mpiexec>(); }};
  row.instead = exec_line_of;
  return row;
}

}  // namespace nasvm
