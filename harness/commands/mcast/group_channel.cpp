#include "harness/commands/mcast/group_channel.hpp"

#include "harness/commands/mcast/raw/raw.hpp"
#include "harness/commands/mcast/rows.hpp"
#include "vm/broadcast/static_group.hpp"
#include "vm/broadcast/surroundings.hpp"

namespace nasvm {
namespace {

constexpr Rank root = 0;

class GroupChannel final : public MulticastChannel {
 public:
  GroupChannel(Task& task, const multicast::Choice& protocol, const multicast::GroupOptions& options)
      : here_(task.surroundings()),
        group_(here_, task.comm(), root, protocol, options),
        window_(value_of(protocol.parameters, "window", 0)),
        is_sender_(task.comm().rank() == root),
        may_lose_(protocol.row->name == raw_name) {}

  void send(std::span<const std::byte> message) override { group_.send(message); }
  void receive(std::span<std::byte> message) override { (void)group_.receive(message); }
  void close() override { group_.close(); }
  [[nodiscard]] multicast::Counts counts() const override {
    return is_sender_ ? group_.counts() : multicast::Counts{};
  }
  [[nodiscard]] Facts facts() const override {
    return {group_.facts().packet_bytes, window_, group_.facts().unreached, group_.rejected()};
  }
  [[nodiscard]] bool may_lose() const override { return may_lose_; }

 private:
  multicast::Surroundings here_;
  multicast::StaticGroup group_;
  std::uint64_t window_;  ///< as the user set it
  bool is_sender_;
  bool may_lose_;
};

}  // namespace

std::unique_ptr<MulticastChannel> open_group(Task& task, const McastOrder& order) {
  static const std::vector<multicast::Row> rows = measured_protocols(multicast::protocols());
  multicast::GroupOptions options;
  options.authenticated = order.authenticated;
  options.ttl = order.ttl;
  return std::make_unique<GroupChannel>(task, multicast::parse_protocol(order.protocol, rows), options);
}

}  // namespace nasvm
