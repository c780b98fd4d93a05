#pragma once
/// \file
/// A folder for the files of one run, gone with it.

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/net/fd.hpp"

namespace nasvm {

/// The places that have `least` bytes to spare, then those that have less or are not there.
std::vector<std::string_view> by_room(std::span<const std::string_view> places, std::uintmax_t least);

/// Made in memory (/dev/shm) where there is room, else under /tmp. If this process is killed, a small process that
/// waits for that removes it. Should that one be killed too: the name has this process's number, so that the next run
/// finds and removes what is left. Throws RunError.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  net::Fd pipe_;  ///< its closing tells the watcher that this process has gone
  pid_t watcher_ = -1;
};

}  // namespace nasvm
