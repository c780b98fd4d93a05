#pragma once
/// \file
/// What goes wrong with a shared file: the system's number for it, and one line that names the file.

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "vm/status.hpp"

namespace nasvm::files {

class FileError : public RunError {
 public:
  /// `code` as in errno; never 0.
  FileError(int code, const std::string& text) : RunError(text), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

/// "/data/a.bin: cannot be written: No space left on device".
inline FileError system_error(const std::string& path, const std::string& what, int code = errno) {
  return {code, path + ": " + what + ": " + std::strerror(code)};
}

/// Of a file that cannot be opened or made: another host may have what this one lacks.
inline bool may_work_elsewhere(int code) {
  return code == ENOENT || code == EACCES || code == EPERM || code == ENOTDIR || code == EROFS;
}

/// Runs `action`, and notes the first error of several.
template <typename Action>
void try_to(std::optional<FileError>& trouble, Action action) {
  try {
    action();
  } catch (const FileError& error) {
    if (!trouble.has_value()) trouble = error;
  }
}

}  // namespace nasvm::files
