#include "harness/commands/mcast/group_channel.hpp"

#include <array>
#include <chrono>

#include "harness/commands/mcast/raw/raw.hpp"
#include "harness/commands/mcast/rows.hpp"
#include "vm/broadcast/surroundings.hpp"

namespace nasvm {
namespace {

constexpr Rank root = 0;

class GroupChannel final : public MulticastChannel {
 public:
  GroupChannel(Task& task, const multicast::Choice& protocol, const multicast::GroupOptions& options)
      : here_(task.surroundings()),
        comm_(task.comm()),
        group_(here_, comm_, root, protocol, options),
        is_sender_(comm_.rank() == root),
        may_lose_(protocol.row->name == raw_name),
        needs_answers_(protocol.row->carrier == multicast::Carrier::links),
        answers_(static_cast<std::size_t>(comm_.size())) {}

  void send(std::span<const std::byte> message) override {
    group_.send(message);
    answer();
  }
  std::int64_t receive(std::span<std::byte> message) override {
    (void)group_.receive(message);
    answer();
    return std::chrono::nanoseconds(group_.received().time_since_epoch()).count();
  }
  void close() override { group_.close(); }
  [[nodiscard]] multicast::Counts counts() const override {
    return is_sender_ ? group_.counts() : multicast::Counts{};
  }
  [[nodiscard]] Facts facts() const override {
    return {group_.facts().packet_bytes, is_sender_ ? group_.window() : 0, group_.facts().unreached,
            group_.rejected()};
  }
  [[nodiscard]] bool may_lose() const override { return may_lose_; }

 private:
  /// Protocols over links end when links have taken everything, which is before anybody has it.
  void answer() {
    if (needs_answers_) comm_.gather(std::array<std::byte, 1>{}, answers_, root);
  }

  multicast::Surroundings here_;
  Comm& comm_;
  multicast::StaticGroup group_;
  bool is_sender_;
  bool may_lose_;
  bool needs_answers_;
  std::vector<std::byte> answers_;
};

}  // namespace

std::unique_ptr<MulticastChannel> open_group(Task& task, const std::string& protocol,
                                             const multicast::GroupOptions& options) {
  static const std::vector<multicast::Row> rows = measured_protocols(multicast::protocols());
  return std::make_unique<GroupChannel>(task, multicast::parse_protocol(protocol, rows), options);
}

}  // namespace nasvm
