#pragma once
/// \file
/// What a transport through memory can do beyond carrying packets. Optional: Transport::memory_path says whether a
/// transport has it, once, before the first message; whoever has none works with descriptors alone.
///
/// While a task is awake, what comes through memory comes by Transport::poll, which then costs no system call. All
/// calls come from the task's one thread and none of them blocks.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "vm/endpoint.hpp"
#include "vm/message.hpp"
#include "vm/metrics/clock.hpp"
#include "vm/shared_memory.hpp"

namespace nasvm {

class MemoryPath {
 public:
  /// What a peer that wakes this task leaves behind.
  struct Ring {
    Ticks at = 0;   ///< by the clock; 0: nobody has rung, or it is not known
    int core = -1;  ///< that the peer ran on; negative: not known
  };

  // Short messages.

  /// Takes a whole packet by copying it, when that needs no waiting: true, and neither is used any more. False:
  /// nothing has happened; use Transport::send. Never overtakes what `send` has taken. Throws RunError when the
  /// packet has been taken, but the peer sleeps and cannot be woken.
  virtual bool send_now(Rank peer, const Envelope& envelope, const std::byte* payload) = 0;

  /// Would that take no call of the system now: the way is open, and the peer need not be woken?
  [[nodiscard]] virtual bool is_awake(Rank /*peer*/) const { return true; }

  // Fetching: a receiver that can read the sender's memory takes a long message from there, in one copy.

  static constexpr std::size_t never = ~std::size_t{0};
  /// Length from which on messages to that peer should be announced with their address, for the peer to fetch.
  [[nodiscard]] virtual std::size_t pull_from(Rank peer) const = 0;
  /// Does the task that fetches wait for others to fetch from it?
  enum class Exchange { one_way, both_ways };
  /// Fills `into` from an address of that peer. Copies, but does not wait for anybody. False: it is not possible, or
  /// the peer had better send.
  virtual bool pull(Rank peer, std::uint64_t address, std::span<std::byte> into, Exchange exchange) = 0;
  /// A message whose address this task has told is about to lose its place: until as many calls of end_moving, peers'
  /// `pull` from this task answers false, also one under way, whatever it has copied.
  virtual void begin_moving() = 0;
  virtual void end_moving() = 0;

  /// Memory of this task out of which `readers` peers pull faster than out of other memory. Stays until it is asked
  /// for again. Empty: there is none, or it would not pay: who copies to it copies once more.
  virtual std::span<std::byte> board(std::size_t bytes, int readers) = 0;

  // Memory that several tasks have mapped.

  /// New memory of so many bytes. Null: the system has none.
  virtual std::unique_ptr<SharedMemory> create_memory(std::size_t bytes) = 0;
  /// That memory, of which a peer has told the number. Null: it cannot be mapped.
  virtual std::unique_ptr<SharedMemory> map_memory(Rank creator, std::int64_t number, std::size_t bytes) = 0;
  /// Wakes that peer, if it sleeps: something that it may wait for has changed in memory that both have mapped. Costs
  /// a look at the peer's memory otherwise.
  virtual void wake(Rank peer) = 0;

  // Sleeping: peers have to be told, so that they can wake this task.

  /// The task is about to sleep in the poller: from now on packets must make a descriptor ready. False when some have
  /// come meanwhile (and been taken): then do not sleep, and there is no `after_sleep`.
  virtual bool before_sleep() = 0;
  /// The task is awake again.
  virtual Ring after_sleep() = 0;

  // Waiting: a task that waits for a send, awake, takes its share in copying a long message at once. One that
  // computes does so only when it calls Comm again.

  /// The task has begun to wait for a send, and not only for a moment.
  virtual void begin_waiting() = 0;
  virtual void end_waiting() = 0;

 protected:
  ~MemoryPath() = default;
};

}  // namespace nasvm
