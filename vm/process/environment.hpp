#pragma once
/// \file
/// What new processes find in their environment.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nasvm::process {

/// This process's variables ("NAME=value") but those that begin with one of `prefixes`, and of `defaults` those whose
/// name is not set.
std::vector<std::string> environment_without(std::initializer_list<std::string_view> prefixes,
                                             std::span<const std::string> defaults = {});

}  // namespace nasvm::process
