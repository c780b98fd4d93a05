#pragma once
/// \file
/// Ends of a group over datagrams that set it up before they carry messages, as its members do (vm/broadcast/joining,
/// StaticGroup): roll call over links, search for whom multicast reaches, then the protocol. In virtual time.

#include <memory>

#include "vm/multicast/table.hpp"

namespace nasvm::test {

/// `links`: where packets of the roll call go. The sender is `done()` when the group stands, and may send then.
std::unique_ptr<multicast::Sender> make_setting_up_sender(const multicast::Row& row, const multicast::Group& group,
                                                          multicast::Network& network, multicast::Network& links);
std::unique_ptr<multicast::Receiver> make_setting_up_receiver(const multicast::Row& row,
                                                              const multicast::Group& group,
                                                              multicast::Network& network, multicast::Network& links,
                                                              multicast::Inbox& inbox);

}  // namespace nasvm::test
