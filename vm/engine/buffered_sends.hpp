#pragma once
/// \file
/// Sends that do not wait for their receivers, as PVM's pvm_send does not: what cannot leave yet is copied and kept,
/// up to a bound. Beyond it a send blocks until there is room, or the receiver has asked for the message. Reasons:
/// docs/decisions/packed-sends.md.
///
/// Kept messages move whenever the task calls the message layer. Errors are those of the engine.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/engine/engine.hpp"

namespace nasvm::engine {

class BufferedSends {
 public:
  /// Hears that a send blocks until one of these tasks receives; again whenever that has changed and it still blocks.
  using BlockedListener = std::function<void(std::span<const Rank> awaited)>;

  /// `bound_bytes`: of all messages kept at a time, with a record of `record_bytes` for each.
  BufferedSends(Engine& engine, std::size_t bound_bytes, BlockedListener blocked);
  static constexpr std::size_t record_bytes = 256;

  /// Sends a packed message of Task. Blocks as said above; `message` may be used again afterwards. Where it `serves`
  /// handlers of requests run while it blocks: not while a message is dealt with.
  void send(Rank to, Tag tag, std::span<const std::byte> message, bool serves = true);
  /// Blocks until nothing is kept for peers from rank `first` on.
  void drain(Rank first);

  /// Kept now, records included (for tests and reports).
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Send {
    Operation operation;
    std::vector<std::byte> copy;
  };
  using SendPointer = std::unique_ptr<Send>;
  using Queue = std::deque<SendPointer>;

  [[nodiscard]] static std::size_t cost(const Send& send) { return send.operation.bytes + record_bytes; }
  [[nodiscard]] bool has_room_for(const Send& send) const { return cost(send) <= bound_bytes_ - bytes_; }
  void keep(SendPointer send);
  void drop(const Send& send);
  void drop_complete();
  void drop_all_complete();
  [[nodiscard]] bool keeps_any(Rank first) const;
  void tell_if_blocked(const Send& send);
  [[nodiscard]] std::vector<Rank> awaited_of(const Send& send) const;

  Engine& engine_;
  std::size_t bound_bytes_;
  BlockedListener blocked_;
  std::map<Rank, Queue> kept_;  ///< by receiver, in the order of their sends, which is most often that of their ends
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t looked_through_at_ = 0;  ///< sends that had been completed when all queues were looked through
};

}  // namespace nasvm::engine
