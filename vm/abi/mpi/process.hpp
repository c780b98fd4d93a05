#pragma once
/// \file
/// The library as this process has it, between MPI_Init and MPI_Finalize: its task, its progress, its world.

#include <sys/types.h>

#include <memory>
#include <thread>
#include <vector>

#include "vm/abi/mpi/buffer.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/progress.hpp"
#include "vm/abi/mpi/region.hpp"
#include "vm/abi/mpi/statistics.hpp"
#include "vm/task.hpp"

namespace nasvm::mpi {

struct Request;

class Process {
 public:
  enum class Phase : std::uint8_t { before, running, after };

  /// MPI_Init or a session begins to use the library. The first joins the machine, or is one task without one, and
  /// blocks until all tasks have come. A later one may raise the level of threads. Throws Error.
  void begin_world(ThreadLevel level);
  void begin_session(ThreadLevel level);
  /// And ends. MPI_Finalize waits for all tasks, reports and leaves; in a program that has had sessions, of which
  /// there may be more, its exit does. Throws Error.
  void end_world();
  void end_session();
  /// MPI_Initialized, MPI_Finalized.
  [[nodiscard]] bool has_begun_world() const { return has_begun_world_; }
  [[nodiscard]] bool has_ended_world() const { return has_ended_world_; }
  /// Ends this process because the program wants that, or because of an error; does not return.
  [[noreturn]] void abort(int code, const std::string& text);
  [[noreturn]] void abandon(Exit exit_status, const std::string& text);
  /// The program ends by itself.
  void exit(int status) noexcept;

  /// MPI_Pcontrol. Nothing before MPI_Init and after MPI_Finalize.
  void control(int level);

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] ThreadLevel thread_level() const { return level_; }
  /// Is this the thread that has begun it?
  [[nodiscard]] bool is_main_thread() const { return std::this_thread::get_id() == main_thread_; }
  [[nodiscard]] Communicator& world() { return *world_; }
  [[nodiscard]] Communicator& self() { return *self_; }
  [[nodiscard]] Progress& progress() { return *progress_; }
  /// The host of a rank of the world.
  [[nodiscard]] std::string host_of(Rank rank) const;

  Statistics statistics;
  Buffer buffer;  ///< of communicators that have none of their own
  /// Requests that the program has given up before they were complete.
  std::vector<Request*> orphans;

 private:
  struct Alone;

  void begin(ThreadLevel level);
  void end();
  void leave_early(const std::string& text) noexcept;

  Phase phase_ = Phase::before;
  pid_t pid_ = 0;  ///< of who has begun: a child that it forks is not the task
  Region region_;
  ThreadLevel level_ = thread_single;
  std::unique_ptr<Task> task_;
  std::unique_ptr<Alone> alone_;
  std::unique_ptr<Progress> progress_;
  Communicator* world_ = nullptr;
  Communicator* self_ = nullptr;
  std::thread::id main_thread_;
  bool has_begun_world_ = false, has_ended_world_ = false;
  bool has_had_sessions_ = false;
  int sessions_ = 0;    ///< that have not ended
  Ticks ended_at_ = 0;  ///< the last use of the library; 0: none has ended yet
};

Process& process();

}  // namespace nasvm::mpi
