#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <numeric>
#include <vector>

#include "vm/broadcast_method.hpp"
#include "vm/collective/ledger.hpp"
#include "vm/collective/shared_area.hpp"
#include "vm/comm_call.hpp"
#include "vm/native_collectives.hpp"
#include "vm/status.hpp"

// Which tasks a Comm has: the world, or a part of another Comm.

namespace nasvm {
namespace {

/// Contexts 0 and 1 belong to Task (routed and direct messages); Comms get pairs from here on.
constexpr Context first_comm_context = 2;
/// Those that tasks claim lie between what is agreed upon and what requests to daemons use: one of each `size` pairs
/// for each task.
constexpr Context first_claimed_context = 0x8000'0000U;
constexpr Context end_of_claimed_contexts = 0xffff'0000U;

}  // namespace

Comm::Comm(Endpoint& endpoint) : endpoint_(&endpoint), shared_(std::make_shared<Shared>()) {
  calibrate_clock();
  world_ranks_.resize(static_cast<std::size_t>(endpoint.size()));
  std::iota(world_ranks_.begin(), world_ranks_.end(), 0);
  rank_of_world_ = world_ranks_;
  rank_ = endpoint.rank();
  call_depth_ = &shared_->call_depth;
  context_ = first_comm_context;
  shared_->next_context = first_comm_context + 2;
  shared_->counters.peers.resize(world_ranks_.size());
  open();
}

Comm::Comm(Endpoint& endpoint, std::shared_ptr<Shared> shared, std::vector<Rank> world_ranks, Context context)
    : endpoint_(&endpoint),
      shared_(std::move(shared)),
      world_ranks_(std::move(world_ranks)),
      rank_of_world_(static_cast<std::size_t>(endpoint.size()), -1),
      context_(context) {
  call_depth_ = &shared_->call_depth;
  for (std::size_t i = 0; i < world_ranks_.size(); ++i) {
    rank_of_world_[static_cast<std::size_t>(world_ranks_[i])] = static_cast<Rank>(i);
  }
  rank_ = rank_of_world_[static_cast<std::size_t>(endpoint.rank())];
  open();
}

void Comm::open() {
  endpoint_->open_contexts(context_, world_ranks_);
  native_ = endpoint_->native_collectives();
  if (native_ != nullptr) ledger_ = std::make_unique<collective::Ledger>(rank_, size());
}

Comm::~Comm() {
  if (area_ != nullptr) --shared_->areas;
  const bool is_moved_from = world_ranks_.empty();
  if (is_moved_from || is_in_background()) return;
  if (shared_->broadcasts != nullptr) shared_->broadcasts->forget(*this);
  if (std::uncaught_exceptions() == 0) endpoint_->close_contexts(context_);
}

Comm::Comm(Comm&&) noexcept = default;

std::unique_ptr<Comm> Comm::split(int color, int key) {
  struct Member {
    int color, key;
    Rank rank;
  };
  const Call call(*this);
  // Groups of different colours have no member in common, so they share one new context pair: the first
  // that is free on every member of this Comm.
  const Context context = allreduce_value(shared_->next_context, Max{});
  shared_->next_context = std::max<Context>(shared_->next_context, context + 2);

  const std::array<int, 2> mine{color, key};
  std::vector<int> all(2 * static_cast<std::size_t>(size()));
  allgather(mine, all);
  if (color < 0) return nullptr;
  std::vector<Member> members;
  for (Rank rank = 0; rank < size(); ++rank) {
    const auto at = 2 * static_cast<std::size_t>(rank);
    if (all[at] == color) members.push_back({all[at], all[at + 1], rank});
  }
  std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.key < b.key; });
  std::vector<Rank> world_ranks;
  for (const Member& member : members) world_ranks.push_back(world_rank(member.rank));
  return std::unique_ptr<Comm>(new Comm(*endpoint_, shared_, std::move(world_ranks), context));
}

bool Comm::is_on_one_host() const {
  return std::ranges::all_of(world_ranks_, [this](Rank rank) { return endpoint_->is_on_this_host(rank); });
}

Context Comm::claim_context() {
  const std::uint64_t pair = std::uint64_t{shared_->claimed} * static_cast<unsigned>(endpoint_->size()) +
                             static_cast<unsigned>(endpoint_->rank());
  const std::uint64_t context = first_claimed_context + 2 * pair;
  if (context >= end_of_claimed_contexts) throw RunError("no numbers are left for new communicators");
  ++shared_->claimed;
  return static_cast<Context>(context);
}

std::unique_ptr<Comm> Comm::with_context(Context context, std::vector<Rank> world_ranks, Rank rank) {
  const bool is_claimed = context >= first_claimed_context;
  if (!is_claimed) shared_->next_context = std::max(shared_->next_context, context + 2);
  std::unique_ptr<Comm> comm(new Comm(*endpoint_, shared_, std::move(world_ranks), context));
  if (comm->rank_ < 0) comm->rank_ = rank;
  return comm;
}

bool Comm::is_in_collective() const { return shared_->collectives->is_of(*this); }

bool Comm::is_silent() const { return shared_->collectives->is_silent(); }

std::unique_ptr<Comm> Comm::in_background() const {
  std::unique_ptr<Comm> comm(new Comm(*endpoint_, shared_, world_ranks_, context_));
  comm->call_depth_ = &shared_->background_depth;
  comm->rank_ = rank_;
  return comm;
}

std::unique_ptr<Comm> Comm::hidden() const {
  std::unique_ptr<Comm> comm = in_background();
  comm->is_hidden_ = true;
  return comm;
}

}  // namespace nasvm
