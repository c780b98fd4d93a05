#include "vm/multicast/window/overrun.hpp"

#include <algorithm>
#include <utility>

namespace nasvm::multicast {
namespace {

/// More than the usual loss and this is too much: chance of 10 % on 64 packets almost never is.
constexpr double too_much = 0.25;
/// Up to the usual loss and this the rate rises.
constexpr double little = 0.1;
constexpr double rise = 1.25;
/// A loss that is no less than this part of what it was before the rate was reduced does not come from the rate.
constexpr double unchanged = 0.7;
/// A loss above this never is chance: where IP cuts packets, a receiver's memory for putting them together may be
/// full of those that lack a piece, and takes no others until it forgets some.
constexpr double most_by_chance = 0.75;
/// So many packets show that. Questions are short, and come nonetheless: all but this part of what comes is theirs.
/// Only where packets are longer than what Ethernet carries whole: else questions are lost as packets are.
constexpr std::uint32_t few_packets = 16;
constexpr double hardly_any = 0.05;
constexpr double whole_bits = 8 * 1500;
/// Packets per second that leave even then: the next word is to come within seconds.
constexpr double least_rate = 16;
/// Numbers compare only when they are less than 2^31 apart (sequence.hpp). No word is about a transmission that old.
constexpr std::uint32_t reach = std::uint32_t{1} << 30;

}  // namespace

bool Overrun::report(Node from, const Feedback& feedback, std::uint32_t next, TimePoint now) {
  if (next - changed_at_ > reach) changed_at_ = next - reach;
  if (before(feedback.seen, changed_at_)) return false;
  Word& last = words_[static_cast<std::size_t>(from)];
  const Word word{changes_, feedback.seen, feedback.arrived, questions_, now - feedback.held};
  std::uint32_t sent = word.seen - last.seen;
  const bool comparable = last.change == changes_ && last.arrived <= word.arrived;
  if (comparable && (sent < sample_packets || word.at <= last.at)) return false;
  const Word since = std::exchange(last, word);
  if (!comparable) return false;
  auto arrived = static_cast<double>(word.arrived - since.arrived);
  const std::uint32_t questions = word.questions - since.questions;
  const double data_arrived = std::max(0.0, arrived - questions);
  if (const std::uint32_t data = sent - std::min(sent, questions);
      packet_bits_ > whole_bits && data >= few_packets && data_arrived < hardly_any * data) {
    sent = data;
    arrived = data_arrived;
  }
  const double loss = std::max(0.0, 1 - arrived / sent);
  const std::chrono::duration<double> time(word.at - since.at);
  return change(judge(from, loss, arrived * packet_bits_ / time.count()), next);
}

double Overrun::judge(Node from, double loss, double arrived_rate) {
  const bool may_raise = slowest_ == sender_node || from == slowest_;
  if (doubted_) {
    if (!may_raise) return rate_;
    doubted_ = false;
    if (loss > unchanged * loss_before_ && loss <= most_by_chance) {
      usual_loss_ = std::max(usual_loss_, loss);
      return rate_before_;
    }
  }
  if (loss > std::min(usual_loss_ + too_much, most_by_chance)) {
    slowest_ = from;
    doubted_ = true;
    loss_before_ = loss;
    rate_before_ = rate_;
    return std::max(arrived_rate, packet_bits_ * (loss > most_by_chance ? least_rate : 1));
  }
  usual_loss_ += (std::min(loss, usual_loss_) - usual_loss_) / 10;
  return may_raise && loss <= usual_loss_ + little ? rate_ * rise : rate_;
}

bool Overrun::change(double rate, std::uint32_t next) {
  if (rate == rate_) return false;
  rate_ = rate;
  changed_at_ = next;
  ++changes_;
  return true;
}

}  // namespace nasvm::multicast
