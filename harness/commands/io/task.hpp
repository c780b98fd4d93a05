#pragma once
/// \file
/// What a task of an io run does: it writes its parts of the file (pattern.hpp) in accesses of so many bytes, and
/// reads them back.

#include <string>
#include <string_view>

#include "harness/commands/io/methods/method.hpp"

namespace nasvm {

/// Carries out an IoOrder; returns the report. Collective. Throws UsageError and RunError.
std::string measure_io(std::string_view order, const IoGround& ground);

}  // namespace nasvm
