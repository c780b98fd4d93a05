#pragma once
/// \file
/// Runs of kernels as the result document has them (docs/results.md). Units: seconds, bytes, 10^6
/// operations per second.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/conditions/conditions.hpp"
#include "harness/document/records.hpp"
#include "kernels/common/tuning_choice.hpp"

namespace nasvm {

/// Communication of one task inside the timed region.
struct RankRecord {
  int rank = 0;
  std::string host;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  double time_s = 0;  ///< inside message-layer calls
  double idle_s = 0;
  double region_s = 0;  ///< this task's timed region; 0: not known (older documents)

  bool operator==(const RankRecord&) const = default;
};

/// What one task sent to another.
struct PairRecord {
  int from = 0;
  int to = 0;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;

  bool operator==(const PairRecord&) const = default;
};

/// How many pairs the document keeps of one run: all of 256 tasks. Of more tasks, each names as many of its peers as
/// its share of these allows, at least 16, those to which it sent the most bytes.
inline constexpr int most_pairs = 1 << 16;
constexpr int most_peers_named(int tasks) { return most_pairs / tasks > 16 ? most_pairs / tasks : 16; }

/// What one transport carried.
struct MethodRecord {
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;

  bool operator==(const MethodRecord&) const = default;
};

/// Broadcasts between hosts that went one way (`--multicast`).
struct BroadcastRecord {
  std::uint64_t broadcasts = 0;
  std::uint64_t bytes = 0;  ///< of the payloads, each counted once

  bool operator==(const BroadcastRecord&) const = default;
};

/// Communication of all tasks inside the timed region.
struct CommRecord {
  std::uint64_t volume_bytes = 0;
  std::uint64_t messages = 0;
  double time_max_s = 0;
  double time_mean_s = 0;
  double idle_max_s = 0;
  double idle_mean_s = 0;
  std::vector<RankRecord> by_rank;
  std::map<std::string, MethodRecord> by_method;
  std::map<std::string, BroadcastRecord> broadcasts;  ///< by way (BroadcastMethod::way)
  std::vector<PairRecord> by_pair;                    ///< where it was asked for (--by-rank); most_pairs

  bool operator==(const CommRecord&) const = default;
};

/// Adds what one task has sent by each method, or each way.
void add_by_name(std::map<std::string, MethodRecord>& sums, const std::map<std::string, MethodRecord>& of_task);
void add_by_name(std::map<std::string, BroadcastRecord>& sums, const std::map<std::string, BroadcastRecord>& of_task);

/// Fills the six totals of `comm` from its `by_rank`.
void add_up(CommRecord& comm);

/// Class of what has none: programs of others.
inline constexpr char no_class = '-';
/// Among the parameters of runs whose tasks were not to be bound (--bind none).
inline constexpr const char* bind_parameter = "bind";
/// Among those of runs whose broadcasts between hosts were to go by a protocol, or as `auto` has it.
inline constexpr const char* multicast_parameter = "multicast";

/// One measured run.
struct RunRecord {
  static constexpr std::string_view section = "runs";
  static constexpr Role role = Role::result;

  std::string kernel;
  char problem_class = 'S';
  int np = 1;
  int threads = 1;
  int host_count = 0;     ///< as asked for with --hosts; 0: not asked for
  std::string transport;  ///< as asked for: "direct", "shm+direct", "auto"
  std::string variant;
  NamedTexts parameters;  ///< of the kernel, but for defaults (`--order token`); what else makes runs others
  int repeat = 0;
  bool verified = false;
  double time_s = 0;        ///< timed region, the slowest task's
  int first_iteration = 1;  ///< later after a restart: the time is that of the rest
  double mops = 0;          ///< 0, and null in the document: none for a wrong result, without a class, or not known
  CommRecord comm;
  NamedTexts details;     ///< what was compared, for people
  TuningChoices choices;  ///< of rank 0; older documents have none
  Sampled sampled;        ///< when

  bool operator==(const RunRecord&) const = default;
};

/// Among the details of a farm's run: how many workers it has lost, if any.
inline constexpr std::string_view workers_lost = "workers lost";

/// The number of hosts that its tasks were on; 0: not known.
int hosts_used(const RunRecord& run);

void describe(Fields& fields, RankRecord& rank);
void describe(Fields& fields, PairRecord& pair);
void describe(Fields& fields, MethodRecord& method);
void describe(Fields& fields, BroadcastRecord& broadcasts);
void describe(Fields& fields, TuningChoice& choice);
void describe(Fields& fields, RunRecord& run);
inline bool is_right(const RunRecord& run) { return run.verified; }

}  // namespace nasvm
