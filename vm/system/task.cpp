#include "vm/system/task.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "vm/cores.hpp"
#include "vm/status.hpp"
#include "vm/system/protocol.hpp"
#include "vm/write_all.hpp"

namespace nasvm {
namespace {

using namespace system_protocol;

constexpr Tag report_tag = 1;

/// At once where the system permits, so that lines of several tasks do not mix.
void write_line(int descriptor, const std::string& line) {
  (void)write_all(descriptor, line);  // or nobody reads any more
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

struct SystemTask::Parts {
  Parts(Join join, const Order& order)
      : system(join({order.parameters, order.rank, order.size, order.hosts})),
        comm(system->endpoint()),
        setup(order.setup) {
    const int cores = order.own_cores;
    if (cores > 0) own_cores = OwnCores::claim(comm.rank() * cores, cores);
  }

  std::unique_ptr<MessageSystem> system;
  Comm comm;
  std::string setup;
  std::string host = host_name();
  OwnCores own_cores;
  std::string text;  ///< reported so far
};

SystemTask::SystemTask(Join join) : parts_(std::make_unique<Parts>(join, own_order())) {
  write_line(STDERR_FILENO, to_line(Joined{parts_->comm.rank(), ::getpid(), parts_->host}));
}

SystemTask::~SystemTask() = default;

Comm& SystemTask::comm() { return parts_->comm; }
const std::string& SystemTask::setup() const { return parts_->setup; }
const std::string& SystemTask::host() const { return parts_->host; }
std::unique_ptr<SharedFile> SystemTask::open_shared(const std::string& path, SharedFile::Access access) {
  return parts_->system->open_shared(path, access);
}
void SystemTask::report(std::string_view text) { parts_->text += text; }
void SystemTask::abandon(int exit_status) { parts_->system->abandon(exit_status); }

void SystemTask::finish() {
  Comm& comm = parts_->comm;
  if (comm.rank() != 0) {
    comm.send(parts_->text, 0, report_tag);
  } else {
    std::vector<std::string> texts{parts_->text};
    for (Rank from = 1; from < comm.size(); ++from) {
      std::string text(comm.probe(from, report_tag).bytes, ' ');
      comm.recv(text, from, report_tag);
      texts.push_back(std::move(text));
    }
    write_line(STDOUT_FILENO, to_line(texts));
  }
  comm.barrier();
  parts_->system->finish();
}

int run_system_task(SystemTask::Join join, void (*body)(SystemTask&)) {
  // Whatever becomes of its parent, a task goes with it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Rank rank = any_source;
  std::optional<SystemTask> task;
  try {
    rank = own_order().rank;
    task.emplace(join);
    rank = task->comm().rank();
    body(*task);
    task->finish();
    task.reset();
    return static_cast<int>(Exit::ok);
  } catch (const std::exception&) {
    const auto [exit_status, text] = current_complaint();
    const int code = static_cast<int>(exit_status);
    write_line(STDERR_FILENO, to_line(GaveUp{rank, exit_status, text}));
    if (task.has_value()) task->abandon(code);
    return code;
  }
}

}  // namespace nasvm
