#include "harness/commands/mpicc/mpicc.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "vm/abi/launch/program_file.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Does the compiler link with these words? Not where it is told to stop before, or is only asked for something.
bool links(std::span<const std::string> words) {
  static constexpr std::array<std::string_view, 6> stop{"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"};
  const auto stops = [](const std::string& word) { return is_one_of(word, stop); };
  const auto is_file = [](const std::string& word) { return !word.starts_with('-') || word.starts_with("-l"); };
  return std::ranges::none_of(words, stops) && std::ranges::any_of(words, is_file);
}

/// Throws UsageError for words by which the linker would look for libraries that there are none of.
void refuse_static(const MpiCompiler& compiler, std::span<const std::string> words) {
  static constexpr std::array<std::string_view, 3> all{"-static", "--static", "-static-pie"};
  const auto refused = std::ranges::find_if(words, [](const std::string& word) { return is_one_of(word, all); });
  if (refused == words.end()) return;
  throw UsageError(
      fmt::format("{0}: {1}: our MPI is a shared library, without a static one: leave {1} out; what is for "
                  "a library of the compiler alone, such as -static-libgcc, can stay",
                  compiler.command, *refused));
}

std::vector<std::string> compile_words(const MpiCompiler& compiler, const std::string& mpi_folder) {
  std::vector<std::string> words{"-I" + mpi_folder + "/include"};
  words.insert(words.end(), compiler.words.begin(), compiler.words.end());
  return words;
}

/// A program finds the library where it was built, unless it is told where another one is (RUNPATH).
std::vector<std::string> link_words(const MpiCompiler& compiler, const std::string& mpi_folder) {
  const std::string folder = fmt::format("{}/{}", mpi_folder, compiler.folder);
  std::vector<std::string> words{"-L" + folder, "-Wl,--enable-new-dtags", "-Wl,-rpath," + folder};
  for (const std::string_view library : compiler.libraries) words.push_back(fmt::format("-l{}", library));
  return words;
}

void append(std::vector<std::string>& line, std::vector<std::string> words) {
  line.insert(line.end(), std::make_move_iterator(words.begin()), std::make_move_iterator(words.end()));
}

/// A word as a shell has to be given it.
std::string quoted(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Set for the compiler that is called.
constexpr const char* calling_variable = "NASVM_COMPILER_CALLED";

std::string text_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? text : "";
}

/// This process becomes that one. Returns only by throwing.
[[noreturn]] void become(const MpiCompiler& compiler, std::vector<std::string> line) {
  std::vector<char*> arguments;
  for (std::string& word : line) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::setenv(calling_variable, "1", 1);
  ::execvp(arguments.front(), arguments.data());
  throw UsageError(fmt::format("{} cannot be started: {}; name a compiler of {} in {}", line.front(),
                               std::strerror(errno), compiler.language, compiler.variable));
}

class Compile final : public Command {
 public:
  explicit Compile(const MpiCompiler& compiler) : compiler_(compiler) {}

  void add_options(CommandLine& line, const Tables&) override {
    line.arguments({"WORDS", "", fmt::format("options and files, as {} knows them", compiler_.usual)}, words_);
    line.footer(fmt::format(
        "Calls the compiler of {0} ({1} in the environment, else {2}) with the folder\nof our headers and our "
        "library. The program runs by nasvm exec or nasvm mpiexec;\nstarted by itself it is one task.\n\n"
        "-show prints the line and does not compile; --showme:compile and --showme:link\nprint the words that are "
        "added.\n\nExample:\n  nasvm {3} -O2 -o program program.{4}",
        compiler_.language, compiler_.variable, compiler_.usual, compiler_.command, ending()));
  }

  Exit run(const Call& call) override {
    // As typed: what looks like an option here is the compiler's.
    const auto& typed = call.command_line;
    std::vector<std::string> words(typed.begin() + 3, typed.end());
    const std::string folder = abi::mpi_folder();
    const bool called_by_itself = !text_in(calling_variable).empty();
    const std::string program =
        chosen_compiler(compiler_, text_in(std::string(compiler_.variable).c_str()), called_by_itself);
    for (const std::string& word : words) {
      const ShownPart shown = shown_by(word);
      if (shown == ShownPart::nothing) continue;
      std::erase(words, std::string(word));
      call.console.out(shown_line(compiler_, program, words, folder, shown) + "\n");
      return Exit::ok;
    }
    if (words.empty()) throw UsageError(fmt::format("{}: name a file to compile", compiler_.command));
    become(compiler_, compiler_line(compiler_, program, words, folder));
  }

