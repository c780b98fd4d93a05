#pragma once
/// \file
/// How the members of a group learn of each other before they have its sockets: node 0 invites everybody by the
/// group's text, each opens its port and answers with the address, and node 0 reads out the roll of all addresses.
/// 3 N packets and three steps for N receivers.
///
/// Two ends without sockets, as a protocol has them (multicast.hpp), over links (Carrier): whoever is lost meanwhile
/// is not waited for and stands in the roll without an address. A group that has to move is called again.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast {

class RollCall final : public End {
 public:
  RollCall(int receivers, Network& network) : network_(network), receivers_(static_cast<std::size_t>(receivers)) {}

  /// Calls all nodes that are not lost. Answers to earlier calls do not count any more.
  void invite(std::string_view group);
  void arrived(Node from, const Packet& packet, TimePoint now) override;
  void lost(Node node, TimePoint now) override;

  /// Has everybody answered who is not lost?
  [[nodiscard]] bool done() const;
  /// Tells all what they have answered. Returns the roll, by node, this one's `own` first; empty: lost.
  std::vector<std::string> read_out(const std::string& own);

 private:
  struct Receiver {
    bool lost = false;
    std::string answer{};  ///< to this call
  };

  void tell(std::uint8_t what, std::string_view text);

  Network& network_;
  std::vector<Receiver> receivers_;  ///< node 1 first
  std::uint32_t call_ = 0;
};

/// The other nodes' end.
class RollAnswer final : public End {
 public:
  explicit RollAnswer(Network& network) : network_(network) {}

  void arrived(Node from, const Packet& packet, TimePoint now) override;
  void lost(Node /*node*/, TimePoint /*now*/) override {}

  struct Invitation {
    std::string group{};
    bool same_byte_order = true;  ///< node 0 and this host have one
  };
  /// The call that has not been answered yet.
  [[nodiscard]] const std::optional<Invitation>& invitation() const { return invitation_; }
  /// Answers it. There is one.
  void answer(std::string_view own);
  /// Of the call that was answered last, once it has been read out.
  [[nodiscard]] const std::optional<std::vector<std::string>>& roll() const { return roll_; }

 private:
  Network& network_;
  std::uint32_t call_ = 0;
  std::optional<Invitation> invitation_;
  std::optional<std::vector<std::string>> roll_;
};

}  // namespace nasvm::multicast
