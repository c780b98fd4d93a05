#include "support/refused_calls.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <vector>

namespace nasvm::test {

namespace {

/// Where the low half of an argument begins.
constexpr std::size_t low_half = std::endian::native == std::endian::big ? sizeof(std::uint32_t) : 0;

}  // namespace

bool refuse_call(long number, int error, std::initializer_list<CallArgument> arguments) {
  std::vector<sock_filter> program;
  // The next look where the word is `value`, and otherwise the last line, which allows the call.
  const auto look = [&](std::size_t offset, std::uint32_t value, std::size_t looks_left) {
    program.push_back({BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)});
    program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, static_cast<std::uint8_t>(2 * looks_left + 1), value});
  };
  std::size_t left = arguments.size();
  look(offsetof(seccomp_data, nr), static_cast<std::uint32_t>(number), left);
  for (const CallArgument& argument : arguments) {
    look(offsetof(seccomp_data, args) + argument.index * sizeof(std::uint64_t) + low_half, argument.value, --left);
  }
  program.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)});
  program.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW});
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

int status_in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      ::_exit(body());
    } catch (...) {
      ::_exit(1);
    }
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace nasvm::test