 private:
  [[nodiscard]] std::string_view ending() const {
    return compiler_.usual == "cc" ? "c" : compiler_.usual == "c++" ? "cpp" : "f90";
  }

  const MpiCompiler& compiler_;
  std::vector<std::string> words_;
};

/// Nothing of the line is read here but a lone --help.
std::vector<std::string> untouched(std::span<const std::string> line) {
  std::vector<std::string> meant(line.begin(), line.begin() + 2);
  if (line.size() == 3 && (line[2] == "--help" || line[2] == "-h")) {
    meant.emplace_back("--help");
    return meant;
  }
  meant.emplace_back("--");
  meant.insert(meant.end(), line.begin() + 2, line.end());
  return meant;
}

}  // namespace

std::span<const MpiCompiler> mpi_compilers() {
  static const std::array table{
      MpiCompiler{"mpicc", "C", "CC", "cc", "standard", {"mpi_abi"}, {}, {}},
      MpiCompiler{"mpicxx", "C++", "CXX", "c++", "standard", {"mpi_abi"}, {}, {"mpic++", "mpiCC"}},
      MpiCompiler{"mpifort",
                  "Fortran",
                  "FC",
                  "gfortran",
                  "openmpi",
                  {"mpi_mpifh", "mpi"},
                  {"-fallow-argument-mismatch"},
                  {"mpif90", "mpif77"}},
  };
  return table;
}

std::string chosen_compiler(const MpiCompiler& compiler, const std::string& named, bool called_by_itself) {
  std::vector<std::string> words = split(named, ' ');
  std::erase(words, "");
  const bool is_this = words.size() == 2 && std::ranges::any_of(mpi_compilers(), [&](const MpiCompiler& one) {
                         return (words[1] == one.command || is_one_of(words[1], one.aliases)) &&
                                words[0].substr(words[0].rfind('/') + 1) == "nasvm";
                       });
  return words.empty() || is_this || called_by_itself ? std::string(compiler.usual) : named;
}

std::vector<std::string> compiler_line(const MpiCompiler& compiler, std::string_view program,
                                       std::span<const std::string> words, const std::string& mpi_folder) {
  std::vector<std::string> line;
  for (std::string& word : split(std::string(program), ' ')) {
    if (!word.empty()) line.push_back(std::move(word));
  }
  append(line, compile_words(compiler, mpi_folder));
  line.insert(line.end(), words.begin(), words.end());
  if (links(words)) {
    refuse_static(compiler, words);
    append(line, link_words(compiler, mpi_folder));
  }
  return line;
}

ShownPart shown_by(std::string_view word) {
  static constexpr std::array<std::string_view, 3> all{"-show", "--show", "--showme"};
  static constexpr std::array<std::string_view, 4> compiling{"--showme:compile", "-showme:compile", "-compile-info",
                                                             "-compile_info"};
  static constexpr std::array<std::string_view, 4> linking{"--showme:link", "-showme:link", "-link-info",
                                                           "-link_info"};
  if (is_one_of(word, all) || word == "-showme") return ShownPart::all;
  if (is_one_of(word, compiling)) return ShownPart::compiling;
  return is_one_of(word, linking) ? ShownPart::linking : ShownPart::nothing;
}

std::string shown_line(const MpiCompiler& compiler, std::string_view program, std::span<const std::string> words,
                       const std::string& mpi_folder, ShownPart shown) {
  std::vector<std::string> line;
  if (shown == ShownPart::all) {
    line = compiler_line(compiler, program, words, mpi_folder);
    if (words.empty()) append(line, link_words(compiler, mpi_folder));
  }
  if (shown == ShownPart::compiling) line = compile_words(compiler, mpi_folder);
  if (shown == ShownPart::linking) line = link_words(compiler, mpi_folder);
  std::string text;
  for (const std::string& word : line) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

CommandRow mpi_compiler_command(const MpiCompiler& compiler) {
  static constexpr std::array<std::string_view, 3> descriptions{"compile a program of MPI in C, against our MPI",
                                                                "the same in C++", "the same in Fortran"};
  const auto position = static_cast<std::size_t>(&compiler - mpi_compilers().data());
  CommandRow row{compiler.command, descriptions[position],
                 [&compiler] { return std::make_unique<Compile>(compiler); }};
  row.aliases = compiler.aliases;
  row.instead = untouched;
  return row;
}

}  // namespace nasvm
