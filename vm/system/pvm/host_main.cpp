/// \file
/// `nasvm-pvm-host`: on another host of a run over transport pvm, started through the remote shell: PVM's daemon and
/// the tasks of that host are its children (vm/system/pvm/host_protocol.hpp).

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "vm/launch/signal_watch.hpp"
#include "vm/process/core_dumps.hpp"
#include "vm/process/line_reader.hpp"
#include "vm/status.hpp"
#include "vm/system/pvm/host_protocol.hpp"
#include "vm/write_all.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nasvm;
using pvm_protocol::News;

constexpr auto pause = 50ms;  ///< between two looks at the processes when nothing is heard of them
constexpr auto ending_pause = 5ms;

void write_line(int descriptor, const std::string& line) {
  (void)write_all(descriptor, line);  // or the console has gone, and the end of our input tells it
}

void tell(const News& news) { write_line(STDOUT_FILENO, pvm_protocol::to_line(news)); }

class HostProcess {
 public:
  /// Until the console has heard all and closes our input, or is not heard of any more.
  void run() {
    while (!input_.at_end() && std::chrono::steady_clock::now() - heard_ < pvm_protocol::most_silence) {
      (void)poller_.wait(host_.has_value() && host_->ending() ? ending_pause : pause);
      look_for_ends();
    }
  }

 private:
  void obey(const std::string& line) {
    heard_ = std::chrono::steady_clock::now();
    pvm_protocol::Command command = pvm_protocol::parse_command(line);
    if (command.life) return;
    if (command.share.has_value()) return begin(*std::move(command.share));
    if (!host_.has_value()) throw RunError("a command before the host's share");
    if (command.pvmd.has_value()) host_->start_pvmd(*std::move(command.pvmd));
    if (command.tasks) host_->start_tasks();
  }
  void begin(PvmShare share) {
    told_.assign(share.ranks.size(), false);
    host_.emplace(
        std::move(share), poller_,
        PvmHost::Hears{.pvmd = [](const std::string& line) { tell({.kind = News::Kind::pvmd_says, .text = line}); },
                       .pvmd_error = pass_error,
                       .task = [](const std::string& line) { write_line(STDOUT_FILENO, line + "\n"); },
                       .task_error = pass_error});
    tell({.kind = News::Kind::ready});
  }
  void look_for_ends() {
    if (!host_.has_value()) return;
    for (std::size_t place = 0; place < told_.size(); ++place) {
      if (told_[place]) continue;
      const auto status = host_->task_ended(place);
      if (!status.has_value()) continue;
      told_[place] = true;
      tell({.kind = News::Kind::task_ended, .rank = host_->ranks()[place], .wait_status = *status});
    }
    const auto status = pvmd_told_ ? std::nullopt : host_->pvmd_ended();
    if (!status.has_value()) return;
    pvmd_told_ = true;
    tell({.kind = News::Kind::pvmd_ended, .wait_status = *status});
  }
  static void pass_error(const std::string& line) { write_line(STDERR_FILENO, line + "\n"); }

  net::Poller poller_;
  SignalWatch signals_{poller_};
  std::optional<PvmHost> host_;
  std::vector<bool> told_;  ///< by place: the task's end
  bool pvmd_told_ = false;
  std::chrono::steady_clock::time_point heard_ = std::chrono::steady_clock::now();  ///< something of the console
  process::LineReader input_{net::Fd(::dup(STDIN_FILENO)), poller_, [this](const std::string& line) { obey(line); }};
};

}  // namespace

int main() {
  process::forbid_core_dumps();
  // The terminal's signals are for the console; it may end before we do.
  ::setsid();
  ::signal(SIGPIPE, SIG_IGN);
  try {
    HostProcess().run();
    return static_cast<int>(Exit::ok);
  } catch (const std::exception&) {
    const auto [exit_status, text] = current_complaint();
    tell({.kind = News::Kind::failed, .text = text, .exit_status = exit_status});
    return static_cast<int>(exit_status);
  }
}
