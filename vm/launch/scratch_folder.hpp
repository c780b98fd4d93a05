#pragma once
/// \file
/// A folder for the files of one run, gone with it.

#include <string>

namespace nasvm {

/// Made in memory (/dev/shm) where that is possible, else under /tmp. Its name has this process's number, so that what
/// a killed process has left is found and removed by the next one. Throws RunError.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace nasvm
