#pragma once
/// \file
/// `copies`, a yardstick of `nasvm mcast` for tasks of one computer: rank 0 alone copies the message as often as
/// there are receivers, each time to other memory of its own, with a thread for each core that it may use. Nothing is
/// brought to anybody: it is what the computer's copy rate allows a broadcast to take.

#include <barrier>
#include <thread>
#include <vector>

#include "harness/commands/mcast/channel.hpp"

namespace nasvm {

inline constexpr std::string_view copies_name = "copies";

class CopiesChannel final : public MulticastChannel {
 public:
  /// Rank 0 starts its threads here; they end with this. Throws RunError where the system does not allow them.
  explicit CopiesChannel(Comm& comm);
  ~CopiesChannel() override;
  CopiesChannel(const CopiesChannel&) = delete;
  CopiesChannel& operator=(const CopiesChannel&) = delete;

  /// Blocks until all copies are made. The memory for them, of the longest message so far, stays.
  void send(std::span<const std::byte> message) override;
  /// Returns at once: the buffer is left alone.
  std::int64_t receive(std::span<std::byte> message) override;
  void close() override { comm_.barrier(); }
  [[nodiscard]] multicast::Counts counts() const override { return {}; }
  [[nodiscard]] Facts facts() const override { return {}; }
  [[nodiscard]] bool may_lose() const override { return false; }
  [[nodiscard]] bool delivers() const override { return false; }

 private:
  /// Every so many-th copy, beginning with that of the thread's number.
  void copy(std::size_t thread);

  Comm& comm_;
  std::vector<std::vector<std::byte>> copies_;
  std::span<const std::byte> message_{};
  bool ending_ = false;
  std::size_t threads_;
  std::barrier<> begin_;
  std::barrier<> end_;
  std::vector<std::jthread> others_;
};

}  // namespace nasvm
