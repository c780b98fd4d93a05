#include "harness/document/document.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "harness/document/json_reader.hpp"
#include "harness/commands/p2p/record_json.hpp"
#include "harness/commands/peers/record_json.hpp"
#include "harness/commands/roofline/record_json.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

Json json_of(const BuildRecord& build) {
  return {{"version", build.version}, {"commit", build.commit}, {"compiler", build.compiler},  {"flags", build.flags},
          {"date", build.date},       {"simd", build.simd},     {"libraries", build.libraries}};
}

Json json_of(const MachineRecord& machine) {
  Json hosts = Json::array();
  for (const HostRecord& host : machine.hosts) {
    hosts.push_back({{"name", host.name},
                     {"cpu", host.cpu},
                     {"cores", host.cores},
                     {"memory_bytes", host.memory_bytes},
                     {"kernel", host.kernel}});
  }
  return {{"hosts", std::move(hosts)}};
}

Json json_of(const RankRecord& rank) {
  return {{"rank", rank.rank},
          {"host", rank.host},
          {"bytes_sent", rank.bytes_sent},
          {"bytes_received", rank.bytes_received},
          {"messages_sent", rank.messages_sent},
          {"messages_received", rank.messages_received},
          {"time_s", rank.time_s},
          {"idle_s", rank.idle_s}};
}

Json json_of(const CommRecord& comm) {
  Json by_rank = Json::array();
  for (const RankRecord& rank : comm.by_rank) by_rank.push_back(json_of(rank));
  Json by_method = Json::object();
  for (const auto& [name, method] : comm.by_method) {
    by_method[name] = {{"bytes", method.bytes}, {"messages", method.messages}};
  }
  return {{"volume_bytes", comm.volume_bytes}, {"messages", comm.messages},        {"time_max_s", comm.time_max_s},
          {"time_mean_s", comm.time_mean_s},   {"idle_max_s", comm.idle_max_s},    {"idle_mean_s", comm.idle_mean_s},
          {"by_rank", std::move(by_rank)},     {"by_method", std::move(by_method)}};
}

Json json_of(const RunRecord& run) {
  Json details = Json::object();
  for (const auto& [name, value] : run.details) details[name] = value;
  return {{"kernel", run.kernel},
          {"class", std::string(1, run.problem_class)},
          {"np", run.np},
          {"threads", run.threads},
          {"transport", run.transport},
          {"variant", run.variant},
          {"repeat", run.repeat},
          {"verified", run.verified},
          {"time_s", run.time_s},
          {"mops", run.verified ? Json(run.mops) : Json()},
          {"comm", json_of(run.comm)},
          {"details", std::move(details)}};
}

std::string scalar_text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Objects and arrays without structure inside take one line, all others one line for each member.
void write(const Json& value, const std::string& indent, std::string& out) {
  if (!value.is_structured()) {
    out += scalar_text(value);
    return;
  }
  const bool flat = std::none_of(value.begin(), value.end(), [](const Json& child) { return child.is_structured(); });
  const std::string deeper = indent + "  ";
  const std::string line_end = flat ? "" : "\n" + indent;
  std::string separator = flat ? "" : "\n" + deeper;
  out += value.is_object() ? "{" : "[";
  for (const auto& member : value.items()) {
    out += separator;
    if (value.is_object()) out += scalar_text(member.key()) + ": ";
    write(member.value(), deeper, out);
    separator = flat ? ", " : ",\n" + deeper;
  }
  out += line_end + (value.is_object() ? "}" : "]");
}

std::string text_of(const Json& value) {
  std::string text;
  write(value, "", text);
  return text + "\n";
}

/// Records of a command that the document is not of are left out.
template <typename Record>
void add_records(Json& json, const char* name, const std::vector<Record>& records) {
  for (const Record& record : records) json[name].push_back(json_of(record));
}

HostRecord read_host(const JsonReader& in) {
  return {in.text("name", ""), in.text("cpu", ""), in.integer("cores", 0), in.count("memory_bytes", 0),
          in.text("kernel", "")};
}

BuildRecord read_build(const JsonReader& in) {
  BuildRecord build{in.text("version", ""), in.text("commit", ""), in.text("compiler", ""),
                    in.text("flags", ""),   in.text("date", ""),   {},
                    in.text("simd", "")};
  for (const auto& [name, library] : in.object("libraries").members()) build.libraries[name] = library.as_text();
  return build;
}

