#pragma once
/// \file
/// System calls that fail, as filters of containers and sandboxes make them (seccomp(2)).

#include <cstdint>
#include <functional>
#include <initializer_list>

namespace nasvm::test {

/// What a call has to be called with; of the argument, counted from 0, the low half counts.
struct CallArgument {
  unsigned index;
  std::uint32_t value;
};

/// From now on the system call `number` with all of these arguments fails with `error`, for the rest of this
/// process's life: call it in a child. False: this system forbids filters.
[[nodiscard]] bool refuse_call(long number, int error, std::initializer_list<CallArgument> arguments = {});

/// What a child that cannot be given a filter exits with.
inline constexpr int no_filter_status = 77;

/// Runs `body` in a child of this process, which exits with what it returns, and waits for that; -1: by a signal.
int status_in_child(const std::function<int()>& body);

}  // namespace nasvm::test
