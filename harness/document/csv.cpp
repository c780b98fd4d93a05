#include "harness/document/csv.hpp"

#include <vector>

#include <fmt/format.h>

#include "harness/report/formats.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace {

constexpr std::string_view head =
    "file,kernel,class,np,threads,transport,variant,repeat,verified,time_s,mops,volume_bytes,messages,time_max_s,"
    "time_mean_s,idle_max_s,idle_mean_s,by_method,created,hosts,version,commit\n";

/// "direct:1024:16;shm:8:1": transport, bytes, messages.
std::string methods_text(const CommRecord& comm) {
  std::vector<std::string> parts;
  for (const auto& [name, method] : comm.by_method) {
    parts.push_back(fmt::format("{}:{}:{}", name, method.bytes, method.messages));
  }
  return joined(parts, ";");
}

std::string hosts_text(const MachineRecord& machine) { return joined(names_of(machine.hosts), ";"); }

std::string line(const Source& source, const RunRecord& run) {
  const Document& document = source.document;
  const CommRecord& comm = run.comm;
  const std::string speed = run.verified ? fmt::format("{},{}", run.time_s, run.mops) : ",";
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(source.file),
      csv_field(run.kernel), run.problem_class, run.np, run.threads, csv_field(run.transport), csv_field(run.variant),
      run.repeat, run.verified, speed, comm.volume_bytes, comm.messages, comm.time_max_s, comm.time_mean_s,
      comm.idle_max_s, comm.idle_mean_s, csv_field(methods_text(comm)), csv_field(document.created),
      csv_field(hosts_text(document.machine)), csv_field(document.build.version), csv_field(document.build.commit));
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string render_csv(std::span<const Source> sources) {
  std::string text(head);
  for (const Source& source : sources) {
    for (const RunRecord& run : source.document.runs) text += line(source, run);
  }
  return text;
}

}  // namespace nasvm
