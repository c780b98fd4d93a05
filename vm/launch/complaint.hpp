#pragma once
/// \file
/// What programs that are not ours (remote shells, loaders) say on standard error, as part of our own lines.

#include <cstddef>
#include <string>

namespace nasvm {

/// What is longer is cut: it may come from a shell that says anything.
inline constexpr std::size_t longest_complaint = 1000;

/// The line without control signs, and without blanks at its end; empty where it has neither letter nor digit: an
/// ornament.
std::string printable_line(std::string line);

}  // namespace nasvm
