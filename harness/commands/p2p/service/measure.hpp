#pragma once
/// \file
/// What a request costs over a message: two tasks bounce data back and forth, by Comm's send and receive, and by
/// requests whose handlers make requests back, in turns.
///
/// Source: Foster, Geisler, Kesselman and Tuecke, "Managing Multiple Communication Methods in High-Performance
/// Networked Computing Systems", section 5.1: the benchmark pphandle (Figure 5), over messages, without and with
/// threads.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/commands/p2p/service/record.hpp"
#include "harness/measuring/effort.hpp"
#include "vm/task.hpp"

namespace nasvm {

/// All sizes, between ranks 0 and 1; both call it. Rank 0's have the figures, without transport. Blocks.
std::vector<ServiceRecord> measure_requests(Task& task, const Effort& effort, std::span<const std::uint64_t> sizes);

}  // namespace nasvm
