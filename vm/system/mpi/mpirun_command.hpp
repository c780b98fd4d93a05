#pragma once
/// \file
/// What every command line of mpirun needs, whose ever program it starts.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nasvm::mpirun {

/// This process's environment without what a mpirun that has started this process has put there, and of `defaults`
/// ("NAME=value") those whose name is not set.
std::vector<std::string> clean_environment(std::span<const std::string> defaults = {});

/// Bytes of the files that Open MPI makes for so many tasks on this host: without them it hangs or dies by SIGBUS.
std::uintmax_t room_for(int tasks);

/// For programs that stay on this host: nothing leaves it, and all files lie in `folder`, where they are sure to be
/// removed.
std::vector<std::string> one_host_arguments(const std::string& folder);

}  // namespace nasvm::mpirun
