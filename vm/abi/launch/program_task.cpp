#include "vm/abi/launch/program_task.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <regex>
#include <utility>

#include "vm/abi/launch/program_file.hpp"
#include "vm/abi/launch/streams.hpp"
#include "vm/abi/whereabouts/whereabouts.hpp"
#include "vm/net/poller.hpp"
#include "vm/process/environment.hpp"
#include "vm/process/line_pieces.hpp"
#include "vm/process/pipe.hpp"
#include "vm/process/pipe_reader.hpp"
#include "vm/process/start.hpp"

namespace nasvm::abi {
namespace {

using Clock = std::chrono::steady_clock;

/// What the program's own children still hold open does not keep the task.
constexpr std::chrono::milliseconds rest_patience{200};
constexpr std::size_t longest_searched = 16384;  ///< of a line

constexpr std::string_view loader_path = "LD_LIBRARY_PATH=";

std::string_view name_in(std::string_view variable) { return variable.substr(0, variable.find('=') + 1); }

int status_for_shell(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int end_like(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    ::signal(WTERMSIG(wait_status), SIG_DFL);
    ::raise(WTERMSIG(wait_status));
  }
  return status_for_shell(wait_status);
}

/// The program while it runs.
class RunningProgram {
 public:
  RunningProgram(const ProgramOrder& order, const Task::Invitation& invitation)
      : order_(order), streams_(order.streams, invitation.rank, order.tags_output) {
    if (!order.expected.empty()) expected_.emplace(order.expected);
    if (!order.times_calls) whereabouts_.leave_calls_untimed();
    start(invitation);
  }

  int run_to_its_end() {
    const net::Fd end = program_.end_descriptor();
    poller_.add(end.get(), EPOLLIN, end_);
    if (streams_.signal_descriptor() >= 0) poller_.add(streams_.signal_descriptor(), EPOLLIN, signals_);
    auto deadline = order_.time.count() > 0 ? Clock::now() + time_left() : Clock::time_point::max();
    while (!program_.ended().has_value()) {
      const auto next = std::min({deadline, output_->pieces.due(), error_->pieces.due()});
      const bool waits = next != Clock::time_point::max();
      (void)poller_.wait(waits ? std::max(next - Clock::now(), Clock::duration(0)) : std::chrono::seconds(-1));
      const auto now = Clock::now();
      output_->pieces.look(now);
      error_->pieces.look(now);
      if (now < deadline) continue;
      streams_.tell(Word::Kind::waits, whereabouts_.text());
      deadline = Clock::time_point::max();
    }
    poller_.remove(end.get(), end_);
    end_signals();
    hear_out();
    return *program_.ended();
  }

  /// What has only followed from another task's end, or from ours, is no status of the program's own.
  void tell_end(int wait_status) const {
    if (refused_) return;
    using Phase = Whereabouts::Phase;
    const Phase phase = whereabouts_.phase();
    if (phase == Phase::before) streams_.tell(Word::Kind::stranger, {});
    if (phase == Phase::running && WIFEXITED(wait_status)) streams_.tell(Word::Kind::early, {});
    if (phase != Phase::abandoned) streams_.tell(Word::Kind::status, std::to_string(status_for_shell(wait_status)));
  }

 private:
  /// Starting tasks takes time, too.
  [[nodiscard]] Clock::duration time_left() const {
    const Clock::duration left = order_.until - std::chrono::system_clock::now();
    return std::clamp(left, Clock::duration(0), Clock::duration(order_.time));
  }

  struct EndWatcher final : net::Watcher {
    void ready(std::uint32_t) override {}
  };
  struct SignalWatcher final : net::Watcher {
    explicit SignalWatcher(RunningProgram& program) : running(program) {}
    void ready(std::uint32_t) override { running.pass_signal_on(); }
    RunningProgram& running;
  };

  /// One of the program's two streams, on its way to the user's.
  struct Output {
    Output(RunningProgram& program, int which, net::Fd pipe)
        : stream(which),
          pieces([this, &program](std::string_view text, bool is_ended) { program.take(*this, text, is_ended); },
                 program.streams_.is_looked_at(which)),
          reader(std::move(pipe), program.poller_, [this](std::string_view bytes) {
            if (bytes.empty()) pieces.hand_over();
            else pieces.take(bytes, Clock::now());
          }) {}

    int stream;  ///< 1 or 2
    process::LinePieces pieces;
    std::string line{};  ///< what is searched of the one that has begun
    process::PipeReader reader;
  };

