#include "harness/kernel_runs/record.hpp"

#include <algorithm>
#include <set>

namespace nasvm {
namespace {

/// Times show as that of the run does.
void describe(Fields& fields, CommRecord& comm, Shown times) {
  fields.count("volume_bytes", comm.volume_bytes, Need::optional);
  fields.count("messages", comm.messages, Need::optional);
  fields.real("time_max_s", comm.time_max_s, Need::optional, times);
  fields.real("time_mean_s", comm.time_mean_s, Need::optional, times);
  fields.real("idle_max_s", comm.idle_max_s, Need::optional, times);
  fields.real("idle_mean_s", comm.idle_mean_s, Need::optional, times);
  fields.list("by_rank", comm.by_rank);
  fields.named("by_method", comm.by_method);
  if (fields.has("broadcasts", !comm.broadcasts.empty())) fields.named("broadcasts", comm.broadcasts);
  if (fields.has("by_pair", !comm.by_pair.empty())) fields.list("by_pair", comm.by_pair);
}

}  // namespace

void describe(Fields& fields, RankRecord& rank) {
  fields.integer("rank", rank.rank, Need::optional);
  fields.text("host", rank.host, Need::optional);
  fields.count("bytes_sent", rank.bytes_sent, Need::optional);
  fields.count("bytes_received", rank.bytes_received, Need::optional);
  fields.count("messages_sent", rank.messages_sent, Need::optional);
  fields.count("messages_received", rank.messages_received, Need::optional);
  fields.real("time_s", rank.time_s, Need::optional);
  fields.real("idle_s", rank.idle_s, Need::optional);
  if (fields.has("region_s", rank.region_s > 0)) fields.real("region_s", rank.region_s, Need::optional);
}

void describe(Fields& fields, PairRecord& pair) {
  fields.integer("from", pair.from);
  fields.integer("to", pair.to);
  fields.count("bytes", pair.bytes);
  fields.count("messages", pair.messages);
}

void describe(Fields& fields, MethodRecord& method) {
  fields.count("bytes", method.bytes, Need::optional);
  fields.count("messages", method.messages, Need::optional);
}

void describe(Fields& fields, BroadcastRecord& broadcasts) {
  fields.count("broadcasts", broadcasts.broadcasts);
  fields.count("bytes", broadcasts.bytes);
}

void describe(Fields& fields, TuningChoice& choice) {
  fields.text("what", choice.what);
  fields.text("chosen", choice.chosen);
  fields.text("why", choice.why);
}

void describe(Fields& fields, RunRecord& run) {
  fields.text("kernel", run.kernel);
  fields.letter("class", run.problem_class);
  fields.integer("np", run.np, Need::required, 1);
  fields.integer("threads", run.threads, Need::optional);
  if (fields.has("host_count", run.host_count > 0)) fields.integer("host_count", run.host_count, Need::optional);
  fields.text("transport", run.transport);
  fields.text("variant", run.variant, Need::optional);
  if (fields.has("parameters", !run.parameters.empty())) fields.named_texts("parameters", run.parameters);
  fields.integer("repeat", run.repeat, Need::optional);
  if (fields.has("first_iteration", run.first_iteration > 1)) {
    fields.integer("first_iteration", run.first_iteration, Need::optional);
  }
  fields.boolean("verified", run.verified);
  fields.real("time_s", run.time_s, Need::required, kept_unless(run.verified));
  const bool has_speed = run.verified && run.problem_class != no_class;
  fields.real("mops", run.mops, Need::optional, shown_if_known(withheld_unless(has_speed), run.mops));
  fields.object("comm", [&run](Fields& comm) { describe(comm, run.comm, kept_unless(run.verified)); });
  fields.named_texts("details", run.details);
  if (fields.has("choices", !run.choices.empty())) fields.list("choices", run.choices);
  describe_sampled(fields, run.sampled);
}

int hosts_used(const RunRecord& run) {
  if (run.host_count > 0) return run.host_count;
  std::set<std::string_view> hosts;
  for (const RankRecord& rank : run.comm.by_rank) hosts.insert(rank.host);
  return static_cast<int>(hosts.size());
}

void add_by_name(std::map<std::string, MethodRecord>& sums, const std::map<std::string, MethodRecord>& of_task) {
  for (const auto& [name, method] : of_task) {
    sums[name].bytes += method.bytes;
    sums[name].messages += method.messages;
  }
}

void add_by_name(std::map<std::string, BroadcastRecord>& sums,
                 const std::map<std::string, BroadcastRecord>& of_task) {
  for (const auto& [way, broadcasts] : of_task) {
    sums[way].broadcasts += broadcasts.broadcasts;
    sums[way].bytes += broadcasts.bytes;
  }
}

void add_up(CommRecord& comm) {
  comm.volume_bytes = comm.messages = 0;
  comm.time_max_s = comm.time_mean_s = comm.idle_max_s = comm.idle_mean_s = 0;
  for (const RankRecord& rank : comm.by_rank) {
    comm.volume_bytes += rank.bytes_sent;
    comm.messages += rank.messages_sent;
    comm.time_max_s = std::max(comm.time_max_s, rank.time_s);
    comm.idle_max_s = std::max(comm.idle_max_s, rank.idle_s);
    comm.time_mean_s += rank.time_s / static_cast<double>(comm.by_rank.size());
    comm.idle_mean_s += rank.idle_s / static_cast<double>(comm.by_rank.size());
  }
}

}  // namespace nasvm
