#pragma once
/// \file
/// The sender of `nak:fec=on`: like that of `nak`, but what is missing does not leave again. Receivers say how many
/// pieces of a block they lack, and repairs leave, each of which mends another loss at each receiver
/// (docs/multicast/erasure.md).

#include <memory>

#include "vm/multicast/multicast.hpp"
#include "vm/multicast/window/settings.hpp"

namespace nasvm::multicast {

/// `block`: pieces of a block at most, no more than the window and 240.
std::unique_ptr<Sender> make_repairing_sender(const Group& group, const Settings& settings, int block,
                                              Network& network);

}  // namespace nasvm::multicast
