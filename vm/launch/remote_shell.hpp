#pragma once
/// \file
/// The remote shell that the user has chosen: --rsh, else NASVM_RSH, else ssh.

#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

/// Its program, found, and its options; host and command follow. ssh is told to ask for nothing, for there may be
/// nobody to answer. `typed`: --rsh, or empty; `needed_by` ("launcher ssh") says in errors for what. Throws
/// UsageError when it is not a program here.
std::vector<std::string> remote_shell(std::string_view typed, std::string_view needed_by);

}  // namespace nasvm
