#pragma once
/// \file
/// Finds out whether more leaves than the way to the receivers carries, and at what rate it carries it. Each receiver
/// says which transmission it saw last and how many packets have come (feedback.hpp): that is its loss and its rate
/// since its last word. When more is lost than chance explains, packets are to leave at the rate that arrives at that
/// receiver; if it loses as much then, that is chance and the rate was not to blame, but where hardly anything comes.
/// While it loses little, the rate rises.
/// docs/decisions/multicast-pacing.md.

#include <cstdint>
#include <vector>

#include "vm/multicast/window/feedback.hpp"
#include "vm/multicast/window/transmissions.hpp"

namespace nasvm::multicast {

class Overrun {
 public:
  /// Fewer packets than this say nothing about loss.
  static constexpr std::uint32_t sample_packets = 64;

  /// `packet_bits`: of a full packet.
  Overrun(int nodes, double packet_bits) : packet_bits_(packet_bits), words_(static_cast<std::size_t>(nodes)) {}

  /// A receiver's word, when `next` is the number of the next transmission. Returns whether the rate is another now.
  bool report(Node from, const Feedback& feedback, std::uint32_t next, TimePoint now);
  /// The transmission that leaves now is a question.
  void asks() { ++questions_; }
  /// For that long nothing was to leave, up to now: no sample lasts longer for it.
  void paused(Duration time, TimePoint now) {
    for (Word& word : words_) word.at = std::min(word.at + time, now);
  }
  /// What was concluded so far had another cause: without a limit, and from here on.
  void begin_anew() { *this = Overrun(static_cast<int>(words_.size()), packet_bits_); }
  /// Its word is awaited no more.
  void lost(Node node) {
    if (node == slowest_) slowest_ = sender_node;
    doubted_ = doubted_ && slowest_ != sender_node;
  }
  /// At which packets are to leave, in bit/s; 0: no limit.
  [[nodiscard]] double rate() const { return rate_; }

 private:
  /// A receiver's last word on what left after the rate was changed.
  struct Word {
    std::uint32_t change = 0;  ///< which change that was; 0: no word yet
    std::uint32_t seen = 0;
    std::uint64_t arrived = 0;
    std::uint32_t questions = 0;  ///< that had left
    TimePoint at{};
  };
  /// The rate after this receiver's loss.
  [[nodiscard]] double judge(Node from, double loss, double arrived_rate);
  [[nodiscard]] bool change(double rate, std::uint32_t next);

  double packet_bits_;
  std::vector<Word> words_;  ///< by node
  std::uint32_t changes_ = 1;
  std::uint32_t questions_ = 0;
  std::uint32_t changed_at_ = 0;  ///< first transmission at the present rate
  double rate_ = 0;
  Node slowest_ = sender_node;  ///< for whose sake it was reduced; sender_node: nobody, or one who is lost
  bool doubted_ = false;        ///< it has not said yet whether that helped
  double rate_before_ = 0;
  double loss_before_ = 0;
  double usual_loss_ = 0;  ///< by chance
};

}  // namespace nasvm::multicast
