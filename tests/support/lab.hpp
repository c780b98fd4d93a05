#pragma once
/// \file
/// What a test needs to know of scripts/lab.

#include <algorithm>
#include <array>
#include <string>

namespace nasvm::test {

/// Does a program say there that no lab can be made on this system, for want of rights or programs? A lab that cannot
/// be made for any other reason is a failure.
inline bool lacks_lab(const std::string& complaint) {
  return std::ranges::any_of(std::array{"no namespaces can be made here", "a lab needs ip", "--rate needs "},
                             [&](const char* reason) { return complaint.find(reason) != std::string::npos; });
}

}  // namespace nasvm::test
