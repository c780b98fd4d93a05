#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>

#include "vm/keeper/keeper.hpp"
#include "vm/keeper/translate.hpp"
#include "vm/launch/complaint.hpp"
#include "vm/launch/signal_watch.hpp"
#include "vm/process/pipe.hpp"
#include "vm/status.hpp"

namespace nasvm::keeper {
namespace {

/// A machine's name as this process holds it, and what is left of it when it ends.
class Tenure {
 public:
  /// Throws UsageError when another keeper has it.
  explicit Tenure(const std::string& name) : folder_(name), lock_(take_name()) {
    if (!lock_) {
      throw UsageError("machine " + name + " is there already: nasvm vm status " + name +
                       " shows it, nasvm vm stop " + name + " ends it");
    }
    folder_.clear();
    ::unlink(folder_.log().c_str());
  }
  ~Tenure() {
    if (!is_held()) return;  // what is there may be another keeper's
    if (!leaves_word()) folder_.remove();
  }
  Tenure(const Tenure&) = delete;
  Tenure& operator=(const Tenure&) = delete;

  [[nodiscard]] const RuntimeFolder& folder() const { return folder_; }
  [[nodiscard]] int lock() const { return lock_.get(); }
  [[nodiscard]] bool is_held() const { return folder_.is_held(lock()); }
  /// The folder stays, and says why the machine is gone.
  void leave_word(std::string reason) { reason_ = std::move(reason); }

 private:
  /// Where there is no room for a process id, nothing is left behind.
  net::Fd take_name() const {
    try {
      folder_.make();
      return folder_.lock_soon();
    } catch (const RunError&) {
      (void)folder_.clear_away();
      throw;
    }
  }
  /// False: there is nothing to say, or no room for it.
  bool leaves_word() const {
    if (reason_.empty()) return false;
    try {
      folder_.clear();
      folder_.write_end_reason(reason_);
      return true;
    } catch (const RunError&) {
      return false;
    }
  }

  RuntimeFolder folder_;
  net::Fd lock_;
  std::string reason_;
};

/// This process's standard error becomes a pipe, which daemons inherit; its standard output and input become nothing.
/// Returns the pipe's other end.
net::Fd capture_output() {
  process::Pipe pipe;
  const net::Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(nothing.get(), STDOUT_FILENO);
  ::dup2(pipe.write.get(), STDERR_FILENO);
  return std::move(pipe.read);
}

/// The last line that says something of those that are in the pipe now; empty: there is none.
std::string last_line_in(const net::Fd& pipe) {
  ::fcntl(pipe.get(), F_SETFL, O_NONBLOCK);
  std::stringstream text;
  std::array<char, 4096> bytes;
  for (ssize_t got; (got = ::read(pipe.get(), bytes.data(), bytes.size())) > 0;) text.write(bytes.data(), got);
  std::string last;
  for (std::string line; std::getline(text, line);) {
    const std::string said = printable_line(line.substr(0, longest_complaint));
    if (!said.empty()) last = said;
  }
  return last;
}

/// Of a daemon here that does not come up the machine knows how it has ended; why, it has said to `output`.
Machine bring_up(const Machine::Options& options, const net::Fd& output) {
  try {
    return Machine(options);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    const std::string reason = last_line_in(output);
    if (reason.empty()) throw;
    throw Error(error.exit_status(), error.what() + (": " + reason));
  }
}

void say(net::Fd& starter, const Message& message) {
  const std::string line = to_text(message) + "\n";
  (void)!::write(starter.get(), line.data(), line.size());
  starter.reset();
}

/// Who gets the machine's remarks, while it is there.
struct Listener {
  Keeper* keeper = nullptr;
};

class Listening {
 public:
  Listening(Listener& listener, Keeper& keeper) : listener_(listener) { listener_.keeper = &keeper; }
  ~Listening() { listener_.keeper = nullptr; }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  Listener& listener_;
};

void serve(const Order& order, net::Fd& starter) {
  Tenure tenure(order.name);
  net::Fd output = capture_output();
  Listener listener;
  Machine::Options options = options_of(order);
  options.on_remark = [&listener](const std::string& line) {
    if (listener.keeper != nullptr) listener.keeper->take_remark(line);
  };
  Machine machine = bring_up(options, output);
  if (!tenure.is_held()) throw RunError("somebody has removed " + tenure.folder().path("lock"));
  const Secret secret = make_secret();
  tenure.folder().write_secret(secret);
  const mode_t users_mask = ::umask(077);  // a socket is made without a mode; what tasks make is to have the user's
  Keeper keeper(machine, tenure.folder(), tenure.lock(), secret, std::move(output));
  ::umask(users_mask);
  const Listening listening(listener, keeper);
  ::prctl(PR_SET_PDEATHSIG, 0);  // who has started it may go now
  say(starter, Done{});
  tenure.leave_word(keeper.serve());
}

}  // namespace

int keeper_main() {
  for (const int number : {SIGPIPE, SIGXFSZ}) ::signal(number, SIG_IGN);  // writes fail, and are reported
  const SignalHold hold;  // one that comes before or after the machine leaves nothing behind either
  net::Fd starter(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  try {
    std::string line;
    std::getline(std::cin, line);
    serve(parse_order(line), starter);
    return static_cast<int>(Exit::ok);
  } catch (const std::exception&) {
    const auto [exit_status, text] = current_complaint();
    if (starter) say(starter, Failed{exit_status, text});
    return static_cast<int>(exit_status);
  }
}

}  // namespace nasvm::keeper
