#include "harness/commands/mcast/rows.hpp"

#include "harness/commands/mcast/copies_channel.hpp"
#include "harness/commands/mcast/raw/raw.hpp"

namespace nasvm {

std::vector<multicast::Row> measured_protocols(std::span<const multicast::Row> table) {
  std::vector<multicast::Row> rows(table.begin(), table.end());
  rows.push_back(raw_row());
  rows.push_back({copies_name, "rank 0 makes as many copies for itself, on all cores: a yardstick on one computer",
                  multicast::Carrier::links, nullptr, nullptr});
  rows.push_back({multicast::automatic, "what the program takes when it is left the choice",
                  multicast::Carrier::datagrams, nullptr, nullptr});
  return rows;
}

}  // namespace nasvm
