#pragma once
/// \file
/// `nasvm mpicc`, `mpicxx` and `mpifort`: the system's compilers, told where our MPI is, so that no other MPI has to
/// be installed to build a program.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/command.hpp"

namespace nasvm {

/// What differs between the languages.
struct MpiCompiler {
  std::string_view command;   ///< "mpicc"
  std::string_view language;  ///< for people
  std::string_view variable;  ///< environment variable with the compiler to call
  std::string_view usual;     ///< the one without it
  std::string_view folder;    ///< of the libraries, below the folder of MPI
  std::vector<std::string_view> libraries;
  /// Options for compiling. In Fortran, procedures of MPI take arguments of any type.
  std::vector<std::string_view> words;
  std::vector<std::string_view> aliases;  ///< that the command has in other MPIs
};
std::span<const MpiCompiler> mpi_compilers();

/// The system's compiler to call: that which the environment names, or the usual one where it names none, or this
/// command: `configure CC="nasvm mpicc"` and `make CC=...` put what they are told into the environment, and a script
/// of another name may lead here, too (`called_by_itself`).
std::string chosen_compiler(const MpiCompiler& compiler, const std::string& named, bool called_by_itself);

/// The line of the system's compiler for the user's words. `compiler`: with words of its own, as in "ccache gcc";
/// `mpi_folder`: has include/ and the libraries' folders. Libraries are named where something is linked; throws
/// UsageError where that is to be static.
std::vector<std::string> compiler_line(const MpiCompiler& compiler, std::string_view program,
                                       std::span<const std::string> words, const std::string& mpi_folder);

/// What a word that asks for the line instead of a compilation wants to see.
enum class ShownPart { nothing, all, compiling, linking };
ShownPart shown_by(std::string_view word);
/// The part of a line that is asked for, as a shell would read it.
std::string shown_line(const MpiCompiler& compiler, std::string_view program, std::span<const std::string> words,
                       const std::string& mpi_folder, ShownPart shown);

/// A row for each.
CommandRow mpi_compiler_command(const MpiCompiler& compiler);

}  // namespace nasvm
