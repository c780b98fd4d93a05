#pragma once
/// \file
/// What this process could still take of memory and threads: what the computer has, what its user may have, and what
/// the control groups leave in which it is (cgroups(7), setrlimit(2), proc(5)). Each is the largest number where
/// nobody says. `root` is the folder that has /proc and /sys. Linux.

#include <cstdint>
#include <filesystem>

namespace nasvm {

/// In bytes.
[[nodiscard]] std::uint64_t available_memory_bytes(const std::filesystem::path& root = "/");

/// Reads a file of each process where the user has a limit.
[[nodiscard]] std::uint64_t available_threads();

/// What control groups leave, this process' own and those around them. Memory in bytes: cached pages of files count
/// as free.
[[nodiscard]] std::uint64_t memory_left_by_groups(const std::filesystem::path& root = "/");
[[nodiscard]] std::uint64_t threads_left_by_groups(const std::filesystem::path& root = "/");
/// What the system's limits (threads-max, pid_max) leave beside all threads that there are.
[[nodiscard]] std::uint64_t threads_left_by_system(const std::filesystem::path& root = "/");
/// What a limit of the user (RLIMIT_NPROC) leaves beside the user's own; it binds nobody who has the rights to pass
/// it.
[[nodiscard]] std::uint64_t threads_left_to_user(std::uint64_t limit, const std::filesystem::path& root = "/");

}  // namespace nasvm
