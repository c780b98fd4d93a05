#pragma once
/// \file
/// What the console tells the tasks of a p2p run, and what each reports back: texts that travel through the
/// virtual machine.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/commands/p2p/collective/record.hpp"
#include "harness/commands/p2p/coupled/record.hpp"
#include "harness/commands/p2p/kind.hpp"
#include "harness/commands/p2p/mixed/record.hpp"
#include "harness/commands/p2p/pair/record.hpp"
#include "harness/commands/p2p/service/record.hpp"
#include "harness/measuring/effort.hpp"
#include "vm/binding.hpp"

namespace nasvm {

inline constexpr std::string_view order_kind_p2p = "p2p";

struct P2pOrder {
  P2pKind kind = P2pKind::pair;
  std::vector<std::string> collectives;  ///< of that kind: which
  std::string yardstick;                 ///< empty: the run's transport, through Comm
  std::string address;                   ///< IPv4 address of rank 0's host, for yardsticks
  bool by_hand = false;                  ///< of the coupled model: CoupledScenario
  std::vector<std::uint64_t> sizes;
  Effort effort;
  Binding bind = Binding::core;
};

struct P2pReport {
  std::vector<P2pRecord> records;  ///< rank 0's have the figures; rank 1's say whether data arrived wrong there
  std::vector<CollectiveRecord> collectives;  ///< rank 0 has them
  std::vector<MixedRecord> mixed;             ///< rank 0 has them, cheap and expensive in turn
  std::vector<ServiceRecord> service;         ///< rank 0 has them
  std::vector<CoupledRecord> coupled;         ///< rank 0 has them
  std::vector<std::string> complaints;        ///< what arrived wrong
  Sampled sampled{};                          ///< when; not part of what tasks report
};

void describe(Fields& fields, P2pOrder& order);
void describe(Fields& fields, P2pReport& report);

}  // namespace nasvm
