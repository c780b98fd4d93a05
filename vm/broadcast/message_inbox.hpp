#pragma once
/// \file
/// Where a member's messages of a group go: into the buffer that the member waits with, or, when the sender is ahead,
/// into memory of a bounded length until it does. The sender begins a message only when all have the one before, so
/// no more than one is ever ahead, and the numbers of messages may wrap. Pure bookkeeping.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vm/metrics/clock.hpp"
#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast {

class MessageInbox final : public Inbox {
 public:
  /// Messages up to `most_early_bytes` may come before they are awaited. `first`: the number of the first message.
  explicit MessageInbox(std::size_t most_early_bytes, std::uint32_t first = 0)
      : most_early_bytes_(most_early_bytes), current_(first), completed_(first) {}

  /// The next message is to go to `buffer`, which stays in place until `complete()`. Throws RunError when what has
  /// come of it says that it has another length.
  void expect(std::span<std::byte> buffer);
  /// Has all of it come? Throws RunError as `expect` does.
  [[nodiscard]] bool complete() const;
  /// When the first of it was seen; 0: nothing has been.
  [[nodiscard]] Ticks arrived() const { return arrived_; }
  /// When the last one was complete.
  [[nodiscard]] TimePoint completed_at() const { return completed_at_; }
  /// It has been taken: the next one is another.
  void next();
  /// Nobody waits any more. Parts of the message are lost, so that it and later ones cannot be expected: RunError.
  void give_up();

  bool take(const Packet& data) override;
  void complete(std::uint32_t message) override;

 private:
  void check_length() const;

  std::size_t most_early_bytes_;
  std::vector<std::byte> early_;   ///< what has come before the message was expected
  std::span<std::byte> buffer_{};  ///< of the message that is expected
  bool expected_ = false;
  bool given_up_ = false;
  std::uint32_t current_;     ///< number of the message that is expected, or will be next
  std::uint64_t length_ = 0;  ///< of it, once something of it has come
  std::uint32_t completed_;   ///< number of the one behind the last message that is complete
  TimePoint completed_at_{};  ///< that one
  Ticks arrived_ = 0;
};

}  // namespace nasvm::multicast
