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
#include "vm/abi/whereabouts/place.hpp"
#include "vm/engine/engine.hpp"
#include "vm/net/poller.hpp"
#include "vm/too_short.hpp"

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

/// This process cannot be the task: the machine has heard nothing of it, and cannot tell.
class NotTheTask : public RunError {
 public:
  using RunError::RunError;
};

void take_place_of_task() {
  const std::string reason = abi::take_place_of_task(Task::in_environment());
  if (!reason.empty()) throw NotTheTask(reason);
}

[[gnu::constructor]] void let_lines_leave() { abi::let_lines_leave(Task::in_environment()); }

/// A shell has the last eight bits of a code: a failure where those alone are 0.
int exit_status_of(int code) { return code != 0 && (code & 0xff) == 0 ? static_cast<int>(Exit::failed) : code; }

void note_exit(int status, void*) { process().exit(status); }

}  // namespace

std::string Process::host_of(Rank rank) const { return task_ ? task_->host(rank) : own_host(); }

void Process::begin(ThreadLevel level) {
  if (phase_ == Phase::running) {
    level_ = std::max(level_, level);
    return;
  }
  join_whereabouts();
  level_ = level;
  if (Task::descends_from_daemon()) {
    take_place_of_task();
    task_ = std::make_unique<Task>();
    progress_ = std::make_unique<Progress>(task_->endpoint());
  } else {
    alone_ = std::make_unique<Alone>();
    progress_ = std::make_unique<Progress>(alone_->engine);
  }
  auto world = std::make_unique<Comm>(*progress_);
  progress_->keep_apart_collectives_of(*world);
  if (!abi::whereabouts().times_calls) world->leave_calls_untimed();
  auto self = world->with_context(world->free_context(), {world->rank()}, 0);
  world_ = new Communicator(std::move(world), nullptr, 1);
  self_ = new Communicator(std::move(self), nullptr, 2);
  world_->name = "MPI_COMM_WORLD";
  self_->name = "MPI_COMM_SELF";
  ::on_exit(note_exit, nullptr);
  pid_ = ::getpid();
  main_thread_ = std::this_thread::get_id();
  abi::whereabouts().phase = abi::Whereabouts::Phase::running;
  phase_ = Phase::running;
  region_.begin(world_->messages->counters(), statistics, ticks_now());
}

void Process::begin_world(ThreadLevel level) {
  begin(level);
  main_thread_ = std::this_thread::get_id();
  has_begun_world_ = true;
}

void Process::begin_session(ThreadLevel level) {
  begin(level);
  has_had_sessions_ = true;
  ++sessions_;
}

void Process::end_world() {
  abi::whereabouts().enter(static_cast<std::uint32_t>(Function::Finalize));
  drop_attributes(*self_, self_->attributes);
  sweep_orphans(true);
  has_ended_world_ = true;
  ended_at_ = ticks_now();
  if (!has_had_sessions_) end();
}

void Process::end_session() {
  --sessions_;
  ended_at_ = ticks_now();
}

/// A program that ends while it uses the library has forgotten MPI_Finalize; its siblings would wait for it.
void Process::exit(int status) noexcept {
  if (phase_ != Phase::running) return;
  if (::getpid() != pid_) return;  // a child that the program has forked, and that is no task
  const bool in_world = has_begun_world_ && !has_ended_world_;
  if (in_world || sessions_ > 0) {
    const std::string missing = in_world ? "MPI_Finalize" : "MPI_Session_finalize";
    return leave_early("has ended with status " + std::to_string(status) + " without " + missing);
  }
  try {
    sweep_orphans(true);
    end();
  } catch (...) {
    const auto [exit_status, text] = current_complaint();
    abandon(exit_status, "end of the program: " + text);
  }
}

void Process::end() {
  if (task_) {
    const Measured measured = region_.end(world_->messages->counters(), statistics, ended_at_);
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
  ::_exit(exit_status_of(code));
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
    return {err_no_mem, nullptr, nullptr, {}, success};
  } catch (const TooShort& error) {
    // Of a collective, whose counts differ between tasks: all other receives may truncate. What is left of it would
    // be taken for messages of the next one.
    process().abandon(error.exit_status(), full_name(function) + ": MPI_ERR_TRUNCATE: " + error.collective_text());
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

namespace {

/// Hands an error to a handler, as one of a communicator or a session.
template <typename Holder>
int hand_over(const Failure& failure, Function function, Holder& hears, const Ref<ErrorHandler>& handler) {
  int code = failure.code;
  if (handler->function.function != nullptr) {
    seam::call_error_handler(handler->function, hears, code);
    return code;
  }
  const int number = number_in(handler->word);
  if (number == errors_return) return code;
  // An invalid communicator is none, and the handler another one's.
  const std::string where = hears.name.empty() || code == err_comm ? "" : " on " + hears.name;
  const int told = failure.cause != success ? failure.cause : code;  // nobody reads a status any more
  process().abort(told, full_name(function) + where + ": " + text_of(told));
}

}  // namespace

int handle_failure(Function function, Concerned concerned) {
  const Failure failure = current_failure(function);
  ErrorHandler* const given = failure.handler;
  Session* const session = concerned.session;
  if (failure.comm == nullptr && given == nullptr && session != nullptr) {
    return hand_over(failure, function, *session, session->handler);
  }
  Communicator* const named = failure.comm != nullptr ? failure.comm : concerned.comm;
  Communicator& hears = named != nullptr ? *named : errors_go_to_self ? process().self() : process().world();
  return hand_over(failure, function, hears, given != nullptr ? Ref<ErrorHandler>(given) : hears.handler);
}

int end_after_failure(Function function) {
  const Failure failure = current_failure(function);
  if (failure.handler != nullptr && number_in(failure.handler->word) == errors_return) return failure.code;
  end_with(full_name(function) + ": " + text_of(failure.code));
}

}  // namespace detail

void complain_of_missing(const char* function) {
  const std::string text = std::string(function) + " is not implemented (docs/mpi.md says what is)";
  if (process().phase() == Process::Phase::running) process().abandon(Exit::broken, text);
  end_with(text);
}

namespace {

void begin(Function function, ThreadLevel level, void (Process::*how)(ThreadLevel)) {
  if (process().phase() == Process::Phase::after) detail::complain_of_phase(function);
  try {
    (process().*how)(level);
  } catch (const NotTheTask& error) {
    end_with(full_name(function) + ": " + error.what());
  } catch (...) {
    // The console knows already where there is one.
    const auto [exit_status, text] = current_complaint();
    if (!Task::descends_from_daemon()) end_with(full_name(function) + ": " + text);
    ::_exit(static_cast<int>(exit_status));
  }
  seam::communicators_have_come();
  if (process().thread_level() == thread_multiple) turns().begin();
}

}  // namespace

void begin_program(ThreadLevel level) {
  if (process().has_begun_world()) end_with("MPI_Init was called twice");
  begin(Function::Init, level, &Process::begin_world);
}

void end_program() {
  if (!process().has_begun_world()) end_with("MPI_Finalize was called before MPI_Init");
  if (process().has_ended_world()) end_with("MPI_Finalize was called after MPI_Finalize");
  try {
    process().end_world();
  } catch (...) {
    const auto [exit_status, text] = current_complaint();
    process().abandon(exit_status, "MPI_Finalize: " + text);
  }
}

void begin_session(ThreadLevel level) { begin(Function::Session_init, level, &Process::begin_session); }
void end_session() { process().end_session(); }

}  // namespace nasvm::mpi
