#include "vm/multicast/window/paced_sender.hpp"

#include <utility>

namespace nasvm::multicast {
namespace {

/// Headers of this layer, UDP and IP.
constexpr std::size_t overhead_bytes = header_bytes + 28;

}  // namespace

PacedSender::PacedSender(const Group& group, const Settings& settings, Network& network)
    : network_(network),
      window_(settings.window),
      rate_is_set_(settings.bits_per_second > 0),
      round_trips_(group.receivers + 1, settings.timeout, settings.path_timeout),
      overrun_(group.receivers + 1, 8.0 * static_cast<double>(settings.packet_bytes + overhead_bytes)),
      pacer_(settings.bits_per_second) {}

void PacedSender::pump(TimePoint now) {
  while (!done() && something_to_send() && pacer_.next() <= now && network_.has_room()) send_next(now);
  if (asks_at_once()) ask(now);
  set_deadline();
}

void PacedSender::leave(const Packet& packet, TimePoint now) {
  network_.send_to_all(packet);
  pacer_.sent(packet.payload.size() + overhead_bytes, now);
  ++counts_.data_packets;
  last_event_ = now;
  has_asked_ = false;
}

bool PacedSender::asks_at_once() const {
  return (loses_ || lost_lately_) && !has_asked_ && !done() && all_has_left() && !something_to_send() &&
         network_.has_room();
}

/// Asks all.
void PacedSender::ask(TimePoint now) {
  network_.send_to_all(question(now));
  ++counts_.control_packets;
  last_event_ = now;
  has_asked_ = true;
}

void PacedSender::set_deadline() {
  deadline_ = TimePoint::max();
  if (done()) return;
  if (!something_to_send()) {
    deadline_ = last_event_ + round_trips_.timeout(silences_);
  } else if (network_.has_room()) {
    deadline_ = pacer_.next();
  }
}

void PacedSender::tick(TimePoint now) {
  if (done()) return;
  if (!something_to_send() && deadline_ <= now) {  // nobody has said anything for long
    ++silences_;
    ask(now);
  }
  pump(now);
}

void PacedSender::begin(TimePoint now) {
  lost_lately_ = std::exchange(loses_, false);
  heard(now);
}

void PacedSender::heard(TimePoint now) {
  silences_ = 0;
  last_event_ = now;
}

void PacedSender::measure(Node from, const Feedback& feedback, const Transmissions& transmissions, TimePoint now) {
  round_trips_.report(from, feedback, transmissions, now);
  if (rate_is_set_) return;
  if (overrun_.report(from, feedback, transmissions.next(), now)) pacer_.set_rate(overrun_.rate());
}

}  // namespace nasvm::multicast
