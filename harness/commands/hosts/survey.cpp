#include "harness/commands/hosts/survey.hpp"

namespace nasvm {

void describe(Fields& fields, SurveyedHost& host) {
  fields.integer("index", host.index);
  fields.text("name", host.name);
  fields.text("address", host.address);
  fields.text("cpu", host.cpu);
  fields.integer("cores", host.cores);
  fields.count("memory_bytes", host.memory_bytes);
  fields.text("kernel", host.kernel);
  fields.text("computer", host.computer);
  fields.object("daemon", [&host](Fields& daemon) {
    std::string state = "up";
    std::int64_t pid = host.daemon_pid;
    daemon.text("state", state);
    daemon.count("pid", pid);
    daemon.text("version", host.daemon_version);
    host.daemon_pid = static_cast<long>(pid);
  });
  std::vector<std::uint64_t> ranks(host.ranks.begin(), host.ranks.end());
  fields.counts("tasks", ranks);
  host.ranks.assign(ranks.begin(), ranks.end());
}

void describe(Fields& fields, Consideration& one) {
  bool applicable = one.why_not.empty();
  fields.text("transport", one.transport);
  fields.boolean("applicable", applicable);
  fields.text("why_not", one.why_not, Need::optional, withheld_unless(!applicable));
}

void describe(Fields& fields, PairMethod& pair) {
  fields.integer("from", pair.from);
  fields.integer("to", pair.to);
  fields.integer("from_host", pair.from_host);
  fields.integer("to_host", pair.to_host);
  fields.text("method", pair.method);
  fields.list("order", pair.order);
}

void describe(Fields& fields, Methods& methods) {
  fields.text("transport", methods.transport);
  fields.list("pairs", methods.pairs);
}

void describe(Fields& fields, HostReach& reach) {
  fields.integer("host", reach.host);
  fields.boolean("reached", reach.reached);
  fields.text("interface", reach.interface);
  fields.count("packet_bytes", reach.packet_bytes);
  fields.count("room_bytes", reach.room_bytes);
  fields.real("round_trip_s", reach.round_trip_s);
  fields.count("window", reach.window);
  fields.real("patience_s", reach.patience_s);
  fields.text("why_not", reach.why_not, Need::optional, withheld_unless(!reach.why_not.empty()));
}

void describe(Fields& fields, Survey& survey) {
  std::string schema = "nasvm-hosts/1";
  fields.text("schema", schema);
  fields.integer("np", survey.np);
  fields.list("hosts", survey.hosts);
  if (!survey.methods.empty()) fields.list("methods", survey.methods);
  if (!survey.reach.empty()) fields.list("multicast", survey.reach);
}

}  // namespace nasvm
