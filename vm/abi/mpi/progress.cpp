#include "vm/abi/mpi/progress.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>

#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/stack_switch.hpp"
#include "vm/abi/mpi/turns.hpp"
#include "vm/abi/whereabouts/whereabouts.hpp"
#include "vm/status.hpp"

namespace nasvm::mpi {
namespace {

constexpr std::size_t guard_bytes = 4096;
/// Collectives' own tags lie below.
constexpr unsigned tags_of_a_job = 16;
constexpr unsigned job_numbers = 1U << 26;
static_assert((job_numbers + 1) * tags_of_a_job <= static_cast<unsigned>(Comm::first_hidden_tag));

/// Room for an algorithm, and for a program's own operation that it calls: as much as the program's own stack may
/// take, as its operations run on that one elsewhere, within bounds. Only what is touched takes memory.
std::size_t stack_bytes() {
  static const std::size_t bytes = [] {
    constexpr rlim_t least = 512 * 1024, most = 8 * 1024 * 1024;
    rlimit limit{least, least};
    ::getrlimit(RLIMIT_STACK, &limit);
    return std::clamp(limit.rlim_cur, least, most);
  }();
  return bytes;
}

std::byte* make_stack() {
  void* memory =
      ::mmap(nullptr, stack_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::madvise(memory, stack_bytes(), MADV_NOHUGEPAGE);  // most jobs touch a few pages of it
  ::mprotect(memory, guard_bytes, PROT_NONE);         // an overflow is a fault, not a riddle
  return static_cast<std::byte*>(memory);
}

bool any_complete(std::span<Operation* const> operations) {
  return std::ranges::any_of(operations, [](const Operation* one) { return one != nullptr && one->complete; });
}

}  // namespace

class Progress::Job {
 public:
  std::function<void()> body;
  Tag first_tag = 0;
  bool done = false;
  std::exception_ptr error;
  std::vector<Operation*> awaited;
  const Comm::Collective* collectives = nullptr;  ///< in which it is
  std::byte* stack = nullptr;
  ucontext_t own{};
  ucontext_t resumer{};
  StackSwitch stacks;
};

Progress::Progress(Endpoint& base) : base_(base) {}

Progress::~Progress() {
  for (std::byte* stack : stacks_) ::munmap(stack, stack_bytes());
}

std::span<std::byte> Progress::board(Rank reader, std::size_t bytes, int readers) {
  // Another thread's broadcast may be on it.
  return turns().shared() ? std::span<std::byte>() : base_.board(reader, bytes, readers);
}

bool Progress::is_done(const Job& job) { return job.done; }

void Progress::check(const Job& job) {
  if (job.error) std::rethrow_exception(job.error);
}

/// The first function on a job's stack. makecontext passes integers alone.
void Progress::enter(unsigned high, unsigned low) {
  auto* job = reinterpret_cast<Job*>(static_cast<std::uintptr_t>(high) << 32 | low);
  job->stacks.has_entered();
  try {
    job->body();
  } catch (...) {
    job->error = std::current_exception();
  }
  job->done = true;
  job->stacks.leave(true);
  ::setcontext(&job->resumer);
}

std::shared_ptr<Progress::Job> Progress::begin(std::function<void()> body, unsigned number) {
  auto job = std::make_shared<Job>();
  job->body = std::move(body);
  if (number != ~0U) job->first_tag = static_cast<Tag>((number % job_numbers + 1) * tags_of_a_job);
  if (stacks_.empty()) stacks_.push_back(make_stack());
  job->stack = stacks_.back();
  stacks_.pop_back();
  ::getcontext(&job->own);
  job->own.uc_stack.ss_sp = job->stack;
  job->own.uc_stack.ss_size = stack_bytes();
  job->own.uc_link = nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(job.get());
  ::makecontext(&job->own, reinterpret_cast<void (*)()>(&Progress::enter), 2, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address));
  jobs_.push_back(job);
  resume(*job);
  if (job->done) std::erase(jobs_, job);
  return job;
}

void Progress::resume(Job& job) {
  running_ = &job;
  const Comm::Collective* resumers = comm_->change_turn(job.collectives);
  job.stacks.enter(job.stack, stack_bytes());
  ::swapcontext(&job.resumer, &job.own);
  job.stacks.has_returned();
  job.collectives = comm_->change_turn(resumers);
  running_ = nullptr;
  if (!job.done) return;
  stacks_.push_back(job.stack);
  job.body = nullptr;
}

void Progress::run_ready() {
  for (std::size_t i = 0; i < jobs_.size();) {
    const std::shared_ptr<Job> job = jobs_[i];
    while (!job->done && any_complete(job->awaited)) resume(*job);
    if (job->done) {
      std::erase(jobs_, job);
    } else {
      ++i;
    }
  }
}

void Progress::wait_some(std::span<Operation* const> operations) {
  if (turns().shared()) {
    // What completes here another thread may have taken away by then: the caller looks.
    if (!any_complete(operations)) look_and_let_in(0);
    return;
  }
  std::vector<Operation*> all(operations.begin(), operations.end());
  for (const auto& job : jobs_) all.insert(all.end(), job->awaited.begin(), job->awaited.end());
  if (!any_complete(all)) {
    // A job may have been looked for long ago, and wait alone.
    if (all.size() == 1 && all[0] != nullptr) base_.look_for(*all[0]);
    block(all);
  }
  run_ready();
}

/// For whom is there to be seen from outside meanwhile.
void Progress::block(std::span<Operation* const> operations) {
  const Operation* first = nullptr;
  std::uint32_t others = 0;
  for (const Operation* one : operations) {
    if (one == nullptr || one->complete) continue;
    others += first != nullptr ? 1 : 0;
    if (first == nullptr) first = one;
  }
  abi::Whereabouts& seen = abi::whereabouts();
  if (first != nullptr) seen.wait_for(first->peer, others, first->kind == Operation::Kind::send);
  base_.wait_any(operations);
  seen.go_on();
}

void Progress::look_and_let_in(unsigned rounds) {
  base_.progress();
  run_ready();
  let_others_in(rounds);
}

void Progress::let_others_in(unsigned rounds) {
  // Whoever comes next is in another function, and not in this one's collectives.
  Statistics& statistics = process().statistics;
  const Function own = statistics.running;
  const Comm::Collective* collectives = comm_->change_turn(nullptr);
  turns().let_others_in(rounds);
  comm_->change_turn(collectives);
  statistics.running = own;
}

void Progress::wait_in_turns(std::span<Operation* const> operations) {
  for (unsigned rounds = 0; !any_complete(operations); ++rounds) look_and_let_in(rounds);
}

// --- Endpoint
// -------------------------------------------------------------------------------------------------------

void Progress::start(Operation& operation) {
  if (running_ != nullptr) operation.tag += running_->first_tag;
  base_.start(operation);
}

void Progress::progress() {
  base_.progress();
  if (running_ == nullptr && !jobs_.empty()) run_ready();
}

void Progress::wait_any(std::span<Operation* const> operations) {
  if (running_ != nullptr) {
    if (any_complete(operations)) return;
    running_->awaited.assign(operations.begin(), operations.end());
    Job& job = *running_;
    job.stacks.leave(false);
    ::swapcontext(&job.own, &job.resumer);
    job.stacks.has_entered();
    job.awaited.clear();
    return;
  }
  if (turns().shared()) return wait_in_turns(operations);
  if (jobs_.empty()) return block(operations);
  while (!any_complete(operations)) {
    if (jobs_.empty()) return block(operations);
    wait_some(operations);
  }
}

/// Never in a job: those are of Comms in the background, which share no memory.
void Progress::wait_for_memory(std::span<const Rank> writers, const std::function<bool()>& done) {
  if (turns().shared()) {
    for (unsigned rounds = 0; !done(); ++rounds) look_and_let_in(rounds);
    return;
  }
  abi::Whereabouts& seen = abi::whereabouts();
  const Rank other = writers.front() != rank() ? writers.front() : writers.back();
  seen.wait_for(other, static_cast<std::uint32_t>(writers.size() - 2), false);
  const auto may_resume = [](const std::shared_ptr<Job>& job) { return any_complete(job->awaited); };
  while (!done()) {
    base_.wait_for_memory(writers, [&] { return done() || std::ranges::any_of(jobs_, may_resume); });
    run_ready();
  }
  seen.go_on();
}

bool Progress::probe(Rank source, Tag tag, Context context, Status& found, bool block) {
  if (block && turns().shared()) {
    for (unsigned rounds = 0; !base_.probe(source, tag, context, found, false); ++rounds) look_and_let_in(rounds);
    return true;
  }
  if (!block || jobs_.empty()) {
    if (block) abi::whereabouts().wait_for(source, 0, false);
    const bool is_there = base_.probe(source, tag, context, found, block);
    if (block) abi::whereabouts().go_on();
    if (!is_there && !jobs_.empty() && running_ == nullptr) run_ready();
    return is_there;
  }
  // No operation stands for a message that nobody has asked for, so jobs and it are looked at in turn.
  while (!base_.probe(source, tag, context, found, false)) {
    run_ready();
    if (jobs_.empty()) return base_.probe(source, tag, context, found, true);
    ::sched_yield();
  }
  return true;
}

}  // namespace nasvm::mpi
