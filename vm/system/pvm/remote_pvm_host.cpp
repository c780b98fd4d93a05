#include "vm/system/pvm/remote_pvm_host.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

#include "vm/launch/remote_command.hpp"
#include "vm/process/programs.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;
using pvm_protocol::News;

constexpr const char* program_name = "nasvm-pvm-host";

std::string remote_command(const std::string& program) {
  return with_sh(
      "test -x \"$1\" && exec \"$1\"; echo \"$1 is not there: copy the build to that place\" >&2; exit 127",
      program_name, program);
}

process::StartOptions options_for(const std::vector<std::string>& shell, const std::string& host, int input) {
  const std::string program = process::find_sibling(program_name);
  if (program.empty()) {
    throw UsageError(fmt::format("{} is not beside {}: build it (make build)", program_name, process::own_program()));
  }
  process::StartOptions options{.program = shell.front(), .input_from = input, .death_signal = SIGTERM};
  options.arguments.assign(shell.begin() + 1, shell.end());
  options.arguments.push_back(host);
  options.arguments.push_back(remote_command(program));
  return options;
}

}  // namespace

RemotePvmHost::RemotePvmHost(const PvmPlace& place, PvmShare share, const std::vector<std::string>& shell,
                             net::Poller& poller, TaskRoster& roster, process::OnLine on_answer)
    : name_(place.host.name),
      shell_name_(std::filesystem::path(shell.front()).filename()),
      ranks_(place.ranks),
      roster_(roster),
      on_answer_(std::move(on_answer)),
      input_(std::move(pipe_.write)),
      job_(
          options_for(shell, name_, pipe_.read.get()), poller, [this](const std::string& line) { hear(line); },
          [this](const std::string& line) { hear_error(line); }) {
  pipe_.read.reset();
  ::fcntl(input_.get(), F_SETFL, O_NONBLOCK);
  share.ranks = ranks_;
  say(pvm_protocol::to_line(share));
}

/// A host that has gone is noted by `watch`.
void RemotePvmHost::say(const std::string& line) {
  const ssize_t written = process::write_without_signal(input_.get(), line);
  if (written == static_cast<ssize_t>(line.size()) || (written < 0 && errno == EPIPE)) return;
  throw RunError(fmt::format("cannot tell host {} what to do: {}", name_,
                             written < 0 ? std::strerror(errno) : "the remote shell takes no more"));
}

/// Where the remote shell takes no more, the host hears nothing, and that is what it is to conclude from.
void RemotePvmHost::give_sign_of_life() {
  const auto now = std::chrono::steady_clock::now();
  if (!input_ || now - sign_given_ < pvm_protocol::sign_of_life) return;
  sign_given_ = now;
  const std::string line = pvm_protocol::line_for_life();
  (void)!process::write_without_signal(input_.get(), line);
}

void RemotePvmHost::hear(const std::string& line) {
  if (const auto news = pvm_protocol::parse_news(line)) return take(*news);
  if (!roster_.hear_output(line)) remarks_.add(line);
}

void RemotePvmHost::hear_error(const std::string& line) {
  if (!roster_.hear_error(line)) remarks_.add(line);
}

void RemotePvmHost::take(const News& news) {
  switch (news.kind) {
    case News::Kind::ready:
      ready_ = true;
      return;
    case News::Kind::pvmd_says:
      if (!is_pvm_answer(news.text)) return remarks_.add(news.text);
      answered_ = true;
      return on_answer_(news.text);
    case News::Kind::pvmd_ended:
      return roster_.note(Gravity::killed,
                          remarks_.after(fmt::format("PVM's daemon pvmd on host {} {}", name_,
                                                     process::describe_wait_status(news.wait_status))));
    case News::Kind::task_ended:
      ended_[news.rank] = news.wait_status;
      return;
    case News::Kind::failed:
      lost_ = true;
      return roster_.note(Gravity::failed, fmt::format("host {}: {}", name_, news.text), news.exit_status);
  }
}

std::optional<int> RemotePvmHost::task_ended(Rank rank) const {
  const auto found = ended_.find(rank);
  return found == ended_.end() ? std::nullopt : std::optional(found->second);
}

void RemotePvmHost::watch() {
  give_sign_of_life();
  const auto status = job_.ended();
  if (!status.has_value() || lost_) return;
  lost_ = true;
  roster_.note(Gravity::silent, remarks_.after(fmt::format("host {}: {} {}", name_, shell_name_,
                                                           process::describe_wait_status(*status))));
}

void RemotePvmHost::end() {
  dismiss();
  job_.end(0ms);
}

}  // namespace nasvm
