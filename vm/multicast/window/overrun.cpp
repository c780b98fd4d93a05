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
/// Numbers compare only when they are less than 2^31 apart (sequence.hpp). No word is about a transmission that old.
constexpr std::uint32_t reach = std::uint32_t{1} << 30;

}  // namespace

bool Overrun::report(Node from, const Feedback& feedback, std::uint32_t next, TimePoint now) {
  if (next - changed_at_ > reach) changed_at_ = next - reach;
  if (before(feedback.seen, changed_at_)) return false;
  Word& last = words_[static_cast<std::size_t>(from)];
  const Word word{changes_, feedback.seen, feedback.arrived, now - feedback.held};
  const std::uint32_t sent = word.seen - last.seen;
  const bool comparable = last.change == changes_ && last.arrived <= word.arrived;
  if (comparable && (sent < sample_packets || word.at <= last.at)) return false;
  const Word since = std::exchange(last, word);
  if (!comparable) return false;
  const auto arrived = static_cast<double>(word.arrived - since.arrived);
  const double loss = std::max(0.0, 1 - arrived / sent);
  const std::chrono::duration<double> time(word.at - since.at);
  return change(judge(from, loss, arrived * packet_bits_ / time.count()), next);
}

double Overrun::judge(Node from, double loss, double arrived_rate) {
  const bool may_raise = slowest_ == sender_node || from == slowest_;
  if (doubted_) {
    if (!may_raise) return rate_;
    doubted_ = false;
    if (loss > unchanged * loss_before_) {
      usual_loss_ = std::max(usual_loss_, loss);
      return rate_before_;
    }
  }
  if (loss > usual_loss_ + too_much) {
    slowest_ = from;
    doubted_ = true;
    loss_before_ = loss;
    rate_before_ = rate_;
    return std::max(arrived_rate, packet_bits_);
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
