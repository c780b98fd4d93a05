#pragma once
/// \file
/// The machine's own words as those of requests, and back.

#include <vector>

#include "vm/keeper/requests.hpp"
#include "vm/launch/machine.hpp"

namespace nasvm::keeper {

std::vector<HostEntry> entries_of(const std::vector<HostSpec>& hosts);
std::vector<HostSpec> hosts_of(const std::vector<HostEntry>& entries);

HostState state_of(const Machine::Host& host);
Machine::Host host_of(const HostState& state);

Run request_of(const Machine::Program& program);
Machine::Program program_of(const Run& request);

Order order_of(const std::string& name, const Machine::Options& options);
/// Of a machine that goes on.
Machine::Options options_of(const Order& order);

}  // namespace nasvm::keeper
