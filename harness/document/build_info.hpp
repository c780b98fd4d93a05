#pragma once
/// \file
/// How this program was built; the facts come from the build system (build_facts.hpp, made by CMake).

#include "harness/document/document.hpp"

namespace nasvm {

const BuildRecord& build_record();

/// A document of this program, made now, without results yet.
Document begin_document(std::vector<std::string> command, MachineRecord machine);

}  // namespace nasvm
