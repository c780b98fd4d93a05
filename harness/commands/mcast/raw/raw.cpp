#include "harness/commands/mcast/raw/raw.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "vm/multicast/pieces.hpp"

namespace nasvm {
namespace {

using multicast::Group;
using multicast::Inbox;
using multicast::Network;
using multicast::Node;
using multicast::Packet;
using multicast::Pieces;
using multicast::TimePoint;

/// Longer messages are none of ours: nobody shall have a receiver note pieces without end.
constexpr std::uint64_t most_message_bytes = std::uint64_t{1} << 30;

/// At which pieces are given up: earlier ones may have overtaken them, as fragments and short packets do each other.
constexpr std::uint32_t last_question = 3;

/// From question to question, at most.
constexpr std::chrono::seconds longest_pause{1};

std::size_t piece_bytes(const Group& group) {
  return std::min<std::size_t>(value_of(group.parameters, "packet", group.packet_bytes), group.packet_bytes);
}

class RawSender final : public multicast::Sender {
 public:
  RawSender(const Group& group, Network& network) : network_(network), piece_bytes_(piece_bytes(group)) {
    for (Node node = 1; node <= group.receivers; ++node) alive_.insert(node);
  }

  void send(std::span<const std::byte> message, TimePoint now) override {
    pieces_ = Pieces(message, message_++, sequence_, piece_bytes_);
    end_ = pieces_.end();
    message_bytes_ = message.size();
    open_ = alive_;
    pause_ = raw_grace;
    questions_ = 0;
    go_on(now);
  }
  bool done() const override { return sequence_ == end_ && open_.empty(); }

  void arrived(Node from, const Packet& packet, TimePoint) override {
    const bool has_left = sequence_ == end_;
    if (has_left && packet.kind == Packet::Kind::ack && packet.message + 1 == message_) leave(from);
  }
  TimePoint deadline() const override { return deadline_; }
  void resume(TimePoint now) override { go_on(now); }
  void tick(TimePoint now) override {
    if (sequence_ != end_) return go_on(now);
    if (now < deadline_) return;
    Packet question;
    question.kind = Packet::Kind::poll;
    question.message = message_ - 1;
    question.message_bytes = message_bytes_;
    question.count = ++questions_;
    network_.send_to_all(question);
    ++counts_.control_packets;
    pause_ = std::min<multicast::Duration>(2 * pause_, longest_pause);
    deadline_ = now + pause_;
  }
  void lost(Node node, TimePoint) override {
    alive_.erase(node);
    leave(node);
  }
  const multicast::Counts& counts() const override { return counts_; }

 private:
  /// As much as the network takes.
  void go_on(TimePoint now) {
    if (sequence_ == end_) return;
    while (sequence_ != end_ && network_.has_room()) {
      network_.send_to_all(pieces_.packet(sequence_++));
      ++counts_.data_packets;
    }
    if (sequence_ == end_ && !open_.empty()) deadline_ = now + pause_;
  }
  void leave(Node node) {
    open_.erase(node);
    if (open_.empty()) deadline_ = TimePoint::max();
  }

  Network& network_;
  std::size_t piece_bytes_;
  std::set<Node> alive_;
  std::set<Node> open_;        ///< have not said that they are through with the last message
  Pieces pieces_;              ///< of the last message
  std::uint32_t message_ = 0;  ///< number of the next one
  std::uint64_t message_bytes_ = 0;
  std::uint32_t sequence_ = 0;   ///< of the next packet
  std::uint32_t end_ = 0;        ///< behind the last one
  std::uint32_t questions_ = 0;  ///< about the last message
  multicast::Duration pause_{raw_grace};
  TimePoint deadline_ = TimePoint::max();
  multicast::Counts counts_;
};

class RawReceiver final : public multicast::Receiver {
 public:
  RawReceiver(const Group& group, Network& network, Inbox& inbox)
      : network_(network), inbox_(inbox), piece_bytes_(piece_bytes(group)), zeros_(piece_bytes_) {}

