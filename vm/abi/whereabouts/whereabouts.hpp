#pragma once
/// \file
/// Where a program of others is: in which function of MPI, and whom it waits for there. The program writes that into
/// memory that it shares with the process which has started it, a store or two for each call; this one looks when
/// the time is up. The other way round it says whether the times of calls are wanted.

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vm/net/fd.hpp"

namespace nasvm::abi {

struct Whereabouts {
  static constexpr std::uint32_t mark = 0x6e617376;  // of memory that has been made for this
  static constexpr std::int32_t nobody = -2;
  static constexpr std::int32_t anybody = -1;

  /// Of MPI_Init and MPI_Finalize; or the library has ended the program because the machine has failed it; or it is
  /// another library's task.
  enum class Phase : std::uint32_t { before, running, after, abandoned, elsewhere };

  std::atomic<std::uint32_t> begun_with = 0;
  std::atomic<Phase> phase = Phase::before;
  std::atomic<std::uint32_t> function = 0;  ///< its number and one; 0: outside of MPI
  std::atomic<std::int32_t> peer = nobody;  ///< whom it waits for, by rank
  std::atomic<std::uint32_t> others = 0;    ///< how many more
  std::atomic<bool> sends = false;          ///< until that one receives; else until it sends
  std::atomic<bool> times_calls = true;     ///< the starter's word: false: nobody looks at the times of its calls
  std::atomic<bool> taken = false;          ///< a program has come here to be the task

  /// Whose place this is, of the programs that find it: one is the task. False: another one has been here before.
  bool take() { return !taken.exchange(true); }
  /// No order between these is needed: who looks wants to know of programs that stand still.
  void enter(std::uint32_t number) { function.store(number + 1, std::memory_order_relaxed); }
  void leave(std::uint32_t outer) { function.store(outer, std::memory_order_relaxed); }
  void wait_for(std::int32_t rank, std::uint32_t more, bool send) {
    peer.store(rank, std::memory_order_relaxed);
    others.store(more, std::memory_order_relaxed);
    sends.store(send, std::memory_order_relaxed);
  }
  void go_on() { peer.store(nobody, std::memory_order_relaxed); }
};

/// What WhereaboutsMemory::text() is of a program that has not come out of MPI_Init yet, or is another kind of task.
inline constexpr std::string_view not_in_mpi = "has not come out of MPI_Init";

/// This process's own. Before join_whereabouts, nobody sees them.
Whereabouts& whereabouts();

/// In the program: from now on who has started it can see them, with these names of functions by number. Nothing
/// where nobody wants to.
void join_whereabouts(std::span<const std::string> names);

/// In the process that starts a program.
class WhereaboutsMemory {
 public:
  /// None where there is no memory: nothing can be told then.
  WhereaboutsMemory();
  ~WhereaboutsMemory();
  WhereaboutsMemory(const WhereaboutsMemory&) = delete;
  WhereaboutsMemory& operator=(const WhereaboutsMemory&) = delete;

  /// The program must have it under the same number; -1: none.
  [[nodiscard]] int descriptor() const { return memory_.get(); }
  /// Before it starts: nobody looks at the times of its calls.
  void leave_calls_untimed();
  /// "NAME=value", for its environment.
  [[nodiscard]] std::string variable() const;
  /// Where the program is, or has ended.
  [[nodiscard]] Whereabouts::Phase phase() const;
  /// For people, of the program: "waits in MPI_Recv for rank 2".
  [[nodiscard]] std::string text() const;

 private:
  net::Fd memory_;
  void* mapped_ = nullptr;
};

}  // namespace nasvm::abi
