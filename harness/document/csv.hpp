#pragma once
/// \file
/// Fields of comma-separated values, as in RFC 4180.

#include <string>
#include <string_view>

namespace nasvm {

/// Quoted if it holds a comma, a quote or a line end.
std::string csv_field(std::string_view text);

}  // namespace nasvm