RankRecord read_rank(const JsonReader& in) {
  return {in.integer("rank", 0),         in.text("host", ""),          in.count("bytes_sent", 0),
          in.count("bytes_received", 0), in.count("messages_sent", 0), in.count("messages_received", 0),
          in.real("time_s", 0),          in.real("idle_s", 0)};
}

CommRecord read_comm(const JsonReader& in) {
  CommRecord comm{in.count("volume_bytes", 0),
                  in.count("messages", 0),
                  in.real("time_max_s", 0),
                  in.real("time_mean_s", 0),
                  in.real("idle_max_s", 0),
                  in.real("idle_mean_s", 0),
                  {},
                  {}};
  for (const JsonReader& rank : in.array("by_rank").elements()) comm.by_rank.push_back(read_rank(rank));
  for (const auto& [name, method] : in.object("by_method").members()) {
    comm.by_method[name] = {method.count("bytes", 0), method.count("messages", 0)};
  }
  return comm;
}

char read_class(const JsonReader& in) {
  const std::string text = in.text("class");
  if (text.size() != 1) in.fail("class", "should be one letter");
  return text[0];
}

RunRecord read_run(const JsonReader& in) {
  RunRecord run;
  run.kernel = in.text("kernel");
  run.problem_class = read_class(in);
  run.np = in.integer("np");
  run.threads = in.integer("threads", 1);
  run.transport = in.text("transport");
  run.variant = in.text("variant", "");
  run.repeat = in.integer("repeat", 0);
  run.verified = in.boolean("verified");
  run.time_s = in.real("time_s");
  run.mops = in.real("mops", 0);
  run.comm = read_comm(in.object("comm"));
  for (const auto& [name, detail] : in.object("details").members()) run.details.emplace_back(name, detail.as_text());
  return run;
}

}  // namespace

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

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string to_json(const Document& document) {
  Json runs = Json::array();
  for (const RunRecord& run : document.runs) runs.push_back(json_of(run));
  Json json{{"schema", result_schema},          {"created", document.created},
            {"command", document.command},      {"machine", json_of(document.machine)},
            {"build", json_of(document.build)}, {"runs", std::move(runs)}};
  add_records(json, "p2p", document.p2p);
  add_records(json, "peers", document.peers);
  add_records(json, "limits", document.limits);
  add_records(json, "work", document.works);
  add_records(json, "collectives", document.collectives);
  add_records(json, "mixed", document.mixed);
  return text_of(json);
}

std::string to_json(const BuildRecord& build, const MachineRecord& machine) {
  return text_of({{"build", json_of(build)}, {"machine", json_of(machine)}});
}

Document from_json(std::string_view text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw UsageError(fmt::format("{}: not JSON; expected a result document of nasvm", name));
  const std::string expected = fmt::format("expected a result document with \"schema\": \"{}\"", result_schema);
  if (!json.is_object()) throw UsageError(fmt::format("{}: not a JSON object; {}", name, expected));
  const JsonReader in(json, name);
  if (in.text("schema", "") != result_schema) {
    throw UsageError(fmt::format("{}: schema is '{}'; {}", name, in.text("schema", ""), expected));
  }
  Document document;
  document.created = in.text("created", "");
  for (const JsonReader& word : in.array("command").elements()) document.command.push_back(word.as_text());
  for (const JsonReader& host : in.object("machine").array("hosts").elements()) {
    document.machine.hosts.push_back(read_host(host));
  }
  document.build = read_build(in.object("build"));
  for (const JsonReader& run : in.array("runs").elements()) document.runs.push_back(read_run(run));
  for (const JsonReader& record : in.array("p2p").elements()) document.p2p.push_back(read_p2p_record(record));
  for (const JsonReader& record : in.array("peers").elements()) document.peers.push_back(read_peer_record(record));
  for (const JsonReader& record : in.array("limits").elements()) document.limits.push_back(read_limit_record(record));
  for (const JsonReader& record : in.array("work").elements()) document.works.push_back(read_work_record(record));
  for (const JsonReader& record : in.array("collectives").elements()) {
    document.collectives.push_back(read_collective_record(record));
  }
  for (const JsonReader& record : in.array("mixed").elements()) document.mixed.push_back(read_mixed_record(record));
  return document;
}

Document read_document(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  std::ostringstream text;
  errno = 0;
  text << file.rdbuf();  // fails on an empty file, too, without an error number
  if (text.fail() && errno != 0) throw UsageError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return from_json(text.str(), path);
}

}  // namespace nasvm
