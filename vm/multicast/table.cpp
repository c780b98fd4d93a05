#include "vm/multicast/table.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "vm/multicast/fanout/fanout.hpp"
#include "vm/names.hpp"
#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

constexpr std::array table{
    Row{"fanout", "one copy for each receiver's host, from the sender's daemon (PVM's one-to-n)", Carrier::links,
        make_fanout_sender, make_fanout_receiver},
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
