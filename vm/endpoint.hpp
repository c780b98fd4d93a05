#pragma once
/// \file
/// Two-sided messages between the tasks of one program, by world rank: what Comm and Task stand on.
/// `Engine` implements it over the transports; tests implement it between threads of one process.
///
/// One thread uses an endpoint. Nothing here copies user data except where a message arrives before its
/// receive is posted.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "vm/metrics/clock.hpp"
#include "vm/shared_memory.hpp"

namespace nasvm {

using Rank = int;
using Tag = int;
/// Separates the messages of communicators, of their collectives, and of Task from each other.
using Context = std::uint32_t;

inline constexpr Rank any_source = -1;
inline constexpr Tag any_tag = -1;

/// Contexts below those of Comms, used by Task.
inline constexpr Context packed_context = 0;    ///< send, mcast
inline constexpr Context unpacked_context = 1;  ///< fsend
/// From here on those of remote service requests, one for each method (vm/request_carrier.hpp).
inline constexpr Context first_request_context = 0xffffff00U;

/// Also strangers may send in these; in Comms' only siblings.
inline constexpr bool is_for_strangers(Context context) {
  return context <= unpacked_context || context >= first_request_context;
}

/// Of Comms: even, and one more for collectives (comm.hpp).
inline constexpr bool is_of_collective(Context context) { return !is_for_strangers(context) && context % 2 == 1; }

/// Of a message from point to point; libraries above Comm may have negative ones for messages of their own.
inline void check_tag(Tag tag) {
  if (tag < 0) throw std::invalid_argument("tag " + std::to_string(tag) + ": a message's tag is 0 or more");
}

/// The same of the tag that a receive or a probe asks for.
inline void check_wanted_tag(Tag tag) {
  if (tag != any_tag) check_tag(tag);
}

/// What a completed receive (or a probe) found.
struct Status {
  Rank source = any_source;
  Tag tag = any_tag;
  std::size_t bytes = 0;
};

/// One send or receive in flight. The caller owns it and its buffer and leaves both in place until
/// `complete`; it then holds nothing and may be destroyed.
struct Operation {
  enum class Kind : std::uint8_t { send, receive };

  Kind kind = Kind::send;
  bool complete = false;
  /// Receives: nothing will fill it, and it is not posted any more: its message was longer than it (status.bytes
  /// tells how long), or the task that was to send it has ended (status.bytes is 0).
  bool abandoned = false;
  bool may_truncate = false;  ///< receives: of a longer message the first `bytes` are kept; status.bytes tells of all
  bool synchronous = false;   ///< sends: complete only when a receive has matched
  std::uint8_t element_bytes = 1;  ///< of each element, for peers of the other byte order
  Context context = 0;
  Rank peer = any_source;  ///< destination, or wanted source
  Tag tag = any_tag;
  std::byte* data = nullptr;  ///< a send never writes through it
  std::size_t bytes = 0;      ///< length of the message, or capacity of the receive

  Status status{};            ///< receives: what came; valid when complete
  Ticks arrived = 0;          ///< receives: when the first of the message was seen; 0: not yet, or with all of it
  Operation* next = nullptr;  ///< the endpoint's own
  std::uint64_t serial = 0;   ///< the endpoint's own: order of posting
  void* state = nullptr;      ///< the endpoint's own

  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
};

class NativeCollectives;

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  /// Starts a send or receive. Never blocks. What it throws for is withdrawn. Messages of one pair and
  /// context are matched in the order of their sends. A message longer than its receive is a RunError, thrown by
  /// whichever call notices, and by each that waits for the receive, unless that may truncate (Engine alone has that,
  /// and synchronous sends). Such a message is lost, for its sender as if it had been received.
  virtual void start(Operation& operation) = 0;

  /// Moves messages along without blocking.
  virtual void progress() = 0;

  /// The same, once and cheaply, where what completes that operation is expected, for a wait that comes right after.
  virtual void look_for(const Operation& /*operation*/) {}

  /// Blocks until one of `operations` is complete (null entries are skipped), making progress on all.
  /// Throws RunError when the machine fails meanwhile.
  virtual void wait_any(std::span<Operation* const> operations) = 0;

  /// Finds a message that a receive of (source, tag, context) would take, without taking it. With `block`
  /// it waits for one; otherwise it makes progress once and says whether there is one.
  virtual bool probe(Rank source, Tag tag, Context context, Status& found, bool block) = 0;

