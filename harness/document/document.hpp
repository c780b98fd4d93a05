#pragma once
/// \file
/// The result document, schema "nasvm-result/1" (contract, "Result document"): every table is a view of it.
/// All samples are kept, per task. Units: seconds, bytes, 10^6 operations per second.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/commands/p2p/collective/record.hpp"
#include "harness/commands/p2p/mixed/record.hpp"
#include "harness/commands/p2p/record.hpp"
#include "harness/commands/peers/record.hpp"
#include "harness/commands/roofline/record.hpp"

namespace nasvm {

/// One host of the virtual machine.
struct HostRecord {
  std::string name;
  std::string cpu;
  int cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string kernel;  ///< operating system and its release

  bool operator==(const HostRecord&) const = default;
};

struct MachineRecord {
  std::vector<HostRecord> hosts;

  bool operator==(const MachineRecord&) const = default;
};

/// How this program was built.
struct BuildRecord {
  std::string version;
  std::string commit;  ///< "unknown" outside a git checkout
  std::string compiler;
  std::string flags;
  std::string date;                              ///< of the configuration of the build, "20 Nov 2026"
  std::map<std::string, std::string> libraries;  ///< name to version, "none" where it is not built in
  std::string simd{};  ///< for which processors the kernels in use are compiled: "x86-64-v3" (simd_level())

  bool operator==(const BuildRecord&) const = default;
};

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

  bool operator==(const RankRecord&) const = default;
};

/// What one transport carried.
struct MethodRecord {
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;

  bool operator==(const MethodRecord&) const = default;
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

  bool operator==(const CommRecord&) const = default;
};

/// Fills the six totals of `comm` from its `by_rank`.
void add_up(CommRecord& comm);

/// One measured run.
struct RunRecord {
  std::string kernel;
  char problem_class = 'S';
  int np = 1;
  int threads = 1;
  std::string transport;  ///< as asked for: "direct", "shm+direct", "auto"
  std::string variant;
  int repeat = 0;
  bool verified = false;
  double time_s = 0;  ///< timed region, the slowest task's
  double mops = 0;    ///< 0 when not verified (null in the document: no speed for a wrong result)
  CommRecord comm;
  std::vector<std::pair<std::string, std::string>> details;  ///< what was compared, for people

  bool operator==(const RunRecord&) const = default;
};

struct Document {
  std::string created;  ///< UTC, "2026-11-20T12:00:00Z"
  std::vector<std::string> command;
  MachineRecord machine;
  BuildRecord build;
  std::vector<RunRecord> runs;
  std::vector<P2pRecord> p2p;
  std::vector<PeerRecord> peers;
  std::vector<LimitRecord> limits;
  std::vector<WorkRecord> works;
  std::vector<CollectiveRecord> collectives;
  std::vector<MixedRecord> mixed;

  bool operator==(const Document&) const = default;
};

inline constexpr std::string_view result_schema = "nasvm-result/1";

/// The present moment as `created` has it.
std::string utc_now();

/// The document as JSON text, one line for each innermost object, ending in a newline.
std::string to_json(const Document& document);
std::string to_json(const BuildRecord& build, const MachineRecord& machine);

/// The document of JSON text; `name` names it in errors. Fields that the document's reader can do without may be
/// missing; what is there must have the right type. Throws UsageError.
Document from_json(std::string_view text, const std::string& name);

/// The document in a file. Throws UsageError: missing, unreadable, not JSON, not of this schema.
Document read_document(const std::string& path);

}  // namespace nasvm
