#pragma once
/// \file
/// A limit of the length of files (`ulimit -f`).

#include <signal.h>
#include <sys/resource.h>

namespace nasvm::test {

/// While this lives, no file of this process grows beyond `bytes`. What tries it gets SIGXFSZ, which ends a test, or
/// with SIG_IGN as `handler` the error EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes, void (*handler)(int) = SIG_DFL) : handler_(::signal(SIGXFSZ, handler)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

}  // namespace nasvm::test
