#pragma once
/// \file
/// The sender of the protocols with a window: sends the pieces of a message to all, as fast as window, pace and
/// network let it, again what somebody misses (before anything new), and releases what all have acknowledged. When
/// nothing can leave and nobody says anything, it asks.
///
/// A packet costs no step for each receiver; an acknowledgement costs one (Progress).

#include <functional>
#include <vector>

#include "vm/multicast/pieces.hpp"
#include "vm/multicast/window/paced_sender.hpp"
#include "vm/multicast/window/progress.hpp"
#include "vm/multicast/window/send_window.hpp"

namespace nasvm::multicast {

/// In what senders differ.
struct SendingRules {
  /// Every so many packets of a message, and its last, one asks all receivers to say what they have. 0: none does.
  std::uint32_t poll = 0;
  /// Those whose acknowledgements the sender waits for; empty: all receivers. These speak for others as well; when
  /// they have nothing to say, the sender asks each receiver for itself.
  std::vector<Node> acknowledgers{};
  /// Who acknowledges in the place of a node that is lost; `sender_node`: nobody. Is called once for each.
  std::function<Node(Node lost)> heir{};
};

class SendingEnd final : public PacedSender {
 public:
  SendingEnd(const Group& group, const Settings& settings, const SendingRules& rules, Network& network);

  void send(std::span<const std::byte> message, TimePoint now) override;
  [[nodiscard]] bool done() const override { return window_.base() == pieces_.end() || !begun_; }

  void arrived(Node from, const Packet& packet, TimePoint now) override;
  void lost(Node node, TimePoint now) override;

 private:
  [[nodiscard]] bool something_to_send() const override;
  [[nodiscard]] bool may_ask_at_once() const override {
    return rules_.acknowledgers.empty() && window_.next() == pieces_.end();
  }
  void send_next(TimePoint now) override;
  [[nodiscard]] Packet question(TimePoint now) override;

  [[nodiscard]] Feedback read(const Packet& packet) const;
  void repair(const Packet& nak, TimePoint now);
  void heed(Node from, const Packet& packet, const Feedback& feedback, TimePoint now);
  void ask_each_from_now_on();
  void release();
  [[nodiscard]] bool asks_each() const { return questions_ > 0 && !rules_.acknowledgers.empty(); }
  [[nodiscard]] bool asks_with(std::uint32_t sequence) const;
  [[nodiscard]] bool makes_sense(Node from, const Packet& packet) const;

  SendingRules rules_;
  bool timeout_is_set_;
  std::vector<bool> alive_;  ///< by node
  SendWindow window_;
  Progress progress_;
  Progress each_;      ///< what receivers have said for themselves, while they are asked
  int questions_ = 0;  ///< about this message
  Pieces pieces_;
  std::size_t packet_bytes_;
  bool begun_ = false;
  std::uint32_t message_ = 0;
};

}  // namespace nasvm::multicast
