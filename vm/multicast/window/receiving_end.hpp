#pragma once
/// \file
/// A receiver of the protocols with a window: detects losses (gaps, time-out, poll), asks for what it misses, hands
/// pieces to the inbox, and acknowledges when it is its turn. In what they acknowledge, and to whom, the protocols
/// differ.

#include <memory>

#include "vm/multicast/multicast.hpp"
#include "vm/multicast/window/feedback.hpp"
#include "vm/multicast/window/incoming.hpp"
#include "vm/multicast/window/requests.hpp"
#include "vm/multicast/window/transmissions.hpp"
#include "vm/multicast/window/upstream.hpp"

namespace nasvm::multicast {

/// Which packets of a message a receiver acknowledges unasked: that of index `phase`, and each `stride`-th after it;
/// and the last of all. 0: only the last.
struct Turns {
  std::uint32_t stride = 0;
  std::uint32_t phase = 0;

  /// Is there such a packet among those of index `from` to `to` - 1?
  [[nodiscard]] bool any(std::uint32_t from, std::uint32_t to) const {
    return stride != 0 && before_index(to) > before_index(from);
  }

 private:
  [[nodiscard]] std::uint32_t before_index(std::uint32_t index) const {
    return index <= phase ? 0 : (index - phase + stride - 1) / stride;
  }
};

class ReceivingEnd final : public Receiver {
 public:
  ReceivingEnd(const Group& group, const Settings& settings, Turns turns, std::unique_ptr<Upstream> upstream,
               Network& network, Inbox& inbox);

  void arrived(Node from, const Packet& packet, TimePoint now) override;
  [[nodiscard]] TimePoint deadline() const override { return requests_.deadline(); }
  void tick(TimePoint now) override;
  void resume(TimePoint now) override { requests_.room(now); }
  void lost(Node node, TimePoint now) override;

 private:
  enum class Say { when_due, always };

  void data(const Packet& packet, TimePoint now);
  void take(const Packet& packet, bool was_missed, TimePoint now);
  void poll(const Packet& packet, TimePoint now);
  void hear(const Packet& nak, TimePoint now);
  void asked(std::uint32_t sequence, TimePoint now);
  void acknowledge(Say say, TimePoint now);
  void speak_for_itself(TimePoint now);
  [[nodiscard]] bool is_due(std::uint32_t sequence) const;
  [[nodiscard]] Feedback feedback(TimePoint now) const;
  [[nodiscard]] Feedback feedback(std::uint32_t upto, TimePoint now) const;
  void saw(std::uint32_t transmission, TimePoint now);

  Network& network_;
  Inbox& inbox_;
  Turns turns_;
  std::unique_ptr<Upstream> upstream_;
  bool naks_to_all_;
  ReceiveWindow window_;
  Requests requests_;
  Incoming incoming_;
  std::uint32_t acknowledged_ = 0;  ///< what was said last
  std::uint32_t asked_ = 0;         ///< everything before it is to be acknowledged as soon as it is there
  std::uint32_t seen_ = Transmissions::none;
  TimePoint seen_at_{};
  std::uint64_t arrived_ = 0;
};

}  // namespace nasvm::multicast
