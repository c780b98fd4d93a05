#pragma once
/// \file
/// What senders share whose data leave as numbered transmissions: they leave as fast as network, pace and receivers
/// take them, and when nothing can leave and nobody says anything for long, all are asked; while packets are lost, as
/// soon as everything has left, since the last packet, and words on it, may be among them. What leaves next, and what
/// receivers' words mean, is the protocol's.

#include <optional>

#include "vm/multicast/multicast.hpp"
#include "vm/multicast/window/feedback.hpp"
#include "vm/multicast/window/hearing.hpp"
#include "vm/multicast/window/overrun.hpp"
#include "vm/multicast/window/pacer.hpp"
#include "vm/multicast/window/round_trips.hpp"
#include "vm/multicast/window/settings.hpp"
#include "vm/multicast/window/transmissions.hpp"

namespace nasvm::multicast {

class PacedSender : public Sender {
 public:
  [[nodiscard]] const Counts& counts() const final { return counts_; }
  [[nodiscard]] std::uint32_t window() const final { return window_; }
  [[nodiscard]] Duration patience() const final { return round_trips_.timeout(0); }
  [[nodiscard]] TimePoint deadline() const final { return deadline_; }
  void tick(TimePoint now) final;
  void resume(TimePoint now) final { pump(now); }

 protected:
  PacedSender(const Group& group, const Settings& settings, Network& network);

  /// Sends what may leave now.
  void pump(TimePoint now);
  /// A packet of data or a repair leaves, maybe `again`; its transmission has been counted.
  void leave(const Packet& packet, TimePoint now);
  /// A message begins.
  void begin(TimePoint now);
  /// Something that was waited for has come.
  void heard(TimePoint now);
  /// A receiver's word, of what has left: before anything else is made of it.
  void measure(Node from, const Feedback& feedback, const Transmissions& transmissions, TimePoint now);
  /// Does it say that too much leaves? Once a silence that it ends is known to have ended, and not after the
  /// message's end: no time counts there, and the next word says as much.
  void judge(Node from, const Feedback& feedback, const Transmissions& transmissions, TimePoint now);
  /// It may not hear what is for all: repairs for its sake would tell nothing, and keep the next question up.
  [[nodiscard]] bool doubts(Node node) const { return hearing_.doubts(node); }
  /// Its word is awaited no more.
  void measure_no_more(Node node) {
    overrun_.lost(node);
    hearing_.lost(node);
  }

 private:
  /// Is there something that the receivers and the window let leave?
  [[nodiscard]] virtual bool something_to_send() const = 0;
  /// Has every piece of the message left once, and do all receivers speak for themselves?
  [[nodiscard]] virtual bool may_ask_at_once() const = 0;
  /// Sends that; only where there is something.
  virtual void send_next(TimePoint now) = 0;
  /// A poll that leaves now, its transmission counted.
  [[nodiscard]] virtual Packet question(TimePoint now) = 0;

  [[nodiscard]] bool asks_at_once() const;
  enum class After : std::uint8_t { data, silence };
  void ask(After after, TimePoint now);
  void ask_apart(Packet poll);
  void set_deadline();
  void end_silence(TimePoint now);

  Network& network_;
  std::uint32_t window_;
  bool rate_is_set_;
  RoundTrips round_trips_;
  Overrun overrun_;
  Hearing hearing_;
  Pacer pacer_;
  bool loses_ = false;                            ///< repairs of this message have left
  bool lost_lately_ = false;                      ///< and of the one before
  bool has_asked_ = false;                        ///< since data left
  std::uint32_t question_ = Transmissions::none;  ///< the last one
  bool is_answered_ = true;                       ///< by somebody, or there was none in this message
  int at_once_ = 0;                               ///< times that it asked so, in this message
  int silences_ = 0;                              ///< times in a row that it asked after silence
  TimePoint last_event_{};                        ///< when something left, or news came
  std::optional<TimePoint> idle_since_{};         ///< when the last message was everywhere; nothing: one is under way
  TimePoint deadline_ = TimePoint::max();
  Counts counts_;
};

}  // namespace nasvm::multicast
