#include "vm/abi/mpi/process.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "vm/abi/mpi/call.hpp"
#include "vm/abi/mpi/errors.hpp"
#include "vm/abi/mpi/report.hpp"
#include "vm/abi/mpi/request.hpp"
#include "vm/engine/engine.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::mpi {

Process& process() {
  static Process& here = *new Process;  // outlives everything: what ends late may still ask
  return here;
}

/// A program that nobody has launched: one task, whose messages all go to itself.
struct Process::Alone {
  Alone() : engine(poller, {}) { engine.meet({Member{Tid::task(1, 1), "", {}}}, 0); }
  net::Poller poller;
  Engine engine;
};

namespace {

std::string own_host() {
  std::array<char, max_processor_name> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

void join_whereabouts() {
  std::vector<std::string> names;
  for (const FunctionFacts& function : function_facts) names.push_back("MPI_" + std::string(function.name));
  abi::join_whereabouts(names);
}

/// A program that ends while the library runs has forgotten MPI_Finalize; its siblings would wait for it.
void note_exit(int status, void*) {
  if (process().phase() != Process::Phase::running) return;
  process().leave_early("has ended with status " + std::to_string(status) + " without MPI_Finalize");
}

}  // namespace

bool Process::Buffer::has_room_for(std::size_t more) const {
  for (const Request* request : process().orphans) more += request->buffered_bytes;
  return more <= bytes;
}

std::string Process::host_of(Rank rank) const { return task_ ? task_->host(rank) : own_host(); }

void Process::begin(ThreadLevel level) {
  join_whereabouts();
  level_ = level;
  if (Task::in_environment()) {
    task_ = std::make_unique<Task>();
    progress_ = std::make_unique<Progress>(task_->endpoint());
  } else {
    alone_ = std::make_unique<Alone>();
    progress_ = std::make_unique<Progress>(alone_->engine);
  }
  auto world = std::make_unique<Comm>(*progress_);
  auto self = world->with_context(world->free_context(), {world->rank()}, 0);
  world_ = new Communicator(std::move(world), nullptr, 1);
  self_ = new Communicator(std::move(self), nullptr, 2);
  world_->name = "MPI_COMM_WORLD";
  self_->name = "MPI_COMM_SELF";
  ::on_exit(note_exit, nullptr);
  abi::whereabouts().phase = abi::Whereabouts::Phase::running;
  phase_ = Phase::running;
  region_.begin(world_->messages->counters(), statistics, ticks_now());
}

void Process::end() {
  abi::whereabouts().enter(static_cast<std::uint32_t>(Function::Finalize));
  drop_attributes(*self_, self_->attributes);
  sweep_orphans(true);
  if (task_) {
    const Measured measured = region_.end(world_->messages->counters(), statistics, ticks_now());
    task_->report(report_of(*world_->messages, measured, host_of(world_->rank())));
    task_->finish();
  }
  phase_ = Phase::after;
  abi::whereabouts().phase = abi::Whereabouts::Phase::after;
  task_.reset();
}

void Process::control(int level) {
  if (phase_ == Phase::running) region_.control(level, world_->messages->counters(), statistics, ticks_now());
}

void Process::leave_early(const std::string& text) noexcept {
  phase_ = Phase::after;
  if (task_) task_->fail(Exit::broken, text);
}

void Process::abort(int code, const std::string& text) {
  std::fflush(nullptr);
  if (task_) task_->fail(Exit::broken, text);
  else std::fprintf(stderr, "nasvm: %s\n", text.c_str());
  phase_ = Phase::after;
  ::_exit(code);
}

void Process::abandon(Exit exit_status, const std::string& text) {
  abi::whereabouts().phase = abi::Whereabouts::Phase::abandoned;
  std::fflush(nullptr);
  if (task_) task_->fail(exit_status, text);
  else std::fprintf(stderr, "nasvm: %s\n", text.c_str());
  phase_ = Phase::after;
  ::_exit(static_cast<int>(exit_status));
}

// --- calls
// ----------------------------------------------------------------------------------------------------------

namespace {

std::string full_name(Function function) { return "MPI_" + std::string(name_of(function)); }

[[noreturn]] void end_with(const std::string& text) {
  std::fflush(nullptr);
  std::fprintf(stderr, "nasvm: %s\n", text.c_str());
  ::_exit(static_cast<int>(Exit::broken));
}

/// Of the library's own errors: its code. Others end the program.
Failure current_failure(Function function) {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure;
  } catch (const std::bad_alloc&) {
    return {err_no_mem, nullptr};
  } catch (...) {
    const auto [exit_status, text] = current_complaint();
    process().abandon(exit_status, full_name(function) + ": " + text);
  }
}

std::string text_of(int code) {
  try {
    return error_text(code);
  } catch (const Failure&) {
    return "error code " + std::to_string(code);
  }
}

}  // namespace

namespace detail {

void complain_of_phase(Function function) {
  const bool before = process().phase() == Process::Phase::before;
  end_with(full_name(function) + " was called " + (before ? "before MPI_Init" : "after MPI_Finalize"));
}

int handle_failure(Function function, Communicator* comm) {
  const Failure failure = current_failure(function);
  Communicator& hears = failure.comm != nullptr ? *failure.comm : comm != nullptr ? *comm : process().world();
  int code = failure.code;
  const Ref<ErrorHandler> handler = hears.handler;
  if (handler->function.function != nullptr) {
    seam::call_error_handler(handler->function, hears, code);
    return code;
  }
  const int number = number_in(handler->word);
  if (number == errors_return) return code;
  const std::string where = hears.name.empty() ? "" : " on " + hears.name;
  process().abort(code, full_name(function) + where + ": " + text_of(code));
}

}  // namespace detail

void complain_of_missing(const char* function) {
  const std::string text = std::string(function) + " is not implemented (docs/mpi.md says what is)";
  if (process().phase() == Process::Phase::running) process().abandon(Exit::broken, text);
  end_with(text);
}

void begin_program(ThreadLevel level) {
  if (process().phase() != Process::Phase::before) end_with("MPI_Init was called twice");
  try {
    process().begin(level);
  } catch (...) {
    // The console knows already where there is one.
    const auto [exit_status, text] = current_complaint();
    if (!Task::in_environment()) end_with("MPI_Init: " + text);
    ::_exit(static_cast<int>(exit_status));
  }
}

void end_program() {
  if (process().phase() != Process::Phase::running) detail::complain_of_phase(Function::Finalize);
  try {
    process().end();
  } catch (...) {
    const auto [exit_status, text] = current_complaint();
    process().abandon(exit_status, "MPI_Finalize: " + text);
  }
}

}  // namespace nasvm::mpi
