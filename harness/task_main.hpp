#pragma once
/// \file
/// `nasvm task`: one task of a run, started by a daemon and by nobody else (so --help does not show it).

namespace nasvm {

/// The task's whole life; returns its exit status. `argv[1]` is "task".
int task_main(int argc, char** argv);

}  // namespace nasvm
