#include <algorithm>
#include <array>

#include "harness/commands/exec/exec.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// An option of mpiexec: what exec calls it, and how many words follow it.
struct Option {
  std::string_view name;
  std::string_view of_exec;  ///< empty: it means nothing here
  int words = 1;
};
constexpr std::array options{
    Option{"-n", "--np"},
    Option{"-np", "--np"},
    Option{"--np", "--np"},
    Option{"-c", "--np"},
    Option{"-host", "--host"},
    Option{"--host", "--host"},
    Option{"-H", "--host"},
    Option{"-hostfile", "--hostfile"},
    Option{"--hostfile", "--hostfile"},
    Option{"-machinefile", "--hostfile"},
    Option{"-f", "--hostfile"},
    Option{"--timeout", "--timeout"},
    Option{"--transport", "--transport"},
    Option{"--tag-output", "--tag-output", 0},
    Option{"-l", "--tag-output", 0},
    Option{"--oversubscribe", "", 0},
    Option{"--allow-run-as-root", "", 0},
    Option{"--mca", "", 2},
    Option{"-mca", "", 2},
    Option{"--bind-to", ""},
    Option{"--map-by", ""},
    Option{"-q", "", 0},
};

}  // namespace

std::vector<std::string> exec_line_of(std::span<const std::string> mpiexec_line) {
  std::vector<std::string> line{mpiexec_line.front(), "exec", "--quiet"};
  std::string variables;
  bool has_np = false;
  std::size_t at = 2;
  const auto next = [&](const std::string& option) -> const std::string& {
    if (++at >= mpiexec_line.size()) throw UsageError("mpiexec " + option + ": its value is missing");
    return mpiexec_line[at];
  };
  for (; at < mpiexec_line.size() && mpiexec_line[at].starts_with('-') && mpiexec_line[at] != "--"; ++at) {
    const std::string& word = mpiexec_line[at];
    if (word == "-x") {
      variables += (variables.empty() ? "" : ",") + next(word);
      continue;
    }
    const auto option = std::ranges::find(options, word, &Option::name);
    if (option == options.end()) {
      throw UsageError("mpiexec " + word + ": no such option; nasvm exec --help has all that there are");
    }
    has_np = has_np || option->of_exec == "--np";
    if (!option->of_exec.empty()) line.emplace_back(option->of_exec);
    for (int i = 0; i < option->words; ++i) {
      const std::string& value = next(word);
      if (!option->of_exec.empty()) line.push_back(value);
    }
  }
  if (at < mpiexec_line.size() && mpiexec_line[at] == "--") ++at;
  if (at >= mpiexec_line.size()) throw UsageError("mpiexec: name a program, as in nasvm mpiexec -n 4 ./program");
  if (!has_np) line.insert(line.end(), {"--np", "1"});
  if (!variables.empty()) line.insert(line.end(), {"-x", variables});
  line.emplace_back("--");
  line.insert(line.end(), mpiexec_line.begin() + static_cast<std::ptrdiff_t>(at), mpiexec_line.end());
  return line;
}

}  // namespace nasvm
