#pragma once
/// \file
/// A receiver of `nak:fec=on`: hands pieces to the inbox as they come and keeps copies of those of blocks that are
/// not whole; says how many a block lacks, and restores them from as many repairs (docs/multicast/erasure.md). It
/// waits for no time: the sender asks when nothing comes.

#include <memory>

#include "vm/multicast/multicast.hpp"
#include "vm/multicast/window/settings.hpp"

namespace nasvm::multicast {

/// `block`: as at the sender.
std::unique_ptr<Receiver> make_repairing_receiver(const Settings& settings, int block, Network& network,
                                                  Inbox& inbox);

}  // namespace nasvm::multicast
