#pragma once
/// \file
/// PVM's machine over several hosts, as far as it is text and bookkeeping: who is on which host, the hosts as PVM's
/// first daemon reads them, and what that says when the others are to be started.
///
/// The hosts are PVM's `so=ms` (manual startup, pvmd(1)): its daemon prints the command that starts a host's daemon,
/// and reads that one's answer. So PVM needs no remote shell of its own, nor a user that has keys for it.

#include <optional>
#include <string>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/launch/hostfile.hpp"

namespace nasvm {

/// The tasks of another computer.
struct PvmPlace {
  HostSpec host;
  std::vector<Rank> ranks;
};

struct PvmPlaces {
  std::vector<Rank> here;
  std::vector<PvmPlace> others;  ///< those that have tasks, each computer once
};

/// Slot by slot, as place_ranks. Throws UsageError when the hosts do not take so many, or PVM cannot reach one.
PvmPlaces pvm_places(const std::vector<HostSpec>& hosts, int size);

/// The file of hosts for PVM's first daemon: all but its own.
std::string pvm_hostfile(const std::vector<PvmPlace>& places);

/// The daemon of another host, as PVM asks for it.
struct PvmStart {
  std::string host;
  std::vector<std::string> arguments;  ///< of pvmd, which is to stay in the foreground
};

/// A line of PVM's first daemon; none: it asks for nothing.
std::optional<PvmStart> parse_pvm_start(const std::string& line);

/// What a host's daemon answers, and PVM's first one waits for.
bool is_pvm_answer(const std::string& line);

}  // namespace nasvm
