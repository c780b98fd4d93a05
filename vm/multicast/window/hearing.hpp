#pragma once
/// \file
/// Finds out which receivers have stopped to hear what is sent to all while what is sent to them alone still comes: a
/// switch that has forgotten its members, a firewall that was loaded again. Whom the sender has to ask often in
/// vain is asked apart as well, just before all are. Who answers that, and has not heard by the time of the next
/// question what all were asked behind it, twice, does not hear what is for all.
///
/// The question apart has the number of the transmission before the one that asks all. So it needs no number of its
/// own, which the others would lack, and who hears both says the higher one in the end, in whatever order it reads
/// them.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "vm/multicast/window/transmissions.hpp"

namespace nasvm::multicast {

class Hearing {
 public:
  /// Questions after silence, of which a receiver has heard none, before it is asked apart. Chosen: where a tenth of
  /// all packets is lost, one in twenty thousand does that by chance.
  static constexpr std::size_t patience = 6;
  /// Questions apart that it answers without having heard those to all.
  static constexpr int certainty = 2;

  explicit Hearing(int nodes) : nodes_(static_cast<std::size_t>(nodes)) { silent_.fill(Transmissions::none); }

  struct Doubts {
    std::vector<Node> ask_apart{};  ///< with the number before this one
    std::vector<Node> deaf{};       ///< to what is sent to all: known by now, and not named again
  };
  /// After silence the transmission of that number is about to ask all.
  [[nodiscard]] Doubts ask(std::uint32_t number);
  /// A receiver says which transmission it saw last.
  void report(Node from, std::uint32_t seen);
  /// What it says it has seen may have come to it alone.
  [[nodiscard]] bool doubts(Node node) const { return nodes_[static_cast<std::size_t>(node)].asked.has_value(); }
  /// It is asked no more.
  void lost(Node node);

 private:
  struct State {
    std::uint32_t seen = Transmissions::none;
    std::optional<std::uint32_t> asked{};  ///< apart, with that number, and nothing has been heard behind it
    int answered = 0;                      ///< so many of these, and nothing else
    bool decided = false;                  ///< deaf, or lost
  };

  std::vector<State> nodes_;                      ///< by node
  std::array<std::uint32_t, patience> silent_{};  ///< the last questions after silence, the oldest first
};

}  // namespace nasvm::multicast
