#pragma once
/// \file
/// Protocols for tests of `nasvm mcast`: only their names and parameters count, whatever the program's table has.

#include <array>

#include "vm/multicast/fanout/fanout.hpp"
#include "vm/multicast/table.hpp"

namespace nasvm::test {

inline constexpr std::array window_parameters{
    ParameterRow{"packet", ParameterKind::bytes, 1, 65'000, "payload of a packet"},
    ParameterRow{"window", ParameterKind::count, 1, 4096, "packets under way"},
    ParameterRow{"poll", ParameterKind::count, 1, 4096, "packets from poll to poll"}};
inline constexpr std::array tree_parameters{
    ParameterRow{"packet", ParameterKind::bytes, 1, 65'000, "payload of a packet"},
    ParameterRow{"window", ParameterKind::count, 1, 4096, "packets under way"},
    ParameterRow{"height", ParameterKind::count, 1, 4096, "receivers below each other"}};

/// fanout without parameters, nak, and lineartree.
inline constexpr std::array mcast_rows{
    multicast::Row{"fanout", "one-to-n", multicast::Carrier::links, multicast::make_fanout_sender,
                   multicast::make_fanout_receiver},
    multicast::Row{"nak", "polling", multicast::Carrier::links, multicast::make_fanout_sender,
                   multicast::make_fanout_receiver, window_parameters},
    multicast::Row{"lineartree", "columns", multicast::Carrier::links, multicast::make_fanout_sender,
                   multicast::make_fanout_receiver, tree_parameters}};

}  // namespace nasvm::test
