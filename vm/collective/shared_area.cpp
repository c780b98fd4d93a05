#include "vm/collective/shared_area.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "vm/collective/blocks.hpp"
#include "vm/status.hpp"

namespace nasvm::collective {
namespace {

constexpr std::size_t page_bytes = 4096;

constexpr unsigned tag_bits = 4, root_bits = 13;
static_assert(exchange_tag < 1 << tag_bits);

/// In the words of meetings.
constexpr unsigned member_bits = 13;
constexpr std::uint64_t most_members = (1U << member_bits) - 1;

std::uint64_t number_of(const Call& call) {
  return std::uint64_t{call.bytes} << (root_bits + tag_bits) | static_cast<std::uint64_t>(call.root) << tag_bits |
         static_cast<std::uint64_t>(call.collective);
}

Call call_of(std::uint64_t number) {
  const auto low = [&number](unsigned bits) {
    const std::uint64_t value = number & ((1U << bits) - 1);
    number >>= bits;
    return value;
  };
  Call call;
  call.collective = static_cast<Tag>(low(tag_bits));
  call.root = static_cast<Rank>(low(root_bits));
  call.bytes = static_cast<std::size_t>(number);
  return call;
}

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

std::string text_of(const Call& call) {
  if (call.collective == barrier_tag) return std::string(name_of(call.collective));
  const std::string text = fmt::format("{} of {} bytes", name_of(call.collective), call.bytes);
  if (call.collective == broadcast_tag) return fmt::format("{} from rank {}", text, call.root);
  return call.collective == reduce_tag ? fmt::format("{} to rank {}", text, call.root) : text;
}

SharedArea::Kinds SharedArea::kinds_for(int ranks) {
  const std::size_t fair = std::bit_floor(budget / (longs * static_cast<std::size_t>(ranks)));
  Kinds kinds{Kind{short_bytes, shorts}, Kind{medium_bytes, mediums},
              Kind{std::clamp(fair, medium_bytes, longest), longs}};
  std::size_t begin = 0;
  for (Kind& kind : kinds) {
    kind.begin = begin;
    kind.used.resize(kind.count);
    begin += kind.count * kind.stride();
  }
  return kinds;
}

std::size_t SharedArea::bytes_of(const Kinds& kinds) { return kinds.back().begin + longs * kinds.back().stride(); }

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
  if (comm.rank() == 0 && room && static_cast<std::uint64_t>(comm.size()) <= most_members) {
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
  step_bytes_ = bytes;
  Kind& kind = *std::ranges::find_if(kinds_, [=](const Kind& each) { return bytes <= each.bytes; });
  const std::size_t index = std::exchange(kind.next, (kind.next + 1) % kind.count);
  slot_begin_ = kind.begin + index * kind.stride();
  slot_bytes_ = kind.bytes;
  slot_used_ = std::exchange(kind.used[index], step_);
}

std::span<std::byte> SharedArea::slot(Rank rank) const {
  const std::size_t front = front_bytes(static_cast<int>(progress_.size()));
  const std::size_t of_task = static_cast<std::size_t>(rank) * bytes_of(kinds_);
  return memory_->bytes().subspan(front + of_task + slot_begin_, slot_bytes_);
}

std::span<std::byte> SharedArea::note_place(Rank rank) const {
  const std::size_t lines = (step_bytes_ + sizeof(Note) + line_bytes - 1) / line_bytes;
  return {slot(rank).data() + lines * line_bytes - sizeof(Note), sizeof(Note)};
}

SharedArea::Note SharedArea::note() const { return {step_, number_of(call_)}; }

/// For who finds that calls do not match, or suspects it.
void SharedArea::show_call() {
  own_.call.store(number_of(call_), std::memory_order_release);
  own_.step.store(step_, std::memory_order_release);
}

/// Does that member wait in another call? Who publishes in a step does so before it waits in a later one.
bool SharedArea::is_elsewhere(Rank rank) const {
  const Progress& other = progress_[static_cast<std::size_t>(rank)];
  return other.step.load(std::memory_order_acquire) == step_ &&
         other.call.load(std::memory_order_acquire) != number_of(call_) &&
         other.published.load(std::memory_order_acquire) < step_;
}

void SharedArea::complain_of(Rank rank, std::uint64_t call) const {
  throw RunError(
      fmt::format("collectives do not match: rank {} is in {}, rank {} in {}", rank_, text_of(call_), rank,
                  call == number_of(call_) ? "another one, or in one of another length" : text_of(call_of(call))));
}

/// All of whom at least one has called something else. Nobody who has found that goes on.
void SharedArea::complain_of_meeting() const {
  for (std::size_t rank = 0; rank < progress_.size(); ++rank) {
    const std::uint64_t call = progress_[rank].call.load(std::memory_order_acquire);
    if (call != number_of(call_)) complain_of(static_cast<Rank>(rank), call);
  }
  throw RunError(
      fmt::format("collectives do not match: rank {} is in {}, another rank in another one, or in one of "
                  "another length",
                  rank_, text_of(call_)));
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
  const Note own = note();
  std::memcpy(note_place(rank_).data(), &own, sizeof own);
  own_.published.store(step_, std::memory_order_seq_cst);
  wake_others(comm);
}

// By reference here and below: a function of so much would take memory for itself in each call.
void SharedArea::await(Comm& comm, Rank rank) {
  constexpr unsigned looks_at_call = 256;  // for each: it is one more line of another core's
  const Progress& other = progress_[static_cast<std::size_t>(rank)];
  if (other.published.load(std::memory_order_seq_cst) < step_) show_call();
  unsigned looks = 0;
  bool is_in_vain = false;
  const auto is_over = [&] {
    if (is_in_vain || other.published.load(std::memory_order_seq_cst) >= step_) return true;
    is_in_vain = ++looks % looks_at_call == 0 && is_elsewhere(rank);
    return is_in_vain;
  };
  comm.wait_for_memory(std::ref(is_over));
  if (is_in_vain) complain_of(rank, other.call.load(std::memory_order_acquire));
  Note found{};
  std::memcpy(&found, note_place(rank).data(), sizeof found);
  if (found == note()) return;
  complain_of(rank, found.step == step_ ? found.call : number_of(call_));
}

void SharedArea::meet(Comm& comm) {
  const std::size_t parity = meetings_++ % 2;
  std::atomic<std::uint64_t>& meeting = shared_.meetings[parity];
  const std::uint64_t before = met_[parity];
  const auto all_are_there = [&](std::uint64_t word) { return ((word - before) & most_members) == progress_.size(); };
  const std::uint64_t own = number_of(call_) << member_bits | 1;
  show_call();
  std::uint64_t word = meeting.fetch_add(own, std::memory_order_seq_cst) + own;
  if (all_are_there(word)) {
    wake_others(comm);
  } else {
    const auto is_over = [&] { return all_are_there(word = meeting.load(std::memory_order_seq_cst)); };
    comm.wait_for_memory(std::ref(is_over));
  }
  met_[parity] = word;
  // P times one's own only where all have called the same.
  if (word - before != own * progress_.size()) complain_of_meeting();
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
