#pragma once
/// \file
/// A task is one program, whose library is MPI's or the file cache. Others find its variables, as its script's later
/// commands do, or what it starts itself, to which its socket is closed.

#include <string>

namespace nasvm::abi {

/// After join_whereabouts. Empty: this process is the task from now on. Else, for people, why it cannot be: the
/// machine has heard nothing of it, and cannot tell. `has_socket`: Task::in_environment.
std::string take_place_of_task(bool has_socket);

/// For a constructor of such a library. A task's standard output is a pipe, in which C would keep lines until there
/// are 4 KiB of them: what a program says of its progress would be seen late, and not at all where a signal ends it.
/// Before the program's main: what that says of its buffer comes later, and counts.
void let_lines_leave(bool has_socket);

}  // namespace nasvm::abi
