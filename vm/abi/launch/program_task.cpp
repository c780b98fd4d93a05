#include "vm/abi/launch/program_task.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "vm/abi/launch/program_file.hpp"
#include "vm/abi/launch/streams.hpp"
#include "vm/net/poller.hpp"
#include "vm/process/environment.hpp"
#include "vm/process/line_reader.hpp"
#include "vm/process/pipe.hpp"
#include "vm/process/start.hpp"

namespace nasvm::abi {
namespace {

/// What the program's own children still hold open does not keep the task.
constexpr std::chrono::milliseconds rest_patience{200};

/// Writes whole lines to a stream of the user's: one write for each, so that lines of tasks do not mix.
class LineWriter {
 public:
  LineWriter(int descriptor, std::string tag) : descriptor_(descriptor), tag_(std::move(tag)) {}
  void operator()(const std::string& line) const {
    const std::string text = tag_ + line + "\n";
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t count = ::write(descriptor_, text.data() + done, text.size() - done);
      if (count <= 0 && errno != EINTR) return;  // nobody reads it any more
      if (count > 0) done += static_cast<std::size_t>(count);
    }
  }

 private:
  int descriptor_;
  std::string tag_;
};

/// This process's variables with the order's, and with our libraries before all others.
std::vector<std::string> environment_of(const ProgramOrder& order, const Task::Invitation& invitation) {
  std::vector<std::string> own = launcher_variables(invitation.rank, invitation.size);
  own.insert(own.end(), order.variables.begin(), order.variables.end());
  const char* before = std::getenv("LD_LIBRARY_PATH");
  std::string path = "LD_LIBRARY_PATH=" + library_folder();
  for (const std::string& variable : order.variables) {
    if (variable.starts_with("LD_LIBRARY_PATH=")) before = variable.c_str() + sizeof "LD_LIBRARY_PATH=" - 1;
  }
  if (before != nullptr && *before != '\0') path += std::string(":") + before;
  std::vector<std::string> all;
  const auto is_replaced = [&](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    if (name == "LD_LIBRARY_PATH=") return true;
    return std::ranges::any_of(own, [&](const std::string& one) { return one.starts_with(name); });
  };
  for (std::string& variable : process::environment_without({})) {
    if (!is_replaced(variable)) all.push_back(std::move(variable));
  }
  std::erase_if(own, [](const std::string& one) { return one.starts_with("LD_LIBRARY_PATH="); });
  all.insert(all.end(), own.begin(), own.end());
  all.push_back(std::move(path));
  return all;
}

int end_like(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return WEXITSTATUS(wait_status);
  ::signal(WTERMSIG(wait_status), SIG_DFL);
  ::raise(WTERMSIG(wait_status));
  return 128 + WTERMSIG(wait_status);
}

}  // namespace

std::vector<std::string> launcher_variables(int rank, int size) {
  const std::string own = std::to_string(rank);
  const std::string all = std::to_string(size);
  return {"OMPI_COMM_WORLD_RANK=" + own,       "OMPI_COMM_WORLD_SIZE=" + all,
          "OMPI_COMM_WORLD_LOCAL_RANK=" + own, "OMPI_COMM_WORLD_LOCAL_SIZE=" + all,
          "OMPI_COMM_WORLD_NODE_RANK=" + own,  "OMPI_UNIVERSE_SIZE=" + all};
}

int run_program_task(const ProgramOrder& order, const Task::Invitation& invitation) {
  if (!order.folder.empty() && ::chdir(order.folder.c_str()) != 0) {
    throw RunError("cannot go to the folder " + order.folder + " on this host");
  }
  const StreamGuest streams(order.streams, invitation.rank);
  const auto descriptor = [&](int stream) { return streams.stream(stream) ? streams.stream(stream).get() : stream; };
  const std::string tag = order.tags_output ? "[" + std::to_string(invitation.rank) + "] " : "";
  process::Pipe output, error;
  process::Child program = process::start({.program = order.program,
                                           .arguments = order.arguments,
                                           .environment = environment_of(order, invitation),
                                           .input_from = streams.stream(0) ? streams.stream(0).get() : -1,
                                           .output = output.write.get(),
                                           .error = error.write.get(),
                                           .kept = {invitation.socket}});
  // The daemon is to see the program's end of the socket close, and nobody writes to the pipes but the program.
  ::close(invitation.socket);
  output.write.reset();
  error.write.reset();
  net::Poller poller;
  process::LineReader lines(std::move(output.read), poller, LineWriter(descriptor(STDOUT_FILENO), tag));
  process::LineReader complaints(std::move(error.read), poller, LineWriter(descriptor(STDERR_FILENO), tag));
  const net::Fd end = program.end_descriptor();
  struct Nothing final : net::Watcher {
    void ready(std::uint32_t) override {}
  } nothing;
  poller.add(end.get(), EPOLLIN, nothing);
  while (!program.ended().has_value()) (void)poller.wait(std::chrono::nanoseconds(-1));
  poller.remove(end.get(), nothing);
  const auto deadline = std::chrono::steady_clock::now() + rest_patience;
  while (!(lines.at_end() && complaints.at_end()) && std::chrono::steady_clock::now() < deadline) {
    (void)poller.wait(rest_patience);
  }
  const int status = *program.ended();
  streams.tell_status(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  return end_like(status);
}

}  // namespace nasvm::abi
