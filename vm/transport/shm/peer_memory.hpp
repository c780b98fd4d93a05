#pragma once
/// \file
/// Reading the memory of another process of the same user (cross-memory attach): one copy, made by the kernel, from
/// one address space to the other. Kernels and containers may forbid it.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace nasvm::shm {

/// Copies `into.size()` bytes from `address` of process `pid`. False when the kernel does not let us.
bool read_memory(pid_t pid, std::uint64_t address, std::span<std::byte> into);

/// Where the kernel lets only relatives trace each other (the Yama module), allows any process of this user to read
/// this one's memory. Elsewhere nothing is needed.
void allow_readers();

}  // namespace nasvm::shm
