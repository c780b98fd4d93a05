#pragma once
/// \file
/// Reading the memory of another process of the same user (cross-memory attach): one copy, made by the kernel, from
/// one address space to the other. Kernels and containers may forbid it.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace nasvm::shm {

/// Copies `into.size()` bytes from `address` of process `pid`. False when the kernel does not let us.
bool read_memory(pid_t pid, std::uint64_t address, std::span<std::byte> into);

/// Where the kernel lets only relatives trace each other (the Yama module), allows those to read this process's
/// memory that may have to: the tasks of this computer. Elsewhere nothing is needed. They all descend from this
/// process's parent when there is one daemon; of several, no common ancestor is known, and every process of this user
/// may.
void allow_readers(int daemons_on_computer);

/// Whom that names, with that /proc/sys/kernel/yama/ptrace_scope: a process, for its descendants too, or
/// PR_SET_PTRACER_ANY. None: nobody is named.
std::optional<unsigned long> readers_to_allow(int yama_scope, int daemons_on_computer, pid_t parent);

}  // namespace nasvm::shm
