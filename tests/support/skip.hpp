#pragma once
/// \file
/// Test cases that cannot be carried out here: ctest tells them as "Skipped", not as passed.

#include <string>

namespace nasvm::test {

/// Exit status of a test program all of whose cases were skipped; ctest runs each case by itself. The property
/// SKIP_RETURN_CODE of every test (tests/CMakeLists.txt) has it, too.
inline constexpr int skipped_exit_status = 77;

/// Notes that the running test case, or a part of it, cannot be carried out here, and prints why. The case returns
/// after that: `if (!installed) return skip("mpirun is not installed");`. A case that fails in another part has
/// failed.
void skip(const std::string& reason);

/// Whether `skip` has been called since the last call of this function.
bool take_skipped();

}  // namespace nasvm::test
