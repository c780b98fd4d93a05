#include "vm/system/task.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "vm/cores.hpp"
#include "vm/status.hpp"
#include "vm/system/protocol.hpp"

namespace nasvm {
namespace {

using Json = nlohmann::json;

constexpr Tag report_tag = 1;

Json read_order() {
  const char* text = std::getenv(system_protocol::order_variable);
  if (text == nullptr) {
    throw UsageError(std::string("not started for a run (") + system_protocol::order_variable +
                     " is not set): nasvm run starts it");
  }
  return Json::parse(text);
}

Seat seat_of(const Json& order) {
  Seat seat{{}, order.value("rank", any_source), order.value("size", 0)};
  for (const auto& [name, value] : order.at("parameters").items()) {
    seat.parameters[name] = value.get<std::uint64_t>();
  }
  return seat;
}

/// The whole line at once where the system permits, so that lines of several tasks do not mix.
void write_line(int descriptor, const Json& content) {
  const std::string line =
      std::string(system_protocol::line_prefix) + content.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t count = ::write(descriptor, line.data() + written, line.size() - written);
    if (count > 0) written += static_cast<std::size_t>(count);
    if (count < 0 && errno != EINTR) return;  // nobody reads any more
  }
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

struct SystemTask::Parts {
  Parts(Join join, const Json& order)
      : system(join(seat_of(order))), comm(system->endpoint()), setup(order.at("setup").get<std::string>()) {
    const int cores = order.at("own_cores").get<int>();
    if (cores > 0) own_cores = OwnCores::claim(comm.rank() * cores, cores);
  }

  std::unique_ptr<MessageSystem> system;
  Comm comm;
  std::string setup;
  std::string host = host_name();
  OwnCores own_cores;
  std::string text;  ///< reported so far
};

SystemTask::SystemTask(Join join) : parts_(std::make_unique<Parts>(join, read_order())) {
  write_line(STDERR_FILENO, {{"rank", parts_->comm.rank()}, {"pid", ::getpid()}, {"host", parts_->host}});
}

SystemTask::~SystemTask() = default;

Comm& SystemTask::comm() { return parts_->comm; }
const std::string& SystemTask::setup() const { return parts_->setup; }
const std::string& SystemTask::host() const { return parts_->host; }
void SystemTask::report(std::string_view text) { parts_->text += text; }
void SystemTask::abandon(int exit_status) { parts_->system->abandon(exit_status); }

void SystemTask::finish() {
  Comm& comm = parts_->comm;
  if (comm.rank() != 0) {
    comm.send(parts_->text, 0, report_tag);
  } else {
    Json texts = Json::array({parts_->text});
    for (Rank from = 1; from < comm.size(); ++from) {
      std::string text(comm.probe(from, report_tag).bytes, ' ');
      comm.recv(text, from, report_tag);
      texts.push_back(std::move(text));
    }
    write_line(STDOUT_FILENO, texts);
  }
  comm.barrier();
  parts_->system->finish();
}

int run_system_task(SystemTask::Join join, void (*body)(SystemTask&)) {
  // Whatever becomes of its parent, a task goes with it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::optional<SystemTask> task;
  try {
    task.emplace(join);
    body(*task);
    task->finish();
    task.reset();
    return static_cast<int>(Exit::ok);
  } catch (const std::exception&) {
    const auto [exit_status, text] = current_complaint();
    const int code = static_cast<int>(exit_status);
    const Rank rank = task.has_value() ? task->comm().rank() : -1;
    write_line(STDERR_FILENO, {{"rank", rank}, {"exit", code}, {"text", text}});
    if (task.has_value()) task->abandon(code);
    return code;
  }
}

}  // namespace nasvm
