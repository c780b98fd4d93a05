#pragma once
/// \file
/// What the console tells the tasks of a mcast run, and what each reports back: texts that travel through the virtual
/// machine.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/commands/mcast/record.hpp"
#include "harness/measuring/effort.hpp"

namespace nasvm {

inline constexpr std::string_view order_kind_mcast = "mcast";

struct McastOrder {
  std::string protocol;  ///< with its parameters; empty: Comm's own broadcast
  bool authenticated = true;
  int ttl = 1;
  std::vector<std::uint64_t> sizes;
  Effort effort;
};

struct McastReport {
  std::vector<McastRecord> records;     ///< the sender has them, one for each size
  std::vector<std::string> complaints;  ///< what arrived wrong here
  std::vector<std::string> remarks;     ///< for people, of the sender: whom multicast does not reach
  Sampled sampled{};                    ///< when; not part of what tasks report
};

void describe(Fields& fields, McastOrder& order);
void describe(Fields& fields, McastReport& report);

}  // namespace nasvm
