#pragma once
/// \file
/// The ways in which the coupled model of `nasvm p2p --coupled` is run: the rows of the paper's Table 3.
///
/// Source: Foster, Geisler, Kesselman and Tuecke, "Managing Multiple Communication Methods in High-Performance
/// Networked Computing Systems", section 5.3 and Table 3.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

struct CoupledScenario {
  std::string name;      ///< of the row: "shm alone", "shm+direct, skip_poll 20"
  std::string inside;    ///< order of transports between tasks of one component
  std::string between;   ///< and between the two
  bool by_hand = false;  ///< other transports than memory are looked at only where the components meet

  bool operator==(const CoupledScenario&) const = default;
};

/// Both components over one transport, each of the two; over both: by hand, with the daemon as forwarder of the
/// expensive one, and with each value of skip_poll (0: adaptive). `one_host`: otherwise the cheap one alone cannot
/// reach everybody, and has no row.
std::vector<CoupledScenario> coupled_scenarios(const std::string& cheap, const std::string& expensive,
                                               std::span<const int> skips, bool one_host);

}  // namespace nasvm