  void arrived(Node from, const Packet& packet, TimePoint) override {
    if (from != multicast::sender_node || packet.message_bytes > most_message_bytes) return;
    if (packet.kind == Packet::Kind::data && packet.message == message_) take(packet);
    if (packet.kind == Packet::Kind::poll && packet.message <= message_) answer(packet);
  }
  void lost(Node, TimePoint) override {}
  bool done() const override { return answered_ == message_; }

 private:
  /// The pieces of a message of that length, whatever it says.
  [[nodiscard]] std::size_t count_of(std::uint64_t message_bytes) const {
    return std::max<std::size_t>(1, (message_bytes + piece_bytes_ - 1) / piece_bytes_);
  }
  [[nodiscard]] std::size_t length_of(std::size_t piece) const {
    return std::min<std::size_t>(piece_bytes_, message_bytes_ - piece * piece_bytes_);
  }

  void begin(std::uint64_t message_bytes) {
    if (begun_) return;
    begun_ = true;
    message_bytes_ = message_bytes;
    there_.assign(count_of(message_bytes), false);
    missing_ = there_.size();
  }

  void take(const Packet& data) {
    begin(data.message_bytes);
    const std::size_t piece = data.offset / piece_bytes_;
    const bool fits = data.message_bytes == message_bytes_ && data.offset % piece_bytes_ == 0 &&
                      piece < there_.size() && data.payload.size() == length_of(piece);
    if (!fits || there_[piece] || !inbox_.take(data)) return;
    there_[piece] = true;
    --missing_;
    if (missing_ == 0) complete();
  }

  void answer(const Packet& question) {
    if (question.message == message_) {
      if (question.count < last_question) return;
      begin(question.message_bytes);
      if (!give_up()) return;
    }
    Packet answer;
    answer.kind = Packet::Kind::ack;
    answer.message = question.message;
    network_.send(multicast::sender_node, answer);
    answered_ = std::max(answered_, question.message + 1);
  }

  /// Zeros in place of what is missing. False: there is no room for them now.
  bool give_up() {
    for (std::size_t piece = 0; piece < there_.size(); ++piece) {
      if (there_[piece]) continue;
      Packet blank;
      blank.message = message_;
      blank.offset = piece * piece_bytes_;
      blank.message_bytes = message_bytes_;
      blank.payload = std::span(zeros_).first(length_of(piece));
      if (!inbox_.take(blank)) return false;
      there_[piece] = true;
      --missing_;
    }
    complete();
    return true;
  }

  void complete() {
    begun_ = false;
    inbox_.complete(message_++);
  }

  Network& network_;
  Inbox& inbox_;
  std::size_t piece_bytes_;
  std::vector<std::byte> zeros_;
  std::uint32_t message_ = 0;   ///< that is under way, or the next one
  std::uint32_t answered_ = 0;  ///< questions about messages before it have been
  bool begun_ = false;          ///< something of it has come
  std::uint64_t message_bytes_ = 0;
  std::vector<bool> there_;  ///< pieces
  std::size_t missing_ = 0;
};

constexpr std::array raw_parameters{
    ParameterRow{"packet", ParameterKind::bytes, 1, 65'000,
                 "payload of a packet (default: the longest that the path carries whole)"}};

}  // namespace

std::unique_ptr<multicast::Sender> make_raw_sender(const Group& group, Network& network) {
  return std::make_unique<RawSender>(group, network);
}

std::unique_ptr<multicast::Receiver> make_raw_receiver(const Group& group, Network& network, Inbox& inbox) {
  return std::make_unique<RawReceiver>(group, network, inbox);
}

const multicast::Row& raw_row() {
  static constexpr multicast::Row row{raw_name,
                                      "unreliable multicast: each packet once, a yardstick",
                                      multicast::Carrier::datagrams,
                                      make_raw_sender,
                                      make_raw_receiver,
                                      raw_parameters};
  return row;
}

}  // namespace nasvm
