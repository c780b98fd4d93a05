#pragma once
/// \file
/// Yardsticks: what the system's sockets do between the same two tasks without any message layer above. They are rows
/// of the same table as the transports. A new one is one row in the table (yardstick.cpp).
///
/// Source: White, Ålund and Sunderam, "Performance of the NAS Parallel Benchmarks on PVM-Based Networks",
/// section 6.1: Table 6 sets both PVM paths beside TTCP, a program that does nothing but write to and read from a TCP
/// socket.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/commands/p2p/pair/channel.hpp"
#include "vm/comm.hpp"

namespace nasvm {

struct Yardstick {
  std::string_view name;
  std::string_view description;  ///< one line for people
  bool crosses_hosts;            ///< can it connect tasks on different hosts
  /// Connects ranks 0 and 1, who both call it; `address` is the IPv4 address of rank 0's host. Blocks up to 10 s.
  /// Throws RunError.
  std::unique_ptr<Channel> (*open)(Comm& comm, const std::string& address);
};

std::span<const Yardstick> yardsticks();

/// The yardstick of that name, or nullptr.
const Yardstick* find_yardstick(std::string_view name);

}  // namespace nasvm
