#include "vm/system/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "vm/cores.hpp"
#include "vm/system/protocol.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

using Json = nlohmann::json;

Json order_of(const Machine::Program& program) {
  const bool crowded = program.size * program.threads > usable_cores();
  return {{"setup", program.setup},
          {"parameters", parse_transport_order(program.transport).front().parameters},
          {"own_cores", program.bind && !crowded && program.size > 1 ? program.threads : 0}};
}

std::string variable(const Json& order) { return std::string(system_protocol::order_variable) + "=" + order.dump(); }

/// What follows the protocol's prefix; discarded when the line is another.
Json content_of(const std::string& line) {
  const std::size_t begin = line.find(system_protocol::line_prefix);
  if (begin == std::string::npos) return Json(Json::value_t::discarded);
  return Json::parse(line.substr(begin + system_protocol::line_prefix.size()), nullptr, false);
}

}  // namespace

std::string order_for(const Machine::Program& program) { return variable(order_of(program)); }

std::string order_for(const Machine::Program& program, int rank) {
  Json order = order_of(program);
  order["rank"] = rank;
  order["size"] = program.size;
  return variable(order);
}

bool TaskRoster::hear_output(const std::string& line) {
  const Json content = content_of(line);
  if (content.is_array()) reports_ = content.get<std::vector<std::string>>();
  return content.is_array();
}

bool TaskRoster::hear_error(const std::string& line) {
  const Json content = content_of(line);
  if (!content.is_object()) return false;
  const int rank = content.value("rank", -1);
  if (content.contains("text")) {
    note(Gravity::failed, describe(rank) + ": " + content.value("text", ""),
         static_cast<Exit>(content.value("exit", 3)));
  } else if (rank >= 0 && static_cast<std::size_t>(rank) < tasks_.size()) {
    tasks_[static_cast<std::size_t>(rank)] = {content.value("pid", 0L), content.value("host", "")};
  }
  return true;
}

void TaskRoster::note(Gravity gravity, std::string text, Exit exit_status) {
  verdict_.note(gravity, std::move(text), std::chrono::steady_clock::now(), exit_status);
}

bool TaskRoster::all_joined() const {
  return std::ranges::all_of(tasks_, [](const TaskState& task) { return task.pid != 0; });
}

std::vector<long> TaskRoster::pids() const {
  std::vector<long> pids;
  for (const TaskState& task : tasks_) pids.push_back(task.pid);
  return pids;
}

std::string TaskRoster::describe(int rank) const {
  const auto index = static_cast<std::size_t>(rank);
  if (rank < 0 || index >= tasks_.size()) return "a task";
  if (tasks_[index].pid == 0) return fmt::format("rank {}", rank);
  return fmt::format("rank {} (pid {}, host {})", rank, tasks_[index].pid, tasks_[index].host);
}

std::vector<std::string> TaskRoster::reports() const {
  if (verdict_.failed()) verdict_.pronounce();
  return reports_;
}

}  // namespace nasvm
