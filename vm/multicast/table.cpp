#include "vm/multicast/table.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "vm/multicast/ack/ack.hpp"
#include "vm/multicast/fanout/fanout.hpp"
#include "vm/multicast/ipmcast/ipmcast.hpp"
#include "vm/multicast/lineartree/lineartree.hpp"
#include "vm/multicast/nak/nak.hpp"
#include "vm/multicast/ring/ring.hpp"
#include "vm/multicast/tree/tree.hpp"
#include "vm/names.hpp"
#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

constexpr std::array table{
    Row{"fanout", "one copy for each receiver's host, from the sender's daemon (PVM's one-to-n)", Carrier::links,
        make_fanout_sender, make_fanout_receiver},
    Row{"tree", "passed on from node to node along a spanning tree, binomial or k-ary (PVM 2's)", Carrier::links,
        make_tree_sender, make_tree_receiver, tree_parameters},
    Row{"ack", "IP multicast, each receiver acknowledges each eighth packet", Carrier::datagrams, make_ack_sender,
        make_ack_receiver, ack_parameters},
    Row{"nak", "IP multicast, receivers say what they miss and acknowledge when polled", Carrier::datagrams,
        make_nak_sender, make_nak_receiver, nak_parameters, nak_objection},
    Row{"ring", "IP multicast, receivers acknowledge in turns", Carrier::datagrams, make_ring_sender,
        make_ring_receiver, ring_parameters},
    Row{"lineartree", "IP multicast, acknowledgements gathered along columns of receivers", Carrier::datagrams,
        make_lineartree_sender, make_lineartree_receiver, lineartree_parameters},
    Row{"ipmcast", "IP multicast, acknowledged by each, then unicast to those who miss it (Dunigan and Hall)",
        Carrier::datagrams, make_ipmcast_sender, make_ipmcast_receiver, ipmcast_parameters},
};

}  // namespace

std::span<const Row> protocols() { return table; }

Choice parse_protocol(std::string_view text, std::span<const Row> rows, std::span<const std::string_view> beside) {
  const auto entries = split_order(text);
  const auto row = std::ranges::find(rows, entries.front().name, &Row::name);
  if (row == rows.end() || entries.size() > 1) {
    std::vector<std::string_view> known = names_of(rows);
    known.insert(known.end(), beside.begin(), beside.end());
    throw UsageError(unknown_name("multicast protocol", text, known));
  }
  Choice choice{&*row, parse_parameters(entries.front(), row->parameters, "protocol")};
  const std::string objection = row->objection != nullptr ? row->objection(choice.parameters) : std::string();
  if (!objection.empty()) throw UsageError("protocol " + std::string(row->name) + ": " + objection);
  return choice;
}

Choice parse_protocol_of_broadcasts(std::string_view text) {
  return parse_protocol(text == automatic ? automatic_protocol : text, protocols(), {&automatic, 1});
}

}  // namespace nasvm::multicast
