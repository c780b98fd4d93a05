#include "harness/testbed/lab.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "harness/session/progress.hpp"
#include "vm/launch/machine.hpp"
#include "vm/process/programs.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;

constexpr auto lab_patience = 120s;  ///< for the script to make hosts, or to end them

/// Starts nasvm-lab-exchange ($1) with its plan ($2) on the host of each rank; fails when one of them does.
constexpr const char* exchange_script = R"sh(
rank=0
pids=()
for host in $(awk '$1 == "host" { print $2 }' "$2"); do
  $NASVM_RSH "$host" "$(printf '%q ' "$1" "$2" "$rank")" </dev/null &
  pids+=($!)
  rank=$((rank + 1))
done
status=0
for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
exit "$status"
)sh";

/// Goes whatever happens.
struct Removed {
  std::string file;
  explicit Removed(std::string path) : file(std::move(path)) {}
  ~Removed() {
    std::error_code error;
    std::filesystem::remove(file, error);
  }
  Removed(const Removed&) = delete;
  Removed& operator=(const Removed&) = delete;
};

class ScriptLab final : public Lab {
 public:
  explicit ScriptLab(const LabOptions& options)
      : script_(options.script),
        folder_(options.folder),
        // Several may run at once.
        name_(fmt::format("{}-{}", options.name, ::getpid())),
        program_(process::find_sibling("nasvm")) {
    std::vector<std::string> words{"up",      std::to_string(options.hosts),
                                   "--name",  name_,
                                   "--slots", "1",
                                   "--rate",  fmt::format("{}mbit", options.rate_mbit_s)};
    if (options.medium == Medium::shared) words.emplace_back("--shared");
    try {
      const ProgramResult result = call(words, lab_patience);
      if (!result.ended_well)
        throw UsageError(fmt::format("no {} can be made: {}", options.name, last_words(result)));
    } catch (const Interrupted&) {
      down();
      throw;
    }
  }
  ~ScriptLab() override {
    try {
      down();
    } catch (const Error&) {
      // Said by whoever has called down() before.
    }
  }
  ScriptLab(const ScriptLab&) = delete;
  ScriptLab& operator=(const ScriptLab&) = delete;

  [[nodiscard]] std::string hostfile() const override { return name_ + ".hosts"; }

  ProgramResult run(const std::vector<std::string>& words, std::chrono::milliseconds timeout) override {
    std::vector<std::string> all{"exec", "--name", name_, "1", program_};
    all.insert(all.end(), words.begin(), words.end());
    return call(all, timeout);
  }

  /// Folders are shared by all hosts.
  ProgramResult exchange(const std::string& plan, std::chrono::milliseconds timeout) override {
    const std::string program = process::find_sibling("nasvm-lab-exchange");
    if (program.empty()) throw UsageError("nasvm-lab-exchange is not built: make build");
    const std::string file = folder_ + "/" + name_ + ".exchange";
    const Removed removed(file);
    std::ofstream stream(file);
    if (!(stream << plan).flush()) throw RunError("cannot write " + file);
    return call({"exec", "--name", name_, "1", "bash", "-c", exchange_script, "bash", program, file}, timeout);
  }

  void slow(int host, double share) override {
    const std::string words = share > 0 ? fmt::format("{:.2f}%", 100 * share) : std::string("off");
    const ProgramResult result = call({"slow", "--name", name_, std::to_string(host), words}, lab_patience);
    if (!result.ended_well) throw RunError(last_words(result));
  }

  void down() override {
    while (!is_down_) {
      try {
        const ProgramResult result = call({"down", "--name", name_}, lab_patience);
        is_down_ = true;
        if (!result.ended_well) throw RunError(fmt::format("lab {} stays: {}", name_, last_words(result)));
      } catch (const Interrupted&) {
        // The script has been ended before its time.
      }
    }
  }

 private:
  /// The script writes its hostfile into the folder that it is called in.
  [[nodiscard]] ProgramResult call(const std::vector<std::string>& words, std::chrono::milliseconds timeout) const {
    std::vector<std::string> all{"--chdir=" + folder_, script_};
    all.insert(all.end(), words.begin(), words.end());
    return run_program({.program = process::find_in_path("env"), .arguments = all}, timeout);
  }

  std::string script_;
  std::string folder_;
  std::string name_;
  std::string program_;
  bool is_down_ = false;
};

}  // namespace

std::string complaint_of(const ProgramResult& result) {
  std::vector<std::string> errors = result.errors;
  std::erase_if(errors, Progress::is_word);
  if (errors.empty()) return "";
  const std::string& words = errors.back();
  constexpr std::string_view name = "nasvm: ";
  if (!words.starts_with(name)) return words;
  std::string complaint = words.substr(name.size());
  // A daemon on this host says by itself why it has ended.
  const std::string before = errors.size() > 1 ? errors[errors.size() - 2] : "";
  if (before.starts_with("nasvmd: ")) complaint += ": " + before;
  return complaint;
}

std::string last_words(const ProgramResult& result) {
  if (result.overdue) return "does not end";
  const std::string complaint = complaint_of(result);
  return complaint.empty() ? result.ending : complaint;
}

std::unique_ptr<Lab> make_script_lab(const LabOptions& options) { return std::make_unique<ScriptLab>(options); }

std::string find_lab_script() {
  const std::filesystem::path program = process::own_program();
  // build/nasvm, or build/tests/harness_tests
  for (auto folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    const std::filesystem::path script = folder / "scripts/lab";
    if (::access(script.c_str(), X_OK) == 0) return script;
  }
  throw UsageError("scripts/lab is not found above " + program.string() + "; name it with --lab");
}

}  // namespace nasvm
