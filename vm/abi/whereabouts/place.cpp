#include "vm/abi/whereabouts/place.hpp"

#include "vm/abi/whereabouts/whereabouts.hpp"

namespace nasvm::abi {

std::string take_place_of_task(bool has_socket) {
  static bool is_own = false;
  if (is_own) return {};  // two libraries of one program: Task tells the second
  if (!has_socket) {
    return "NASVM_TASK_FD names no socket to a daemon, as where another program of the task has started this one: "
           "start each by a nasvm exec of its own";
  }
  is_own = whereabouts().take();
  return is_own ? "" : "another program of this task has already been one: start each by a nasvm exec of its own";
}

}  // namespace nasvm::abi
