#include "vm/system/mpi/mpirun_listener.hpp"

#include <cstdio>

#include "vm/process/child.hpp"

namespace nasvm {

std::optional<TaskEnd> MpirunListener::hear(const std::string& line) {
  int rank = -1;
  int number = 0;
  const std::size_t named = line.find("process rank ");
  const char* sentence = named == std::string::npos ? "" : line.c_str() + named;
  if (std::sscanf(sentence, "process rank %d with PID %*d on node %*s exited on signal %d", &rank, &number) == 2) {
    return TaskEnd{rank, Gravity::killed, process::describe_wait_status(number)};
  }
  if (line.find("has exited due to") != std::string::npos && std::sscanf(sentence, "process rank %d", &rank) == 1) {
    return TaskEnd{rank, Gravity::exited, "exited before its end"};
  }
  if (std::sscanf(line.c_str(), " Process name: [[%*d,%*d],%d]", &rank) == 1) named_rank_ = rank;
  if (named_rank_ >= 0 && std::sscanf(line.c_str(), " Exit code: %d", &number) == 1) {
    return TaskEnd{named_rank_, Gravity::exited, "exited with status " + std::to_string(number)};
  }
  return std::nullopt;
}

}  // namespace nasvm
