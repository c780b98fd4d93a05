#pragma once
/// \file
/// What `nasvm hosts` found out: the hosts of a virtual machine, and how its tasks reach each other.

#include <string>
#include <vector>

#include "harness/document/fields.hpp"
#include "vm/launch/machine.hpp"

namespace nasvm {

/// One host, as its daemon describes it.
struct SurveyedHost : HostFacts {
  int index = 0;           ///< among the hosts
  std::vector<int> ranks;  ///< of the tasks that run there
};

/// A transport in the order of preference, between one task and a peer.
struct Consideration {
  std::string transport;
  std::string why_not;  ///< empty: it can carry the messages

  bool operator==(const Consideration&) const = default;
};

/// How a task's messages go to a peer, as that task has decided.
struct PairMethod {
  int from = 0;  ///< ranks
  int to = 0;
  int from_host = 0;  ///< positions among the hosts; tasks leave them to the console
  int to_host = 0;
  std::string method;                ///< the transport that is chosen
  std::vector<Consideration> order;  ///< all of the order of preference

  bool operator==(const PairMethod&) const = default;
};

/// All pairs of tasks of a program over one order of preference; in the report of a task, those it sends to.
struct Methods {
  std::string transport;  ///< the order, as asked for; tasks leave it out
  std::vector<PairMethod> pairs;
};

/// What is found out of one host. The first host asks the others.
struct HostReach {
  int host = 0;                    ///< position among the hosts
  bool reached = false;            ///< by the first host's multicasts; of the first host: does it reach any?
  std::string interface {};        ///< by which it takes part
  std::uint64_t packet_bytes = 0;  ///< longest payload of a packet of the group
  std::uint64_t room_bytes = 0;    ///< the least that a host holds of packets that it has not read
  double round_trip_s = 0;         ///< the shortest between the first host and another
  std::uint64_t window = 0;        ///< at the first host: packets on their way at once; elsewhere 0
  double patience_s = 0;           ///< at the first host: until it asks who says nothing; elsewhere 0
  std::string why_not{};           ///< why this host knows that it cannot take part; empty: it knows no reason

  bool operator==(const HostReach&) const = default;
};

struct Survey {
  std::vector<SurveyedHost> hosts;
  int np = 0;
  std::vector<Methods> methods{};  ///< empty when nobody asked
  std::vector<HostReach> reach{};  ///< of each host by IP multicast; empty when nobody asked
};

void describe(Fields& fields, SurveyedHost& host);
void describe(Fields& fields, Consideration& one);
void describe(Fields& fields, PairMethod& pair);
void describe(Fields& fields, Methods& methods);
void describe(Fields& fields, HostReach& reach);
/// Schema "nasvm-hosts/1".
void describe(Fields& fields, Survey& survey);

}  // namespace nasvm
