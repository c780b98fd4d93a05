#pragma once
/// \file
/// The text of a file that somebody names: a regular file, a pipe (`<(zcat a.json.gz)`), or what should have been
/// one.

#include <chrono>
#include <cstddef>
#include <string>

namespace nasvm {

/// How much is read, and how long is waited for it.
struct ReadBounds {
  std::size_t bytes = std::size_t{512} << 20;
  std::chrono::milliseconds writer{1000};     ///< until somebody writes into a named pipe
  std::chrono::milliseconds silence{60'000};  ///< of somebody who does
};

/// The whole text of a document of JSON ("-": that on standard input). What does not begin like one is read no
/// further than its beginning. Blocks within the bounds. Throws UsageError: missing, unreadable, a folder, beyond the
/// bounds.
std::string read_text(const std::string& path, const ReadBounds& bounds = {});

}  // namespace nasvm
