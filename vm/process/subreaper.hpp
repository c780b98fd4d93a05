#pragma once
/// \file
/// Orphans: processes whose parent, a descendant of this process, has died before them.

#include <sys/types.h>

#include <chrono>
#include <span>
#include <string_view>

namespace nasvm::process {

/// While it lives, orphans among the descendants of this process become its children (PR_SET_CHILD_SUBREAPER), so
/// that it can reap them and none stays as a zombie.
class Subreaper {
 public:
  Subreaper();
  ~Subreaper();
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;

 private:
  int before_ = 0;
};

/// Kills and reaps orphans by their numbers; what is no child of this process is left alone. Blocks until they are
/// gone, for `patience` in all at most.
void end_orphans(std::span<const pid_t> orphans, std::chrono::milliseconds patience);

/// Reaps those children of this process, but for `known`, that have ended. Does not block.
void reap_other_children(std::span<const pid_t> known);

/// Kills and reaps all children of this process but `known`, then those that become its children by that, and so on:
/// with a Subreaper, what the known ones have started and left behind. Blocks until they are gone, for `patience` in
/// all at most. `variable`: of those alone whose environment has it, so that what others have started is spared;
/// empty: of all.
void end_other_children(std::span<const pid_t> known, std::chrono::milliseconds patience,
                        std::string_view variable = {});

}  // namespace nasvm::process
