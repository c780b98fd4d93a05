#pragma once
/// \file
/// The contract of transports: one folder each below, one row each in the table (table.hpp).
///
/// A transport carries packets between the tasks of a program: in order for each pair, but for what may pass data
/// (net::may_pass_data), each exactly once, unchanged.
/// It knows nothing of matching, tags or flow control; the engine above makes messages of packets. All calls come
/// from the task's one thread and none of them blocks. What only transports through memory can do is asked for once,
/// as a MemoryPath (memory_path.hpp).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/auth.hpp"
#include "vm/endpoint.hpp"
#include "vm/message.hpp"
#include "vm/net/packet_stream.hpp"
#include "vm/net/poller.hpp"
#include "vm/parameters.hpp"
#include "vm/protocol/member.hpp"

namespace nasvm {

/// Polling before sleeping: every transport has it.
inline constexpr ParameterRow spin_parameter{"spin", ParameterKind::microseconds, 0, 1'000'000,
                                             "microseconds of polling before a task sleeps (default 100, 20 with "
                                             "more threads than cores, 60 when only daemons "
                                             "make them more)"};

/// Short messages: every transport has it, for the peers that it reaches. The engine's window of credit
/// (Engine::Options) has room for one of the longest, and for almost another.
inline constexpr ParameterRow eager_parameter{
    "eager", ParameterKind::bytes, 0, 512 * 1024,
    "longest message that is sent without asking the receiver first (default 256k)"};

/// Polling of several methods (Foster et al., Managing Multiple Communication Methods, section 5.1, skip_poll): every
/// transport has it, and it is the task's.
inline constexpr ParameterRow skip_poll_parameter{
    "skip_poll", ParameterKind::count, 0, 65536,
    "cheap looks at the awaited peer for each look at every method (default 0: adaptive)"};

class DaemonLink;
class MemoryPath;

/// What a transport is made from. Everything outlives it.
struct TransportContext {
  Tid self;
  Rank rank = 0;
  int size = 1;
  bool crowded = false;  ///< the program has more runnable threads on this computer than there are cores
  int daemons_on_computer = 1;
  std::string address;  ///< IPv4 or IPv6 address of the interface to bind to
  Secret secret{};
  net::Poller* poller = nullptr;
  net::PacketHandler* handler = nullptr;  ///< gets what arrives, and what has left
  DaemonLink* daemon = nullptr;
  Parameters parameters;  ///< of this transport, as far as the user set them
};

class Transport {
 public:
  virtual ~Transport() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// What other tasks need to reach this one; known from construction on. Empty: they cannot.
  [[nodiscard]] virtual std::string descriptor() const = 0;
  /// All tasks, by rank, once they are known; before any `send`.
  virtual void meet(const std::vector<Member>& members) = 0;
  /// Empty when packets can go to that peer, otherwise the reason why not.
  [[nodiscard]] virtual std::string why_not(Rank peer) const = 0;
  /// Is it certain that the peer's process has ended? False where a transport cannot see that.
  [[nodiscard]] virtual bool has_left(Rank /*peer*/) const { return false; }
  /// Longest payload of one packet to that peer (any_source: to a group), which packets can go to.
  [[nodiscard]] virtual std::size_t max_payload(Rank peer) const = 0;
  /// How much of a message of so many bytes a packet should carry: less than it may, where the receiver begins to
  /// copy while the sender still does.
  [[nodiscard]] virtual std::size_t usual_payload(Rank peer, std::uint64_t /*message_bytes*/) const {
    return max_payload(peer);
  }

  /// Takes a packet; it and its payload stay in place until PacketHandler::packet_sent, which may come before
  /// this call returns.
  virtual void send(Rank peer, net::Packet& packet) = 0;
  /// Comm's messages to so many peers are going to take this way. Throws RunError when the system's limits forbid it.
  virtual void expect_peers(int) {}
  /// Looks for packets of `awaited` (any_source: of anybody) in the cheapest way the transport has. Everything
  /// else comes through the poller. True when something moved.
  virtual bool poll(Rank awaited) = 0;
  /// The program is ending: from now on it is no failure when a peer is gone.
  virtual void expect_departures() {}
  /// That task has ended. What waits to leave for it is given up (PacketHandler::packet_sent), and it is no failure
  /// that it is gone. Not `clean`: a payload of its that is arriving is given up, too: neither written nor ended.
  virtual void forget(Tid /*task*/, bool /*clean*/) {}

  /// What else it can do, if it works through memory; null: it works with descriptors alone. The same throughout.
  [[nodiscard]] virtual MemoryPath* memory_path() { return nullptr; }
};

}  // namespace nasvm