  void start(const Task::Invitation& invitation) {
    process::Pipe output, error;
    std::vector<std::string> own = launcher_variables(invitation);
    own.insert(own.end(), order_.variables.begin(), order_.variables.end());
    std::vector<int> kept{invitation.socket};
    if (whereabouts_.descriptor() >= 0) {
      own.push_back(whereabouts_.variable());
      kept.push_back(whereabouts_.descriptor());
    }
    program_ = process::start(
        {.program = order_.program,
         .arguments = order_.arguments,
         .environment = with_libraries(process::environment_without({}), std::move(own), library_path()),
         .input_from = streams_.input() ? streams_.input().get() : -1,
         .output = output.write.get(),
         .error = error.write.get(),
         .kept = std::move(kept)});
    // The daemon is to see the program's end of the socket close, and the console that of its input.
    ::close(invitation.socket);
    streams_.close_input();
    output_.emplace(*this, STDOUT_FILENO, std::move(output.read));
    error_.emplace(*this, STDERR_FILENO, std::move(error.read));
  }

  void take(Output& output, std::string_view text, bool is_ended) {
    if (expected_.has_value()) {
      output.line.append(text.substr(0, longest_searched - output.line.size()));
      if (is_ended) search(output);
    }
    print(output.stream, text, is_ended);
  }

  void search(Output& output) {
    const std::string line = std::exchange(output.line, {});
    if (!expected_.has_value() || !std::regex_search(line, *expected_)) return;
    streams_.tell(Word::Kind::expected, {});
    expected_.reset();
  }

  /// Who cannot write is ended, as in a pipe that nobody reads.
  void print(int stream, std::string_view text, bool is_ended) {
    if (refused_) return;
    const int error = streams_.write(stream, text, is_ended);
    if (error == 0) return;
    refused_ = true;
    streams_.tell(Word::Kind::refused, std::strerror(error));
    program_.signal(SIGKILL);
  }

  void pass_signal_on() {
    if (const int number = streams_.read_signal(); number != 0) program_.signal(number);
    else end_signals();
  }

  void end_signals() {
    if (streams_.signal_descriptor() < 0 || signals_ended_) return;
    poller_.remove(streams_.signal_descriptor(), signals_);
    signals_ended_ = true;
  }

  void hear_out() {
    const auto deadline = Clock::now() + rest_patience;
    while (!(output_->reader.at_end() && error_->reader.at_end()) && Clock::now() < deadline) {
      (void)poller_.wait(rest_patience);
    }
    for (Output* output : {&*output_, &*error_}) {
      output->pieces.hand_over();
      if (!output->line.empty()) search(*output);
    }
  }

  const ProgramOrder& order_;
  StreamGuest streams_;
  std::optional<std::regex> expected_;
  WhereaboutsMemory whereabouts_;
  net::Poller poller_;
  EndWatcher end_;
  SignalWatcher signals_{*this};
  bool signals_ended_ = false;
  bool refused_ = false;
  process::Child program_;
  std::optional<Output> output_, error_;
};

}  // namespace

std::string why_no_expression(const std::string& text) try {
  (void)std::regex(text);
  return "";
} catch (const std::regex_error& error) {
  return error.what();
}

std::vector<std::string> launcher_variables(const Task::Invitation& invitation) {
  const std::string size = std::to_string(invitation.size);
  // Open MPI's node rank counts other programs of the same launcher, too: here there are none.
  const std::string rank_here = std::to_string(invitation.rank_here);
  return {"OMPI_COMM_WORLD_RANK=" + std::to_string(invitation.rank),
          "OMPI_COMM_WORLD_SIZE=" + size,
          "OMPI_UNIVERSE_SIZE=" + size,
          "OMPI_COMM_WORLD_LOCAL_RANK=" + rank_here,
          "OMPI_COMM_WORLD_NODE_RANK=" + rank_here,
          "OMPI_COMM_WORLD_LOCAL_SIZE=" + std::to_string(invitation.size_here)};
}

std::vector<std::string> with_libraries(std::vector<std::string> all, std::vector<std::string> own,
                                        const std::string& folder) {
  std::erase_if(all, [&](const std::string& variable) {
    return std::ranges::any_of(own, [&](const std::string& one) { return name_in(one) == name_in(variable); });
  });
  all.insert(all.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  const auto path = std::ranges::find(all, loader_path, [](const std::string& one) { return name_in(one); });
  if (path == all.end()) {
    all.push_back(std::string(loader_path) + folder);
  } else {
    const std::string before = path->substr(loader_path.size());
    *path = std::string(loader_path) + folder + (before.empty() ? "" : ":" + before);
  }
  return all;
}

int run_program_task(const ProgramOrder& order, const Task::Invitation& invitation) {
  if (!order.folder.empty() && ::chdir(order.folder.c_str()) != 0) {
    throw RunError("cannot go to the folder " + order.folder + " on this host: " + std::strerror(errno));
  }
  ::signal(SIGPIPE, SIG_IGN);  // whoever reads the output may end before
  RunningProgram program(order, invitation);
  const int wait_status = program.run_to_its_end();
  program.tell_end(wait_status);
  return end_like(wait_status);
}

}  // namespace nasvm::abi
