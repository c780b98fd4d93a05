#include "harness/kernel_runs/task_report.hpp"

#include <algorithm>

#include "harness/session/order.hpp"
#include "vm/status.hpp"

namespace nasvm {

void describe(Fields& fields, TaskOrder& order) {
  describe_kind(fields, order_kind_kernel);
  fields.text("kernel", order.kernel);
  fields.letter("class", order.problem.problem_class);
  fields.integer("threads", order.problem.threads);
  fields.text("variant", order.problem.variant);
  NamedTexts parameters(order.problem.parameters.begin(), order.problem.parameters.end());
  fields.named_texts("parameters", parameters);
  order.problem.parameters = {parameters.begin(), parameters.end()};
  fields.integer("peers_named", order.peers_named, Need::optional);
  fields.part("checkpoints", order.checkpoints);
}

void describe(Fields& fields, TaskReport& report) {
  fields.boolean("verified", report.verified);
  fields.real("time_s", report.time_s);
  fields.integer("first_iteration", report.first_iteration, Need::optional);
  fields.part("communication", report.communication);
  fields.named("methods", report.sent_by_method);
  if (fields.has("broadcasts", !report.broadcasts.empty())) fields.named("broadcasts", report.broadcasts);
  fields.list("sent_to", report.sent_to);
  fields.named_texts("details", report.details);
  if (fields.has("choices", !report.choices.empty())) fields.list("choices", report.choices);
}

const Kernel& kernel_of(const TaskOrder& order) {
  const Kernel* kernel = find_kernel(order.kernel);
  if (kernel == nullptr) throw UsageError("there is no kernel \"" + order.kernel + "\" in this program");
  return *kernel;
}

TaskReport make_task_report(const Outcome& outcome, const std::string& host,
                            const std::function<std::string_view(Rank)>& method_of) {
  TaskReport report;
  report.verified = outcome.verified;
  report.time_s = outcome.time_s;
  report.first_iteration = outcome.first_iteration;
  report.details = outcome.details;
  report.choices = outcome.choices;
  const PeerCounters total = outcome.communication.total();
  report.communication.host = host;
  report.communication.bytes_sent = total.bytes_sent;
  report.communication.bytes_received = total.bytes_received;
  report.communication.messages_sent = total.messages_sent;
  report.communication.messages_received = total.messages_received;
  report.communication.time_s = to_seconds(outcome.communication.communication);
  report.communication.idle_s = to_seconds(outcome.communication.idle);
  report.communication.region_s = outcome.time_s;
  for (std::size_t peer = 0; peer < outcome.communication.peers.size(); ++peer) {
    const PeerCounters& counters = outcome.communication.peers[peer];
    if (counters.messages_sent == 0) continue;
    MethodRecord& method = report.sent_by_method[std::string(method_of(static_cast<Rank>(peer)))];
    method.bytes += counters.bytes_sent;
    method.messages += counters.messages_sent;
  }
  for (const auto& [way, counters] : outcome.communication.broadcasts) {
    report.broadcasts[way] = {counters.broadcasts, counters.bytes};
  }
  return report;
}

void keep_most(std::vector<PairRecord>& pairs, int most) {
  if (pairs.size() <= static_cast<std::size_t>(most)) return;
  std::ranges::stable_sort(pairs, std::ranges::greater{}, &PairRecord::bytes);
  pairs.resize(static_cast<std::size_t>(most));
  std::ranges::sort(pairs, {}, &PairRecord::to);
}

std::vector<PairRecord> pairs_from(int rank, const Counters& counters, int most) {
  std::vector<PairRecord> pairs;
  for (std::size_t peer = 0; peer < counters.peers.size(); ++peer) {
    const PeerCounters& sent = counters.peers[peer];
    if (sent.messages_sent > 0) pairs.push_back({rank, static_cast<int>(peer), sent.bytes_sent, sent.messages_sent});
  }
  keep_most(pairs, most);
  return pairs;
}

TaskReport run_kernel_order(const TaskOrder& order, Comm& comm, const std::string& host) {
  const Outcome outcome = kernel_of(order).run(comm, order.problem);
  TaskReport report = make_task_report(outcome, host, [&comm](Rank peer) { return comm.method(peer); });
  report.sent_to = pairs_from(comm.rank(), outcome.communication, order.peers_named);
  return report;
}

}  // namespace nasvm
