#pragma once
/// \file
/// A folder for the files of one run, gone with it.

#include <sys/types.h>

#include <string>

#include "vm/net/fd.hpp"

namespace nasvm {

/// Made in memory (/dev/shm) where that is possible, else under /tmp. If this process is killed, a small process that
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
  net::Fd pipe_;        ///< its closing tells the watcher that this process has gone
  pid_t watcher_ = -1;
};

}  // namespace nasvm
