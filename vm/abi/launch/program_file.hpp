#pragma once
/// \file
/// What a program's file says of the MPI that it was built for, before it is started: a line that explains what would
/// go wrong is better than what would.
///
/// Source: System V Application Binary Interface, chapters 4 and 5 (object files, dynamic section).

#include <string>
#include <vector>

namespace nasvm::abi {

struct ProgramFile {
  bool is_elf = false;                 ///< else a script, or something else that the system may know how to run
  bool is_dynamic = false;             ///< the loader brings libraries in: only there can ours take a place
  std::vector<std::string> libraries;  ///< that it names
  std::string fixed_path;              ///< folders where the loader looks before all others (DT_RPATH)
};

/// Reads it. What cannot be read, or is cut short, counts as no such file.
ProgramFile read_program_file(const std::string& path);

/// Throws UsageError when the program cannot run over our MPI: it is static, or of another MPI's binary interface, or
/// its libraries are looked for in a fixed folder that has one of ours. Programs that do not name an MPI are let
/// through: they may load it later.
void check_program_file(const std::string& path);

/// Path of a program as a shell would find it. Throws UsageError.
std::string find_program(const std::string& name);

/// The folder of this build's MPI: openmpi/ and standard/ have the libraries that programs of these binary interfaces
/// get, include/ what programs are compiled with. Throws UsageError when it has not been built.
std::string mpi_folder();

/// Where the loader is to look for the libraries before all other folders, as LD_LIBRARY_PATH has it. Throws
/// UsageError.
std::string library_path();

}  // namespace nasvm::abi
