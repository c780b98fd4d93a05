#pragma once
/// \file
/// The sender of the protocols with a window: sends the pieces of a message to all, as fast as window, pace and
/// network let it, again what somebody misses (before anything new), and releases what all have acknowledged. When
/// nothing can leave and nobody says anything, it asks.
///
/// A packet costs no step for each receiver; an acknowledgement costs one (Progress).

#include <functional>
#include <vector>

#include "vm/multicast/multicast.hpp"
#include "vm/multicast/pieces.hpp"
#include "vm/multicast/window/feedback.hpp"
#include "vm/multicast/window/overrun.hpp"
#include "vm/multicast/window/pacer.hpp"
#include "vm/multicast/window/progress.hpp"
#include "vm/multicast/window/round_trips.hpp"
#include "vm/multicast/window/send_window.hpp"
#include "vm/multicast/window/settings.hpp"

namespace nasvm::multicast {

/// In what senders differ.
struct SendingRules {
  /// Every so many packets of a message, and its last, one asks all receivers to say what they have. 0: none does.
  std::uint32_t poll = 0;
  /// Those whose acknowledgements the sender waits for; empty: all receivers.
  std::vector<Node> acknowledgers{};
  /// Who acknowledges in the place of a node that is lost; `sender_node`: nobody. Is called once for each.
  std::function<Node(Node lost)> heir{};
};

class SendingEnd final : public Sender {
 public:
  SendingEnd(const Group& group, const Settings& settings, const SendingRules& rules, Network& network);

  void send(std::span<const std::byte> message, TimePoint now) override;
  [[nodiscard]] bool done() const override { return window_.base() == pieces_.end() || !begun_; }
  [[nodiscard]] const Counts& counts() const override { return counts_; }

  void arrived(Node from, const Packet& packet, TimePoint now) override;
  [[nodiscard]] TimePoint deadline() const override { return deadline_; }
  void tick(TimePoint now) override;
  void resume(TimePoint now) override { pump(now); }
  void lost(Node node, TimePoint now) override;

 private:
  void pump(TimePoint now);
  void leave(std::uint32_t sequence, TimePoint now);
  void ask(TimePoint now);
  void measure(Node from, const Feedback& feedback, TimePoint now);
  void repair(const Packet& nak, TimePoint now);
  void release(TimePoint now);
  void heard(TimePoint now);
  void set_deadline();
  [[nodiscard]] bool something_to_send() const;
  [[nodiscard]] bool asks_with(std::uint32_t sequence) const;
  [[nodiscard]] bool makes_sense(Node from, const Packet& packet) const;

  Network& network_;
  Settings settings_;
  SendingRules rules_;
  std::vector<bool> alive_;  ///< by node
  SendWindow window_;
  Progress progress_;
  RoundTrips round_trips_;
  Overrun overrun_;
  Pacer pacer_;
  Pieces pieces_;
  bool begun_ = false;
  std::uint32_t message_ = 0;
  int silences_ = 0;        ///< times in a row that it asked
  TimePoint last_event_{};  ///< when something left, or news came
  TimePoint deadline_ = TimePoint::max();
  Counts counts_;
};

}  // namespace nasvm::multicast
