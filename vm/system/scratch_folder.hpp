#pragma once
/// \file
/// A folder for the files of one run, gone with it.

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vm/net/fd.hpp"

namespace nasvm {

/// The first of the places that has `least` bytes to spare. Throws RunError, with what each of them has, when none
/// has.
std::string_view place_with_room(std::span<const std::string_view> places, std::uintmax_t least);

/// Made in memory (/dev/shm) where there is room, else under /tmp. If this process is killed, a small process that
/// waits for that removes it. Should that one be killed too, the next run removes what is left: as long as this
/// process lives it holds a lock on the folder (flock), which is seen from other process namespaces and containers,
/// too. The number in its name is for people.
class ScratchFolder {
 public:
  /// `least_room`: bytes that the run's files may take. Throws RunError when there is no room for them.
  explicit ScratchFolder(std::uintmax_t least_room);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  net::Fd lock_;
  net::Fd pipe_;  ///< its closing tells the watcher that this process has gone
  pid_t watcher_ = -1;
};

}  // namespace nasvm
