#include "harness/commands/vm/report.hpp"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "harness/document/fields.hpp"
#include "harness/report/columns.hpp"
#include "harness/report/grid.hpp"
#include "harness/text.hpp"

namespace nasvm {
namespace keeper {

void describe(Fields& fields, HostState& state) {
  std::string condition = state.lost.empty() ? "up" : "lost";
  fields.text("name", state.host.name);
  fields.text("address", state.facts.address);
  fields.text("cpu", state.facts.cpu);
  fields.integer("cores", state.facts.cores);
  fields.integer("slots", state.host.slots);
  fields.integer("max_slots", state.host.max_slots);
  fields.text("state", condition);
  fields.text_if_known("reason", state.lost);
  std::int64_t pid = state.facts.pid;
  fields.count("daemon_pid", pid);
}

void describe(Fields& fields, Job& job) {
  std::int64_t client = job.client;
  fields.text("command", job.what);
  fields.count("pid", client);
  fields.count("since", job.since_s);
}

void describe(Fields& fields, TaskState& task) {
  std::string tid = to_string(task.tid);
  std::int64_t pid = task.pid;
  fields.text("tid", tid);
  fields.integer("rank", task.rank);
  fields.text("host", task.host);
  fields.count("pid", pid);
}

void describe(Fields& fields, State& state) {
  std::string schema = "nasvm-vm/1";
  std::int64_t pid = state.pid;
  fields.text("schema", schema);
  fields.text("name", state.name);
  fields.text("version", state.version);
  fields.count("keeper_pid", pid);
  fields.count("since", state.since_s);
  fields.list("hosts", state.hosts);
  fields.list("jobs", state.jobs);
  fields.list("tasks", state.tasks);
}

}  // namespace keeper

namespace {

constexpr Align left = Align::left;

std::string time_text(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(static_cast<std::time_t>(seconds)));
}

std::string job_text(const keeper::Job& job) {
  return fmt::format("{} (pid {}, since {})", job.what, job.client, time_text(job.since_s));
}

/// What the machine does, and what waits.
std::vector<std::string> job_lines(const keeper::State& state) {
  if (state.jobs.empty()) return {"Nothing is running."};
  std::vector<std::string> lines;
  lines.reserve(state.jobs.size());
  for (const keeper::Job& job : state.jobs) {
    lines.push_back((lines.empty() ? "Running: " : "Waiting: ") + job_text(job));
  }
  return lines;
}

}  // namespace

std::string machine_table(const keeper::State& state, std::size_t width) {
  using Host = keeper::HostState;
  const ColumnsOf<Host> columns{
      {{"Host", "", left}, [](const Host& host) { return host.host.name; }},
      {{"Address", "", left}, [](const Host& host) { return host.facts.address; }},
      {{"Cores", ""}, [](const Host& host) { return std::to_string(host.facts.cores); }},
      {{"Slots", ""}, [](const Host& host) { return std::to_string(host.host.slots); }},
      {{"State", "", left}, [](const Host& host) { return host.lost.empty() ? "up" : "lost: " + host.lost; }}};
  return text_of({{fmt::format("Machine {}: since {}, keeper {}", state.name, time_text(state.since_s), state.pid)},
                  heads_of(columns),
                  {block_of(columns, state.hosts)},
                  job_lines(state)},
                 width);
}

std::string tasks_table(const keeper::State& state, std::size_t width) {
  using Task = keeper::TaskState;
  const ColumnsOf<Task> columns{
      {{"Task", "", left}, [](const Task& task) { return to_string(task.tid); }},
      {{"Rank", ""}, [](const Task& task) { return std::to_string(task.rank); }},
      {{"Host", "", left}, [](const Task& task) { return task.host; }},
      {{"Pid", ""}, [](const Task& task) { return task.pid == 0 ? "?" : std::to_string(task.pid); }}};
  return text_of({{fmt::format("Machine {}: {}", state.name, counted(state.tasks.size(), "task"))},
                  heads_of(columns),
                  {block_of(columns, state.tasks)},
                  job_lines(state)},
                 width);
}

std::string machines_table(const std::vector<MachineLine>& machines, std::size_t width) {
  const ColumnsOf<MachineLine> columns{{{"Machine", "", left}, [](const MachineLine& line) { return line.name; }},
                                       {{"State", "", left}, [](const MachineLine& line) { return line.text; }}};
  return text_of({{"Machines of yours:"}, heads_of(columns), {block_of(columns, machines)}, {}}, width);
}

std::string machine_json(const keeper::State& state) { return to_indented_json(description_of(state)); }

}  // namespace nasvm
