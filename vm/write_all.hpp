#pragma once
/// \file
/// Writing a text whole.

#include <string_view>

namespace nasvm {

/// Writes everything; returns 0 or the system's error number. Blocks until it is taken, also where the descriptor is
/// one that does not block: that of a stream which others have open, too, is theirs to choose.
int write_all(int descriptor, std::string_view text);

}  // namespace nasvm
