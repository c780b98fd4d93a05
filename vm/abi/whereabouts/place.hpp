#pragma once
/// \file
/// A task is one program, whose library is MPI's or the file cache. Others find its variables, as its script's later
/// commands do, or what it starts itself, to which its socket is closed.

#include <string>

namespace nasvm::abi {

/// After join_whereabouts. Empty: this process is the task from now on. Else, for people, why it cannot be: the
/// machine has heard nothing of it, and cannot tell. `has_socket`: Task::has_daemon_socket.
std::string take_place_of_task(bool has_socket);

}  // namespace nasvm::abi
