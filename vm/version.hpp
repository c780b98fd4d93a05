#pragma once
/// \file
/// Which build this is: programs of different builds do not work together.

#include <string_view>

namespace nasvm {

/// Version and commit: "0.1.0 (1a9e6c997716)".
std::string_view build_version();

}  // namespace nasvm
