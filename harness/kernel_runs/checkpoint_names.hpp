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

/// A new, empty file.
struct Making {
  int error = 0;  ///< as errno; 0: done
  std::optional<FileMark> made;
};
/// What has its name already loses it: its other names, and what a symbolic link leads to, stay as they are. EBUSY:
/// somebody is writing to it (has locked it, as files::DiskFile does). EEXIST: it is no file.
[[nodiscard]] Making make_new(const std::string& path);

/// The name of what a path leads to through symbolic links, which need not be there yet: what takes that name leaves
/// the links as they are. None: it is no file, or only /proc knows its name (/dev/stdout).
[[nodiscard]] std::optional<std::string> end_of_links(const std::string& path);

/// Does the name lead to that file, however long it is now?
[[nodiscard]] bool leads_to(const std::string& path, const FileMark& mark);
/// Removes it where it does.
void remove_own(const std::string& path, const FileMark& mark);

/// What has the name `from` gets the name `to`, and keeps it when the machine dies.
struct Naming {
  int error = 0;                  ///< as errno; 0: done
  std::optional<FileMark> named;  ///< what has the name `to` now
  std::optional<FileMark> spare;  ///< what had it before; it has the name `from` now, and keeps its space on disk
};
/// There is a spare where `to` is the file `ours`, the file system can exchange names, and that is on disk: before, a
/// machine that dies may find the spare under the name `to` again, and it is not to be written over.
[[nodiscard]] Naming give_name(const std::string& from, const std::string& to, const std::optional<FileMark>& ours);

/// May that file be written over: is it this one, as it was, has it no other name, and does nobody have it open?
/// False also where that cannot be known.
[[nodiscard]] bool is_nobody_elses(const std::string& path, const FileMark& mark);

}  // namespace nasvm
