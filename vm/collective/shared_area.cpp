#include "vm/collective/shared_area.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "vm/collective/blocks.hpp"

namespace nasvm::collective {
namespace {

constexpr std::size_t page_bytes = 4096;

/// Short messages are many, and the root of broadcasts should not wait after each few of them.
constexpr std::size_t short_bytes = 1024, shorts = 64;
constexpr std::size_t medium_bytes = 16 * 1024, mediums = 16;
constexpr std::size_t longest = 256 * 1024, longs = 4;
/// Of the long slots of all tasks, while they are longer than medium ones.
constexpr std::size_t budget = 32 * 1024 * 1024;

/// One who sleeps until a slot is free, also when the wait ends by an exception.
class SlotWaiter {
 public:
  explicit SlotWaiter(std::atomic<std::uint32_t>& waiters) : waiters_(waiters) {
    waiters_.fetch_add(1, std::memory_order_seq_cst);
  }
  ~SlotWaiter() { waiters_.fetch_sub(1, std::memory_order_seq_cst); }
  SlotWaiter(const SlotWaiter&) = delete;
  SlotWaiter& operator=(const SlotWaiter&) = delete;

 private:
  std::atomic<std::uint32_t>& waiters_;
};

}  // namespace

SharedArea::Kinds SharedArea::kinds_for(int ranks) {
  const std::size_t fair = std::bit_floor(budget / (longs * static_cast<std::size_t>(ranks)));
  Kinds kinds{Kind{short_bytes, shorts}, Kind{medium_bytes, mediums},
              Kind{std::clamp(fair, medium_bytes, longest), longs}};
  std::size_t begin = 0;
  for (Kind& kind : kinds) {
    kind.begin = begin;
    kind.used.resize(kind.count);
    begin += kind.count * kind.bytes;
  }
  return kinds;
}

std::size_t SharedArea::bytes_of(const Kinds& kinds) { return kinds.back().begin + longs * kinds.back().bytes; }

std::size_t SharedArea::front_bytes(int ranks) {
  const std::size_t bytes = sizeof(Shared) + static_cast<std::size_t>(ranks) * sizeof(Progress);
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

// All zero is the state at first, so that nobody has to wait for whoever would write it.
SharedArea::SharedArea(std::unique_ptr<SharedMemory> memory, const Comm& comm)
    : memory_(std::move(memory)),
      shared_(*reinterpret_cast<Shared*>(memory_->bytes().data())),
      progress_(reinterpret_cast<Progress*>(memory_->bytes().data() + sizeof(Shared)),
                static_cast<std::size_t>(comm.size())),
      own_(progress_[static_cast<std::size_t>(comm.rank())]),
      kinds_(kinds_for(comm.size())),
      rank_(comm.rank()),
      questions_(static_cast<std::size_t>(comm.size())) {}

std::unique_ptr<SharedArea> SharedArea::open(Comm& comm, bool room) {
  const std::size_t bytes =
      front_bytes(comm.size()) + static_cast<std::size_t>(comm.size()) * bytes_of(kinds_for(comm.size()));
  std::unique_ptr<SharedMemory> memory;
  std::int64_t number = -1;
  if (comm.rank() == 0 && room) {
    memory = comm.create_memory(1, bytes);
    if (memory != nullptr) number = memory->number();
  }
  comm.broadcast(std::span(&number, 1));
  if (number >= 0 && comm.rank() != 0 && room) memory = comm.map_memory(0, number, bytes);
  const bool all = comm.allreduce_value(memory != nullptr ? 1 : 0, Min{}) == 1;
  if (memory != nullptr) memory->hide();
  return all ? std::unique_ptr<SharedArea>(new SharedArea(std::move(memory), comm)) : nullptr;
}

void SharedArea::begin(std::size_t bytes) {
  ++step_;
  Kind& kind = *std::ranges::find_if(kinds_, [=](const Kind& each) { return bytes <= each.bytes; });
  const std::size_t index = std::exchange(kind.next, (kind.next + 1) % kind.count);
  slot_begin_ = kind.begin + index * kind.bytes;
  slot_bytes_ = kind.bytes;
  slot_used_ = std::exchange(kind.used[index], step_);
}

std::span<std::byte> SharedArea::slot(Rank rank) const {
  const std::size_t front = front_bytes(static_cast<int>(progress_.size()));
  const std::size_t of_task = static_cast<std::size_t>(rank) * bytes_of(kinds_);
  return memory_->bytes().subspan(front + of_task + slot_begin_, slot_bytes_);
}

void SharedArea::put(Comm& comm, std::size_t offset, std::span<const std::byte> data) {
  wait_until_free(comm);
  memory_->put(slot(rank_).subspan(offset, data.size()), data);
}

void SharedArea::put_in_cache(Comm& comm, std::size_t offset, std::span<const std::byte> data) {
  wait_until_free(comm);
  copy_block(data, slot(rank_).subspan(offset, data.size()));
}

void SharedArea::wake_others(Comm& comm) {
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    if (rank != comm.rank()) comm.wake(rank);
  }
}

void SharedArea::wait_until_free(Comm& comm) {
  if (all_ended_ >= slot_used_) return;
  std::size_t member = 0;
  const auto is_free = [&] {
    const auto has_ended = [&] { return progress_[member].ended.load(std::memory_order_seq_cst) >= slot_used_; };
    while (member < progress_.size() && has_ended()) ++member;
    return member == progress_.size();
  };
  if (!is_free()) {
    const SlotWaiter waiter(shared_.slot_waiters);
    comm.wait_for_memory(is_free, Comm::WaitedFor::room);
  }
  all_ended_ = slot_used_;
}

void SharedArea::publish(Comm& comm) {
  own_.published.store(step_, std::memory_order_seq_cst);
  wake_others(comm);
}

void SharedArea::await(Comm& comm, Rank rank) {
  const std::atomic<std::uint64_t>& published = progress_[static_cast<std::size_t>(rank)].published;
  comm.wait_for_memory([&] { return published.load(std::memory_order_seq_cst) >= step_; });
}

void SharedArea::meet(Comm& comm) {
  const std::uint64_t all = ++meetings_ * progress_.size();
  if (shared_.arrivals.fetch_add(1, std::memory_order_seq_cst) + 1 == all) {
    wake_others(comm);
  } else {
    comm.wait_for_memory([&] { return shared_.arrivals.load(std::memory_order_seq_cst) >= all; });
  }
  // Who has come here has ended the step before.
  all_ended_ = std::max(all_ended_, step_ - 1);
}

// The last one wakes who awaits them: each of them would cost it a turn otherwise.
void SharedArea::answer(Comm& comm, Rank rank, bool has_it) {
  Progress& asker = progress_[static_cast<std::size_t>(rank)];
  if (!has_it) asker.refusals.fetch_add(1, std::memory_order_seq_cst);
  const std::uint64_t all = ++questions_[static_cast<std::size_t>(rank)] * (progress_.size() - 1);
  if (asker.answers.fetch_add(1, std::memory_order_seq_cst) + 1 == all) comm.wake(rank);
}

std::size_t SharedArea::await_answers(Comm& comm) {
  const std::uint64_t all = ++questions_[static_cast<std::size_t>(rank_)] * (progress_.size() - 1);
  comm.wait_for_memory([&] { return own_.answers.load(std::memory_order_seq_cst) >= all; }, Comm::WaitedFor::room);
  const std::uint64_t before = std::exchange(refusals_, own_.refusals.load(std::memory_order_seq_cst));
  return static_cast<std::size_t>(refusals_ - before);
}

void SharedArea::end(Comm& comm) {
  own_.ended.store(step_, std::memory_order_seq_cst);
  if (shared_.slot_waiters.load(std::memory_order_seq_cst) != 0) wake_others(comm);
}

}  // namespace nasvm::collective
