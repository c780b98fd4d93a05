#pragma once
/// \file
/// The limit of core dumps that programs give themselves (vm/process/core_dumps.hpp), whatever the tests' own is.

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace nasvm::test {

/// The soft limit of a process, in bytes.
inline rlim_t core_limit(pid_t pid) {
  rlimit limit{};
  ::prlimit(pid, RLIMIT_CORE, nullptr, &limit);
  return limit.rlim_cur;
}

enum class CoreDumps : std::uint8_t { unwanted, wanted };

/// While this lives, programs that the test starts begin with the hard limit, and hear whether the user wants dumps.
class CoreDumpSetting {
 public:
  explicit CoreDumpSetting(CoreDumps dumps) {
    ::getrlimit(RLIMIT_CORE, &before_);
    const rlimit all{before_.rlim_max, before_.rlim_max};
    ::setrlimit(RLIMIT_CORE, &all);
    if (const char* set = std::getenv(name)) wish_ = set;
    ::unsetenv(name);
    if (dumps == CoreDumps::wanted) ::setenv(name, "1", 1);
  }
  ~CoreDumpSetting() {
    ::unsetenv(name);
    if (wish_) ::setenv(name, wish_->c_str(), 1);
    ::setrlimit(RLIMIT_CORE, &before_);
  }
  CoreDumpSetting(const CoreDumpSetting&) = delete;
  CoreDumpSetting& operator=(const CoreDumpSetting&) = delete;

  [[nodiscard]] rlim_t hard_limit() const { return before_.rlim_max; }

 private:
  static constexpr const char* name = "NASVM_CORE_DUMPS";
  rlimit before_{};
  std::optional<std::string> wish_;
};

}  // namespace nasvm::test
