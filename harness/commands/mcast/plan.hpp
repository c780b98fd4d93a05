#pragma once
/// \file
/// What `nasvm mcast` runs, in which order: every run measures all sizes with one protocol (or message system) and
/// one number of receivers; they take turns in the order A B C, C B A, A B C, ... so that drift of the machine hits
/// all alike.

#include <string>
#include <vector>

#include "harness/commands/mcast/options.hpp"
#include "harness/commands/mcast/record.hpp"

namespace nasvm {

/// One run: tasks that are started once, all sizes.
struct McastSpec {
  McastKind kind = McastKind::protocol;
  ProtocolVariant variant;  ///< of a message system its name, as typed
  int receivers = 1;
  int repeat = 0;
};

std::vector<McastSpec> make_mcast_plan(const McastOptions& options);

}  // namespace nasvm
