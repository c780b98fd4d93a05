#pragma once
/// \file
/// Hostfiles: which hosts make the machine. Open MPI's format: one host a line, `name slots=N max_slots=M`, comments
/// with #.

#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

struct HostSpec {
  std::string name;     ///< as the user wrote it; this host's own without a hostfile
  std::string address;  ///< IPv4
  int slots = 1;        ///< tasks that it takes before the next host's turn comes
  int max_slots = 0;    ///< tasks that it takes at all; 0: no bound
};

/// This host alone, by its own name, reachable over the loopback interface only.
std::vector<HostSpec> loopback_host();

/// Is the host's address one of this computer? Are all?
bool is_this_computer(const HostSpec& host);
bool all_here(const std::vector<HostSpec>& hosts);

/// Throws UsageError with file and line when it cannot be read, is empty, or says something else.
std::vector<HostSpec> read_hostfile(const std::string& path);
std::vector<HostSpec> parse_hostfile(std::string_view text, const std::string& path);

/// The host (index) of every rank: slot by slot through the hosts, and again from the first host when all slots are
/// taken (as Open MPI's --oversubscribe does), while hosts take more. Throws UsageError when all of them together do
/// not take so many.
std::vector<int> place_ranks(const std::vector<HostSpec>& hosts, int ranks);

/// The first `count` of the hosts, with slots by which place_ranks gives each an equal share of the ranks: ranks are
/// dealt out one by one to hosts that have a free slot, and neighbours in rank share a host, as Slurm's block
/// distribution does. With more ranks than slots the slots are as they were.
std::vector<HostSpec> spread_over(std::vector<HostSpec> hosts, int count, int ranks);

}  // namespace nasvm
