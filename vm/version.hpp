#pragma once
/// \file
/// Which build this is: programs of different builds do not work together.

#include <string_view>

namespace nasvm {

/// "0.1.0".
std::string_view version();
/// Of the sources: "1a9e6c997716", "1a9e6c997716-dirty", or "unknown" outside of a checkout.
std::string_view commit();
/// Both: "0.1.0 (1a9e6c997716)".
std::string_view build_version();

}  // namespace nasvm
