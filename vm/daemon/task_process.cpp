#include "vm/daemon/task_process.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "vm/process/environment.hpp"
#include "vm/process/programs.hpp"
#include "vm/process/start.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"

namespace nasvm::daemon {
namespace {

/// Enough for several packets each way, so that daemon and task need not take turns for each.
constexpr int socket_buffer_bytes = 1 << 20;

struct Sockets {
  net::Fd ours, theirs;
};

Sockets make_sockets() {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()) != 0) {
    throw RunError(std::string("cannot make a task's socket: ") + std::strerror(errno));
  }
  for (const int fd : pair) {
    ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &socket_buffer_bytes, sizeof socket_buffer_bytes);
  }
  return {net::Fd(pair[0]), net::Fd(pair[1])};
}

/// A machine may have been started by a task of another, whose socket is not this task's.
std::vector<std::string> environment_for(const protocol::Spawn& program, int socket) {
  const std::string name = std::string(protocol::task_fd_variable) + "=";
  auto variables = process::environment_without({name}, program.environment);
  variables.push_back(name + std::to_string(socket));
  return variables;
}

bool is_path(const std::string& program) { return program.find('/') != std::string::npos; }

/// A name alone is that of a program of the daemon's own build, wherever that lies on this host.
std::string program_of(const protocol::Spawn& spawn) {
  if (is_path(spawn.program)) return spawn.program;
  std::string found = process::find_sibling(spawn.program);
  if (found.empty()) {
    throw RunError("program " + spawn.program + " is not beside " + process::own_program() +
                   ": copy the whole build to each host");
  }
  return found;
}

}  // namespace

TaskProcess::TaskProcess(const protocol::Spawn& program, Tid tid, const PortContext& context,
                         std::function<void()> on_garbage)
    : tid_(tid), context_(context) {
  Sockets sockets = make_sockets();
  const int theirs = sockets.theirs.get();
  child_ = process::start(
      {.program = program_of(program),
       .arguments = program.arguments,
       .environment = environment_for(program, theirs),
       .kept = {theirs},
       .unexecutable = is_path(program.program) ? process::Unexecutable::throws : process::Unexecutable::ends});
  const auto closed = [on_garbage = std::move(on_garbage)](StreamPort::End end) {
    if (end == StreamPort::End::garbage) on_garbage();
  };
  try {
    end_ = child_.end_descriptor();
    port_ = std::make_unique<StreamPort>(std::move(sockets.ours), tid, context, closed);
    context_.poller.add(end_.get(), EPOLLIN, *this);
  } catch (...) {
    child_.kill();
    throw;
  }
  // Tasks of other hosts may start, and send to it, before it has heard who they are.
  port_->own_room().shut();
  context_.router.add_task(tid, *port_);
}

TaskProcess::~TaskProcess() {
  context_.router.remove_task(tid_);
  if (!wait_status_.has_value()) context_.poller.remove(end_.get(), *this);
  child_.kill();
}

void TaskProcess::kill() { child_.signal(SIGKILL); }

void TaskProcess::ready(std::uint32_t) {
  wait_status_ = child_.ended();
  if (!wait_status_.has_value()) return;
  context_.poller.remove(end_.get(), *this);
  port_->expect_no_more();
}

}  // namespace nasvm::daemon
