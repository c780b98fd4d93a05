#pragma once
/// \file
/// The two names of a checkpoint on disk: the one that users know, which a whole checkpoint has at any time, and the
/// one beside it, under which the next is written (docs/decisions/checkpoints.md). One task does this for all.

#include <cstdint>
#include <optional>
#include <string>

namespace nasvm {

/// By which a file is known again, whatever its name is then.
struct FileMark {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  bool operator==(const FileMark&) const = default;
};

/// What has the name `from` gets the name `to`, and keeps it when the machine dies.
struct Naming {
  int error = 0;                  ///< as errno; 0: done
  std::optional<FileMark> named;  ///< what has the name `to` now
  std::optional<FileMark> spare;  ///< what had it before; it has the name `from` now, and keeps its space on disk
};
/// There is a spare where `to` is the file `ours`, and the file system can exchange names.
[[nodiscard]] Naming give_name(const std::string& from, const std::string& to, const std::optional<FileMark>& ours);

/// May that file be written over: is it this one, as it was, has it no other name, and does nobody have it open?
/// False also where that cannot be known.
[[nodiscard]] bool is_nobody_elses(const std::string& path, const FileMark& mark);

}  // namespace nasvm
