#pragma once
/// \file
/// Protocol `tree`: nodes pass each piece on to their children as it comes, over links that bring it there: PVM 2's
/// spanning tree, or a k-ary one (shape.hpp). Dunigan and Hall, PVM and IP Multicast, section 3.1.6.
///
/// For a message of k pieces and N receivers: k × N data packets in all, of which each node sends k to each of its
/// children; as many steps as the tree has levels. Links bring pieces one step; that they have reached the leaves is
/// known by acknowledgements that go up the tree, one for each window's quarter and message and receiver, each
/// speaking for all nodes below. Nodes keep what those below them have not acknowledged: at most the window. So the
/// children of a node that is lost are given by its parent what they lack. docs/multicast/tree.md

#include <array>
#include <memory>

#include "vm/multicast/multicast.hpp"

namespace nasvm::multicast {

inline constexpr std::array tree_parameters{
    ParameterRow{"arity", ParameterKind::count, 0, 1024, "children of a node; 0: the binomial tree (default)"},
    ParameterRow{"window", ParameterKind::count, 1, 1 << 20,
                 "packets that a node keeps for those below it (default 1 MB, at least 16 packets)"},
};

std::unique_ptr<Sender> make_tree_sender(const Group& group, Network& network);
std::unique_ptr<Receiver> make_tree_receiver(const Group& group, Network& network, Inbox& inbox);

}  // namespace nasvm::multicast
