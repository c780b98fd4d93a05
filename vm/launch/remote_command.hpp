#pragma once
/// \file
/// What a remote shell is asked to do: text for any POSIX shell, and what the user may write as --rsh.

#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

/// The words of a command, apart at blanks.
std::vector<std::string> words_of(std::string_view command);

/// `text` as one word of a shell, whatever is in it.
std::string shell_quoted(std::string_view text);

/// A command that has sh carry out `script`, whatever the user's login shell is (csh, fish). sh's complaints begin
/// with `name`; an `argument` that is not empty becomes $1.
std::string with_sh(std::string_view script, std::string_view name, std::string_view argument = {});

/// A command that becomes the daemon at `program`, or the one that PATH has where there is none. Its standard input
/// stays what it is.
std::string command_for_daemon(const std::string& program);

/// A command that reads the bootstrap line, unpacks the archive (tar, gzip) behind it into a folder of its own, runs
/// the daemon in it with that line, and removes the folder whatever has happened.
std::string command_for_copied_daemon();

}  // namespace nasvm
