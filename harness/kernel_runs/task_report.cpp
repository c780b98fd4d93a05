#include "harness/kernel_runs/task_report.hpp"

#include <nlohmann/json.hpp>

#include "vm/comm.hpp"
#include "vm/status.hpp"

namespace nasvm {

using Json = nlohmann::json;

std::string order_kind(std::string_view text) { return Json::parse(text).at("kind").get<std::string>(); }

std::string methods_order() { return Json{{"kind", order_kind_methods}}.dump(); }

std::string TaskOrder::to_text() const {
  return Json{
      {"kind", order_kind_kernel},  {"kernel", kernel},           {"class", std::string(1, problem.problem_class)},
      {"threads", problem.threads}, {"variant", problem.variant}, {"parameters", problem.parameters}}
      .dump();
}

TaskOrder TaskOrder::from_text(std::string_view text) {
  const Json json = Json::parse(text);
  TaskOrder order;
  order.kernel = json.at("kernel").get<std::string>();
  order.problem.problem_class = json.at("class").get<std::string>().at(0);
  order.problem.threads = json.at("threads").get<int>();
  order.problem.variant = json.at("variant").get<std::string>();
  order.problem.parameters = json.at("parameters").get<ParameterValues>();
  return order;
}

std::string TaskReport::to_text() const {
  Json methods = Json::object();
  for (const auto& [name, method] : sent_by_method) methods[name] = {method.bytes, method.messages};
  return Json{{"verified", verified},
              {"time_s", time_s},
              {"host", communication.host},
              {"bytes_sent", communication.bytes_sent},
              {"bytes_received", communication.bytes_received},
              {"messages_sent", communication.messages_sent},
              {"messages_received", communication.messages_received},
              {"comm_s", communication.time_s},
              {"idle_s", communication.idle_s},
              {"methods", methods},
              {"details", details}}
      .dump();
}

TaskReport TaskReport::from_text(std::string_view text) {
  const Json json = Json::parse(text);
  TaskReport report;
  report.verified = json.at("verified").get<bool>();
  report.time_s = json.at("time_s").get<double>();
  report.communication.host = json.at("host").get<std::string>();
  report.communication.bytes_sent = json.at("bytes_sent").get<std::uint64_t>();
  report.communication.bytes_received = json.at("bytes_received").get<std::uint64_t>();
  report.communication.messages_sent = json.at("messages_sent").get<std::uint64_t>();
  report.communication.messages_received = json.at("messages_received").get<std::uint64_t>();
  report.communication.time_s = json.at("comm_s").get<double>();
  report.communication.idle_s = json.at("idle_s").get<double>();
  for (const auto& [name, method] : json.at("methods").items()) {
    report.sent_by_method[name] = {method.at(0).get<std::uint64_t>(), method.at(1).get<std::uint64_t>()};
  }
  report.details = json.at("details").get<std::vector<std::pair<std::string, std::string>>>();
  return report;
}

Outcome run_kernel_order(std::string_view order_text, Comm& comm) {
  const TaskOrder order = TaskOrder::from_text(order_text);
  const Kernel* kernel = find_kernel(order.kernel);
  if (kernel == nullptr) throw UsageError("there is no kernel \"" + order.kernel + "\" in this program");
  return kernel->run(comm, order.problem);
}

TaskReport make_task_report(const Comm& comm, const std::string& host, const Outcome& outcome) {
  TaskReport report;
  report.verified = outcome.verified;
  report.time_s = outcome.time_s;
  report.details = outcome.details;
  const PeerCounters total = outcome.communication.total();
  report.communication.host = host;
  report.communication.bytes_sent = total.bytes_sent;
  report.communication.bytes_received = total.bytes_received;
  report.communication.messages_sent = total.messages_sent;
  report.communication.messages_received = total.messages_received;
  report.communication.time_s = to_seconds(outcome.communication.communication);
  report.communication.idle_s = to_seconds(outcome.communication.idle);
  for (std::size_t peer = 0; peer < outcome.communication.peers.size(); ++peer) {
    const PeerCounters& counters = outcome.communication.peers[peer];
    if (counters.messages_sent == 0) continue;
    MethodRecord& method = report.sent_by_method[std::string(comm.method(static_cast<Rank>(peer)))];
    method.bytes += counters.bytes_sent;
    method.messages += counters.messages_sent;
  }
  return report;
}

}  // namespace nasvm
