#pragma once
/// \file
/// One sample: a whole launch of a build's nasvm, from its start to its end.

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/document/document.hpp"
#include "vm/launch/external_program.hpp"

namespace nasvm {

/// Who launches: the system (launch_program), or a stand-in for tests.
using BuildLauncher = std::function<ProgramResult(
    const std::string& program, const std::vector<std::string>& arguments, std::chrono::milliseconds timeout)>;

ProgramResult launch_program(const std::string& program, const std::vector<std::string>& arguments,
                             std::chrono::milliseconds timeout);

/// Path of nasvm in a build folder. Throws UsageError when nasvm and nasvmd are not there; `option` is what has named
/// the folder.
std::string program_of_build(std::string_view option, const std::string& folder);

/// Is standard output that of a program of others (`exec`)? Then the document comes in a file.
bool exports_document(const std::vector<std::string>& command);

/// The document that a command of that program prints or exports; wrong results are in it. Blocks until the program
/// has ended. Throws UsageError (the program says that the command is wrong, or prints no document) and RunError.
Document launch_document(const BuildLauncher& launch, const std::string& program,
                         const std::vector<std::string>& command, std::chrono::milliseconds timeout,
                         std::span<const RecordType> types);

}  // namespace nasvm
