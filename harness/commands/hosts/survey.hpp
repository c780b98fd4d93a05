#pragma once
/// \file
/// What `nasvm hosts` found out: the hosts of a virtual machine, and how its tasks reach each other.

#include <cstdint>
#include <string>
#include <vector>

#include "harness/document/fields.hpp"
#include "vm/launch/machine.hpp"

namespace nasvm {

/// One host, as its daemon describes it.
struct SurveyedHost : HostFacts {
  std::vector<int> ranks;  ///< of the tasks that run there
};

/// A transport in the order of preference, between one task and a peer.
struct Consideration {
  std::string transport;
  std::string why_not;  ///< empty: it can carry the messages

  bool operator==(const Consideration&) const = default;
};

/// How a task's messages go to a peer, as that task has decided.
struct PeerMethod {
  int peer = 0;
  std::string chosen;
  std::vector<Consideration> order;  ///< all of the order of preference

  bool operator==(const PeerMethod&) const = default;
};

/// What one task reports: of every other one.
struct TaskMethods {
  std::vector<PeerMethod> peers;
};

/// All tasks of a program over one order of preference.
struct SurveyedMethods {
  std::string transport;           ///< the order, as asked for
  std::vector<TaskMethods> tasks;  ///< by rank
};

struct Survey {
  std::vector<SurveyedHost> hosts;
  int np = 0;
  std::vector<SurveyedMethods> methods;  ///< empty when nobody asked
};

void describe(Fields& fields, Consideration& one);
void describe(Fields& fields, PeerMethod& peer);
void describe(Fields& fields, TaskMethods& methods);

}  // namespace nasvm
