#pragma once
/// \file
/// Memory that all tasks of a Comm have mapped, for collectives: slots for each task's data, and counters that say
/// how far everybody is. Nothing is sent: who waits looks at counters, and sleeps until somebody who changes them
/// wakes it. Where more tasks than cores wait for each other that spares most changes of tasks: all meet once, where
/// messages would go in rounds.
///
/// A collective is one or more *steps*, which all members make in the same order. In a step a task may write into its
/// slot of that step, once nobody reads there any more, tell the others, and read theirs. Slots are of three sizes;
/// those of a size are used in turn, so that whoever only writes may run ahead by as many steps.
///
/// Source of the idea: R. L. Graham, G. Shipman, MPI Support for Multi-core Architectures: Optimized Shared Memory
/// Collectives, EuroPVM/MPI 2008 (control words and banks of segments used in turn).

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vm/collective/tags.hpp"
#include "vm/comm.hpp"
#include "vm/shared_memory.hpp"

namespace nasvm::collective {

/// What a task calls: all members have to call the same, of the same length.
struct Call {
  Tag collective = barrier_tag;  ///< as its messages have it
  std::size_t bytes = 0;         ///< all together, also of several steps
  Rank root = 0;                 ///< of a broadcast or a reduce

  bool operator==(const Call&) const = default;
};

/// "an allreduce of 8 bytes", "a broadcast of 8 bytes from rank 1".
[[nodiscard]] std::string text_of(const Call& call);

/// Blocking calls throw RunError where another member is found to have called something else.
class SharedArea {
 public:
  /// Collective over members that can read each other's memory. Null on all of them where one cannot have it, or has
  /// no `room` for one more.
  static std::unique_ptr<SharedArea> open(Comm& comm, bool room);

  /// Most that a task can put into one step.
  [[nodiscard]] std::size_t most_bytes() const { return kinds_.back().bytes; }

  /// What the next steps and meetings belong to. Does not block.
  void enter(Call call) { call_ = call; }
  /// The next step begins, in which no task puts more than that into its slot. Does not block.
  void begin(std::size_t bytes);
  /// Copies to that place of this task's slot. Blocks until nobody reads in the slot any more.
  void put(Comm& comm, std::size_t offset, std::span<const std::byte> data);
  /// The same through the cache, whatever is faster for others to read: for what goes back and forth.
  void put_in_cache(Comm& comm, std::size_t offset, std::span<const std::byte> data);
  /// Says that it is filled, with all that the step began with. Does not block.
  void publish(Comm& comm);
  /// Blocks until that member has said so. Throws also where it is found to be in another call of the same step.
  void await(Comm& comm, Rank rank);
  /// Blocks until every member has called it; what they have written before is to be seen then.
  void meet(Comm& comm);
  /// Says to that member, who awaits it, that this one has what it wanted of it; or that it could not have it.
  /// Does not block.
  void answer(Comm& comm, Rank rank, bool has_it);
  /// Blocks until every other member has said so. Returns how many could not have it.
  std::size_t await_answers(Comm& comm);
  /// Another member's slot in this step.
  [[nodiscard]] std::span<const std::byte> slot_of(Rank rank) const { return slot(rank); }
  /// This task has read all that it wanted in this step. Does not block.
  void end(Comm& comm);

 private:
  static constexpr std::size_t line_bytes = 64;

  /// Slots of one size, of each task.
  struct Kind {
    std::size_t bytes;  ///< of data
    std::size_t count;
    std::size_t begin = 0;              ///< of the first one, in what a task has
    std::size_t next = 0;               ///< to be used
    std::vector<std::uint64_t> used{};  ///< each, lastly in this step

    /// From one to the next: behind the data is room for a note, in a line of its own where they fill theirs.
    [[nodiscard]] std::size_t stride() const { return bytes + line_bytes; }
  };
  using Kinds = std::array<Kind, 3>;

  /// So far apart that a processor that fetches lines in pairs does not fetch another's.
  static constexpr std::size_t apart = 128;

  struct alignas(apart) Shared {
    /// Every other meeting: how many have come so far, in the lowest bits, and the sum of what each has called, as
    /// numbers. Nobody comes to the next but one before all have left this one, so it stands still while they look.
    std::array<std::atomic<std::uint64_t>, 2> meetings{};
    alignas(apart) std::atomic<std::uint32_t> slot_waiters{0};  ///< who sleep until a slot is free
  };
  /// What a task says of itself: the last step in which it has filled its slot, and the last one that it has ended;
  /// and what others have answered it so far.
  struct alignas(apart) Progress {
    std::atomic<std::uint64_t> published{0};
    std::atomic<std::uint64_t> ended{0};
    std::atomic<std::uint64_t> answers{0};
    std::atomic<std::uint64_t> refusals{0};
    /// The last one in which it has waited, as a number, and the step. Apart, since others seldom look at them.
    alignas(apart) std::atomic<std::uint64_t> call{0};
    std::atomic<std::uint64_t> step{0};
  };
  /// In a slot behind the data, in the same line where there is room: whose they are.
  struct Note {
    std::uint64_t step;
    std::uint64_t call;

    bool operator==(const Note&) const = default;
  };

  SharedArea(std::unique_ptr<SharedMemory> memory, const Comm& comm);
  static Kinds kinds_for(int ranks);
  static std::size_t bytes_of(const Kinds& kinds);
  static std::size_t front_bytes(int ranks);
  [[nodiscard]] std::span<std::byte> slot(Rank rank) const;
  [[nodiscard]] std::span<std::byte> note_place(Rank rank) const;
  [[nodiscard]] Note note() const;
  void show_call();
  [[nodiscard]] bool is_elsewhere(Rank rank) const;
  [[noreturn]] void complain_of(Rank rank, std::uint64_t call) const;
  [[noreturn]] void complain_of_meeting() const;
  void wait_until_free(Comm& comm);
  static void wake_others(Comm& comm);

  std::unique_ptr<SharedMemory> memory_;
  Shared& shared_;
  std::span<Progress> progress_;
  Progress& own_;
  Kinds kinds_;
  Rank rank_;
  Call call_;
  std::uint64_t step_ = 0;
  std::size_t step_bytes_ = 0;  ///< most that a task puts into its slot in this step
  std::size_t slot_begin_ = 0;  ///< of this step's, in what a task has
  std::size_t slot_bytes_ = 0;
  std::uint64_t slot_used_ = 0;  ///< before, in this step
  std::uint64_t meetings_ = 0;
  std::array<std::uint64_t, 2> met_{};    ///< Shared::meetings, when the last of them was over
  std::uint64_t all_ended_ = 0;           ///< a step that every member is known to have ended
  std::vector<std::uint64_t> questions_;  ///< that each member has had answered by all, lastly this one's
  std::uint64_t refusals_ = 0;            ///< of this task's, that it knows of
};

}  // namespace nasvm::collective
