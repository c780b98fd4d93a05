#pragma once
/// \file
/// Which hosts make the machine: hostfiles, lists of hosts, and the nodes of a Slurm job. Of Open MPI's hostfiles
/// this is read: one host a line, `name slots=N max_slots=M`, with blanks around = or none, `cpu`, `cpus` or `count`
/// for `slots` and `max-slots` for `max_slots`, each once and at least 1; comments with #; a byte order mark. A host
/// that stands there again has more slots. All else is refused.

#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

struct HostSpec {
  std::string name;      ///< as the user wrote it; this host's own without a hostfile
  std::string address;   ///< empty: this computer does not know it
  int slots = 1;         ///< tasks that it takes before the next host's turn comes
  int max_slots = 0;     ///< tasks that it takes at all; 0: no bound
  std::string source{};  ///< where it is written: "hosts:3"
};

/// This host alone, by its own name, reachable over the loopback interface only.
std::vector<HostSpec> loopback_host();

/// Is the host's address one of this computer? Are all? One without an address is elsewhere.
bool is_this_computer(const HostSpec& host);
bool all_here(const std::vector<HostSpec>& hosts);

/// Are these one host, by name or by address?
bool is_one_host(const HostSpec& a, const HostSpec& b);

/// Throws UsageError with file and line when it cannot be read, is empty, or says something else.
std::vector<HostSpec> read_hostfile(const std::string& path);
std::vector<HostSpec> parse_hostfile(std::string_view text, const std::string& path);

/// A list as of `--host`: "a:2,b", a name and its slots (1). Throws UsageError.
std::vector<HostSpec> parse_host_list(std::string_view text);

/// The nodes of a Slurm job: SLURM_JOB_NODELIST ("n[01-03,7],gpu1"), with the slots of SLURM_TASKS_PER_NODE or
/// SLURM_JOB_CPUS_PER_NODE ("4(x2),2"; empty: 1). Throws UsageError when they are not of Slurm's form.
std::vector<HostSpec> slurm_hosts(std::string_view nodes, std::string_view slots);

/// The host (index) of every rank: slot by slot through the hosts, and again from the first host when all slots are
/// taken (as Open MPI's --oversubscribe does), while hosts take more. Throws UsageError when all of them together do
/// not take so many.
std::vector<int> place_ranks(const std::vector<HostSpec>& hosts, int ranks);

/// The first `count` of the hosts, with slots by which place_ranks gives each an equal share of the ranks: ranks are
/// dealt out one by one to hosts that have a free slot, and neighbours in rank share a host, as Slurm's block
/// distribution does. With more ranks than slots the slots are as they were.
std::vector<HostSpec> spread_over(std::vector<HostSpec> hosts, int count, int ranks);

}  // namespace nasvm
