#pragma once
/// \file
/// Says to the address sanitizer, where the library is built with it, that a thread goes from one stack to another:
/// else an exception that passes on a stack which it does not know is reported as a use of memory that is not there.

#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace nasvm::mpi {

/// Of a stack beside the thread's own: both ways.
class StackSwitch {
 public:
  /// Before, and after, the own stack is left for that one.
  void enter([[maybe_unused]] const std::byte* stack, [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&outer_frames_, stack, bytes);
#endif
  }
  void has_returned() {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(outer_frames_, nullptr, nullptr);
#endif
  }
  /// On that one: it has been entered; it is about to be left, and is `done` or will be entered again.
  void has_entered() {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(frames_, &outer_, &outer_bytes_);
#endif
  }
  void leave([[maybe_unused]] bool done) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(done ? nullptr : &frames_, outer_, outer_bytes_);
#endif
  }

#ifdef __SANITIZE_ADDRESS__
 private:
  void* outer_frames_ = nullptr;
  void* frames_ = nullptr;
  const void* outer_ = nullptr;
  std::size_t outer_bytes_ = 0;
#endif
};

}  // namespace nasvm::mpi
