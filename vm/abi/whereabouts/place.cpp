#include "vm/abi/whereabouts/place.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

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

void let_lines_leave(bool has_socket) {
  struct stat status {};
  const bool is_pipe = ::fstat(STDOUT_FILENO, &status) == 0 && S_ISFIFO(status.st_mode);
  if (is_pipe && has_socket) (void)std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

}  // namespace nasvm::abi