  /// Withdraws a posted receive; false when a message has already matched it (then wait for it as usual).
  virtual bool cancel(Operation& receive) = 0;

  /// The owner of an operation that has been started and is not complete is about to go, and its buffer with it:
  /// after an error that the task may survive. Does not block. Nothing is written to the buffer any more; a message
  /// that had matched the receive is lost. A send goes on, from a copy (Engine alone has that; elsewhere its buffer
  /// is still read); where a peer has been told its place in this task's memory (MemoryPath), what that has fetched
  /// from there since counts for nothing.
  virtual void withdraw(Operation& operation) noexcept {
    if (operation.kind != Operation::Kind::receive) return;
    try {
      (void)cancel(operation);
    } catch (const std::exception&) {  // another error is being told already
    }
  }

  /// Name of the transport that carries messages to `peer`.
  [[nodiscard]] virtual std::string_view method(Rank peer) const = 0;

  /// Is that peer's task on this task's host?
  [[nodiscard]] virtual bool is_on_this_host(Rank /*peer*/) const { return true; }

  /// Would a short message to that peer leave now by a copy in memory, without a call of the system?
  [[nodiscard]] virtual bool sends_through_memory(Rank /*peer*/) const { return false; }

  /// Can the memory of that peer be read?
  [[nodiscard]] virtual bool can_read_memory(Rank /*peer*/) const { return false; }
  /// Fills `into` from an address of that peer's memory. Copies, but waits for nobody. False: it is not possible.
  [[nodiscard]] virtual bool read_memory(Rank /*peer*/, std::uint64_t /*address*/, std::span<std::byte> /*into*/) {
    return false;
  }

  /// Memory of this task out of which that many peers, `reader` among them, read faster than out of other memory.
  /// Stays until it is asked for again. Empty: there is none, or it would not pay.
  [[nodiscard]] virtual std::span<std::byte> board(Rank /*reader*/, std::size_t /*bytes*/, int /*readers*/) {
    return {};
  }

  /// New memory for this task and peers of it, `peer` among them. Null: there is none.
  [[nodiscard]] virtual std::unique_ptr<SharedMemory> create_memory(Rank /*peer*/, std::size_t /*bytes*/) {
    return nullptr;
  }
  /// What that peer has created, by its number. Null: it cannot be mapped.
  [[nodiscard]] virtual std::unique_ptr<SharedMemory> map_memory(Rank /*creator*/, std::int64_t /*number*/,
                                                                 std::size_t /*bytes*/) {
    return nullptr;
  }
  /// Something that this peer may wait for has changed in memory that both have mapped. Does not block.
  virtual void wake(Rank /*peer*/) {}
  /// Blocks until `done()`, making progress on everything. It looks at shared memory that `writers` change, who then
  /// wake this task, by sequentially consistent loads and stores. Throws RunError when one of them has died.
  virtual void wait_for_memory(std::span<const Rank> /*writers*/, const std::function<bool()>& /*done*/) {}

  /// Contexts `first` and `first` + 1 are going to be used among `members` (world ranks, in the order of their ranks
  /// there) and nobody else. Collective over the members; groups without a common member may have the same contexts.
  virtual void open_contexts(Context /*first*/, std::span<const Rank> /*members*/) {}

  /// The Comm that they were opened for is gone; nothing of theirs is under way. Called by every member, sooner or
  /// later; does not wait for the others.
  virtual void close_contexts(Context /*first*/) noexcept {}

  /// Collectives that this fabric has of its own, or null.
  [[nodiscard]] virtual NativeCollectives* native_collectives() { return nullptr; }
};

/// An operation that does not outlive its block: when an exception ends that before the operation is complete, it is
/// withdrawn.
class LocalOperation final : public Operation {
 public:
  /// The endpoint outlives it.
  explicit LocalOperation(Endpoint& endpoint) : endpoint_(endpoint) {}
  ~LocalOperation() {
    if (is_started_ && !complete) endpoint_.withdraw(*this);
  }
  LocalOperation(const LocalOperation&) = delete;
  LocalOperation& operator=(const LocalOperation&) = delete;

  /// Once, when it has been filled in. What fails to start is known to nobody.
  void start() {
    endpoint_.start(*this);
    is_started_ = true;
  }

 private:
  Endpoint& endpoint_;
  bool is_started_ = false;
};

}  // namespace nasvm
