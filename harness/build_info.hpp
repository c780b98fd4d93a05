#pragma once
/// \file
/// How this program was built; the facts come from the build system (build_facts.hpp, made by CMake).

#include "harness/record.hpp"

namespace nasvm {

const BuildRecord& build_record();

}  // namespace nasvm
