#pragma once
/// \file
/// Where programs are: this one, those that are built with it, those of the system.

#include <string>
#include <string_view>

namespace nasvm::process {

/// Path of the program that is running. Throws RunError where there is no /proc, or its file is not there any more: a
/// new build has taken its place.
std::string own_program();

/// Path of the program `name` of this suite: beside the one that is running, or one folder up (test programs live in
/// a folder of their own), or, for programs of others, beside the nasvm in PATH; empty when it has not been built.
std::string find_sibling(std::string_view name);

/// Path of a program of the system, found in PATH as a shell would; empty when there is none.
std::string find_in_path(std::string_view name);

}  // namespace nasvm::process
