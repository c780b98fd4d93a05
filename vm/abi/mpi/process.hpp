#pragma once
/// \file
/// The library as this process has it, between MPI_Init and MPI_Finalize: its task, its progress, its world.

#include <memory>
#include <vector>

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

  /// Joins the machine; without one, the program is one task. Blocks until all tasks have come. Throws Error.
  void begin(ThreadLevel level);
  /// Waits for all tasks, reports and leaves. Throws Error.
  void end();
  /// Ends this process because the program wants that, or because of an error; does not return.
  [[noreturn]] void abort(int code, const std::string& text);
  [[noreturn]] void abandon(Exit exit_status, const std::string& text);
  /// The program ends by itself without MPI_Finalize.
  void leave_early(const std::string& text) noexcept;

  /// MPI_Pcontrol. Nothing before MPI_Init and after MPI_Finalize.
  void control(int level);

  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] ThreadLevel thread_level() const { return level_; }
  [[nodiscard]] Communicator& world() { return *world_; }
  [[nodiscard]] Communicator& self() { return *self_; }
  [[nodiscard]] Progress& progress() { return *progress_; }
  /// The host of a rank of the world.
  [[nodiscard]] std::string host_of(Rank rank) const;

  /// What the program has attached for buffered sends. Messages are copied elsewhere; its size bounds them.
  struct Buffer {
    void* memory = nullptr;
    std::size_t bytes = 0;
    [[nodiscard]] bool has_room_for(std::size_t more) const;
  };

  Statistics statistics;
  Buffer buffer;
  /// Requests that the program has given up before they were complete.
  std::vector<Request*> orphans;

 private:
  struct Alone;

  Phase phase_ = Phase::before;
  Region region_;
  ThreadLevel level_ = thread_single;
  std::unique_ptr<Task> task_;
  std::unique_ptr<Alone> alone_;
  std::unique_ptr<Progress> progress_;
  Communicator* world_ = nullptr;
  Communicator* self_ = nullptr;
};

Process& process();

}  // namespace nasvm::mpi
