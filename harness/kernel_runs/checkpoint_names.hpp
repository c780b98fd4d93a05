#pragma once
/// \file
/// The two names of a checkpoint on disk: the one that users know, which a whole checkpoint has at any time, and the
/// one beside it, under which the next is written (docs/decisions/checkpoints.md). One task does this for all.

#include <string>

namespace nasvm {

/// What has the name `from` gets the name `to`, and keeps it when the machine dies.
struct Naming {
  int error = 0;       ///< as errno; 0: done
  bool spare = false;  ///< what had the name `to` has the name `from` now, and keeps its space on disk
};
/// `keep_old` asks for such a spare, which not all file systems can give, and which there is none of the first time.
[[nodiscard]] Naming give_name(const std::string& from, const std::string& to, bool keep_old);

/// May that file be written over: has it no other name, and does nobody read it? False also where that cannot be
/// known.
[[nodiscard]] bool is_nobody_elses(const std::string& path);

}  // namespace nasvm
