#include "vm/broadcast/losses.hpp"

#include <algorithm>

#include "vm/broadcast/comm_line.hpp"
#include "vm/status.hpp"

namespace nasvm::multicast {

Losses::Losses(Surroundings here, const Comm& comm, Rank root) : here_(std::move(here)), root_(root) {
  for (Rank rank = 0; rank < comm.size(); ++rank) world_ranks_.push_back(comm.world_rank(rank));
}

void Losses::tell(End& end) {
  end_ = &end;
  for (const Loss& loss : known_) pass_on(loss);
}

void Losses::pass_on(const Loss& loss) {
  if (end_ != nullptr) end_->lost(node_of(loss.rank, root_), std::chrono::steady_clock::now());
}

bool Losses::look() {
  const auto ended = here_.ended();
  const std::size_t before = known_.size();
  for (; seen_ < ended.size(); ++seen_) {
    const auto found = std::ranges::find(world_ranks_, ended[seen_].world_rank);
    if (found == world_ranks_.end()) continue;
    known_.push_back({static_cast<Rank>(found - world_ranks_.begin()), ended[seen_].text});
    pass_on(known_.back());
  }
  return known_.size() > before;
}

bool Losses::has(Rank rank) const { return std::ranges::find(known_, rank, &Loss::rank) != known_.end(); }

void Losses::check_root() const {
  const auto found = std::ranges::find(known_, root_, &Loss::rank);
  if (found == known_.end()) return;
  throw RunError("the sender of this group, rank " + std::to_string(root_) + ", is lost: " + found->text);
}

}  // namespace nasvm::multicast
