#pragma once
/// \file
/// Protocol `raw`: unreliable multicast, the yardstick of `nasvm mcast` and of nothing else. The sender multicasts
/// each piece once, as fast as the network takes them; no piece comes twice, whatever becomes of it. Some time after
/// the last one it asks all receivers whether they are through with the message, again and again until each has said
/// so; a receiver that is asked for the third time while pieces are missing gives them up, and fills
/// their places with zeros. A receiver is done when it has answered: whatever it does next is in nobody's way.
/// To N receivers: k data packets for k pieces, one step, and outside of the time that counts a question or more and
/// N answers to each.
///
/// It breaks the promise of protocols that every byte arrives, so it is no row of the table of protocols.

#include <chrono>
#include <memory>

#include "vm/multicast/table.hpp"

namespace nasvm {

inline constexpr std::string_view raw_name = "raw";

/// From the last piece, when this host has let go of it, to the first question; the time to the next one doubles, up
/// to a second. Longer than the queues on the way hold pieces (256 kB at 100 Mbit/s: 20 ms): a question while
/// receivers are still busy takes time from the message.
inline constexpr std::chrono::milliseconds raw_grace{50};

std::unique_ptr<multicast::Sender> make_raw_sender(const multicast::Group& group, multicast::Network& network);
std::unique_ptr<multicast::Receiver> make_raw_receiver(const multicast::Group& group, multicast::Network& network,
                                                       multicast::Inbox& inbox);

/// The row for whoever measures with it.
const multicast::Row& raw_row();

}  // namespace nasvm
