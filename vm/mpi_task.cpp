#include "vm/mpi_task.hpp"

#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "vm/launch/mpirun_protocol.hpp"
#include "vm/status.hpp"
#include "vm/transport/mpi/mpi_endpoint.hpp"

namespace nasvm {
namespace {

using Json = nlohmann::json;

constexpr Tag report_tag = 1;

Json read_order() {
  const char* text = std::getenv(mpirun::order_variable);
  if (text == nullptr) {
    throw UsageError(std::string("not started for a run (") + mpirun::order_variable +
                     " is not set): nasvm run --transport mpi starts it");
  }
  return Json::parse(text);
}

/// The whole line at once where the system permits, so that lines of several tasks do not mix.
void write_line(int descriptor, const Json& content) {
  const std::string line =
      std::string(mpirun::line_prefix) + content.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
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

/// MPI from its initialization to its end.
class Session {
 public:
  Session() {
    int level = 0;
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level), "MPI_Init_thread");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ~Session() {
    // After an error the others may never come to an orderly end.
    if (finished) MPI_Finalize();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool finished = false;
};

}  // namespace

struct MpiTask::Parts {
  Parts() : order(read_order()), endpoint(order.at("native_collectives").get<bool>()), comm(endpoint) {}

  Json order;
  Session session;
  MpiEndpoint endpoint;
  Comm comm;
  std::string setup;
  std::string host = host_name();
  std::string text;  ///< reported so far
};

MpiTask::MpiTask() : parts_(std::make_unique<Parts>()) {
  parts_->setup = parts_->order.at("setup").get<std::string>();
  write_line(STDERR_FILENO, {{"rank", parts_->comm.rank()}, {"pid", ::getpid()}, {"host", parts_->host}});
}

MpiTask::~MpiTask() = default;

Comm& MpiTask::comm() { return parts_->comm; }
const std::string& MpiTask::setup() const { return parts_->setup; }
const std::string& MpiTask::host() const { return parts_->host; }
void MpiTask::report(std::string_view text) { parts_->text += text; }

void MpiTask::finish() {
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
  parts_->session.finished = true;
}

int run_mpi_task(void (*body)(MpiTask&)) {
  // Whatever becomes of mpirun, its tasks go with it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::optional<MpiTask> task;
  const auto leave = [&](Exit exit_status, const std::string& text) {
    const int code = static_cast<int>(exit_status);
    const Rank rank = task.has_value() ? task->comm().rank() : -1;
    write_line(STDERR_FILENO, {{"rank", rank}, {"exit", code}, {"text", text}});
    if (task.has_value()) MPI_Abort(MPI_COMM_WORLD, code);
    return code;
  };
  try {
    task.emplace();
    body(*task);
    task->finish();
    task.reset();
    return static_cast<int>(Exit::ok);
  } catch (const Error& error) {
    return leave(error.exit_status(), error.what());
  } catch (const std::bad_alloc&) {
    return leave(Exit::broken, "out of memory");
  } catch (const std::exception& error) {
    return leave(Exit::broken, error.what());
  }
}

}  // namespace nasvm
