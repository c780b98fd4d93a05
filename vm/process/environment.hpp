#pragma once
/// \file
/// Where programs are, and what they find in their environment.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

/// The program's path, found as a shell would; empty when there is none.
std::string find_in_path(std::string_view program);

/// This process's variables ("NAME=value") but those that begin with one of `prefixes`, and of `defaults` those whose
/// name is not set.
std::vector<std::string> environment_without(std::initializer_list<std::string_view> prefixes,
                                             std::span<const std::string> defaults);

}  // namespace nasvm
