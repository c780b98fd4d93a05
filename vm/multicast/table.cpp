#include "vm/multicast/table.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "vm/multicast/fanout/fanout.hpp"
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
};

}  // namespace

std::span<const Row> protocols() { return table; }

Choice parse_protocol(std::string_view text, std::span<const Row> rows) {
  const auto entries = split_order(text);
  const auto row = std::ranges::find(rows, entries.front().name, &Row::name);
  if (row == rows.end() || entries.size() > 1) {
    throw UsageError(unknown_name("multicast protocol", text, names_of(rows)));
  }
  return {&*row, parse_parameters(entries.front(), row->parameters, "protocol")};
}

}  // namespace nasvm::multicast
