#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "vm/broadcast_method.hpp"
#include "vm/collective/blocks.hpp"
#include "vm/collective/collective.hpp"
#include "vm/collective/ledger.hpp"
#include "vm/collective/shared_area.hpp"
#include "vm/collective/through_memory.hpp"
#include "vm/collective/through_slots.hpp"
#include "vm/comm_call.hpp"
#include "vm/native_collectives.hpp"

// Collectives of a Comm: those of the fabric itself where it has them (counted as our algorithms would have been),
// else the algorithms of vm/collective/.

namespace nasvm {

namespace through_memory = collective::through_memory;
namespace through_slots = collective::through_slots;

namespace {

std::size_t total(std::span<const std::size_t> bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
}

}  // namespace

template <typename Talk>
void Comm::without_counting(const Talk& talk) {
  const Collective silent(*this, Collective::Counting::none);
  talk();
}

void Comm::book_native(std::span<const std::pair<Rank, PeerCounters>> traffic) {
  if (!is_counting()) return;
  for (const auto& [rank, cost] : traffic) {
    PeerCounters& peer = shared_->counters.peers[static_cast<std::size_t>(world_rank(rank))];
    peer.bytes_sent += cost.bytes_sent;
    peer.bytes_received += cost.bytes_received;
    peer.messages_sent += cost.messages_sent;
    peer.messages_received += cost.messages_received;
  }
}

void Comm::book_native_alltoallv(std::span<const std::size_t> out_bytes, std::span<const std::size_t> in_bytes) {
  if (!is_counting()) return;
  for (Rank rank = 0; rank < size(); ++rank) {
    if (rank == rank_) continue;
    const auto at = static_cast<std::size_t>(rank);
    PeerCounters& peer = shared_->counters.peers[static_cast<std::size_t>(world_rank(rank))];
    peer.bytes_sent += out_bytes[at];
    peer.bytes_received += in_bytes[at];
    peer.messages_sent += out_bytes[at] > 0 ? 1 : 0;
    peer.messages_received += in_bytes[at] > 0 ? 1 : 0;
  }
}

void Comm::check_blocks(std::size_t own_bytes, std::span<const std::size_t> bytes, std::size_t all_bytes) const {
  collective::check_block_count(*this, bytes);
  collective::check_buffer(own_bytes, bytes[static_cast<std::size_t>(rank_)]);
  collective::check_buffer(all_bytes, total(bytes));
}

bool Comm::is_in_one_memory() {
  if (is_in_background()) return false;
  if (!is_in_one_memory_) {
    is_in_one_memory_ = false;  // while they agree
    int readable = 1;
    for (Rank peer = 0; peer < size(); ++peer) {
      if (peer != rank_ && !can_read_memory(peer)) readable = 0;
    }
    without_counting([&] { is_in_one_memory_ = allreduce_value(readable, Min{}) == 1; });
    if (*is_in_one_memory_ && ledger_ == nullptr) ledger_ = std::make_unique<collective::Ledger>(rank_, size());
  }
  return *is_in_one_memory_;
}

collective::SharedArea* Comm::shared_area(std::size_t bytes) {
  // Not for a few short messages.
  constexpr std::size_t long_bytes = 4096;
  constexpr int short_calls = 32;
  if (!has_asked_for_area_ && (bytes >= long_bytes || ++short_calls_ >= short_calls)) {
    has_asked_for_area_ = true;
    // Bounds the memory of programs with many Comms at once.
    constexpr int most_areas = 32;
    const bool room = shared_->areas < most_areas;
    if (is_in_one_memory()) without_counting([&] { area_ = collective::SharedArea::open(*this, room); });
    if (area_ != nullptr) ++shared_->areas;
  }
  return area_.get();
}

void Comm::barrier() {
  const Collective collective(*this);
  if (native_ != nullptr && native_->barrier(context_)) return book_native(ledger_->barrier());
  // Not worth an area of its own.
  if (size() > 2 && area_ != nullptr) {
    through_slots::barrier(*this, *area_);
    return book_native(ledger_->barrier());
  }
  collective::barrier(*this);
}

void Comm::broadcast_bytes(std::span<std::byte> data, Rank root, std::uint8_t element_bytes) {
  check_peer(root, false);
  const Collective collective(*this);
  if (native_ != nullptr && native_->broadcast(context_, data, root)) {
    return book_native(ledger_->broadcast(data.size(), root, element_bytes));
  }
  if (shared_->broadcasts != nullptr && !is_in_background()) {
    const bool by_method = shared_->broadcasts->suits(*this, data.size());
    if (by_method) broadcast_by(*shared_->broadcasts, data, root);
    if (rank_ == root) count_way(*shared_->broadcasts, data.size());
    if (by_method) return;
  }
  if (through_slots::suits_broadcast(size(), data.size())) {
    if (auto* area = shared_area(data.size()); area != nullptr) {
      bool done = false;
      if (through_slots::suits_board(*area, size(), data.size())) {
        without_counting([&] { done = through_slots::broadcast_by_board(*this, *area, data, root); });
      }
      if (!done) through_slots::broadcast(*this, *area, data, root);
      return book_native(ledger_->broadcast(data.size(), root, element_bytes));
    }
  }
  if (through_memory::suits_broadcast(size(), data.size()) && is_in_one_memory()) {
    // The root waits for its readers to be done with the message, not for data.
    const Ticks idle = shared_->counters.idle;
    without_counting([&] { through_memory::broadcast(*this, data, root); });
    if (rank_ == root) shared_->counters.idle = idle;
    return book_native(ledger_->broadcast(data.size(), root, element_bytes));
  }
  collective::broadcast(*this, data, root, element_bytes);
}

/// The payload counts once for each receiver, as a message from the root, however it travels.
void Comm::broadcast_by(BroadcastMethod& method, std::span<std::byte> data, Rank root) {
  const Ticks idle = shared_->counters.idle;
  Ticks waited = 0;
  without_counting([&] { waited = method.broadcast(*this, data, root); });
  shared_->counters.idle = idle + waited;
  if (!is_counting()) return;
  const auto peer = [this](Rank rank) -> PeerCounters& {
    return shared_->counters.peers[static_cast<std::size_t>(world_rank(rank))];
  };
  if (rank_ != root) {
    ++peer(root).messages_received;
    peer(root).bytes_received += data.size();
    return;
  }
  for (Rank rank = 0; rank < size(); ++rank) {
    if (rank == root) continue;
    ++peer(rank).messages_sent;
    peer(rank).bytes_sent += data.size();
  }
}

/// Of a broadcast from this task.
void Comm::count_way(const BroadcastMethod& method, std::size_t bytes) {
  const std::string way = method.way(*this, rank_, bytes);
  if (way.empty()) return;
  auto found = shared_->counters.broadcasts.find(way);
  if (found == shared_->counters.broadcasts.end()) {
    found = shared_->counters.broadcasts.emplace(way, BroadcastCounters{}).first;
  }
  ++found->second.broadcasts;
  found->second.bytes += bytes;
}

void Comm::reduce_bytes(std::span<std::byte> inout, const Reduction& op, Rank root) {
  check_peer(root, false);
  const Collective collective(*this);
  if (native_ != nullptr && native_->reduce(context_, inout, op, root)) {
    return book_native(ledger_->reduce(inout.size(), op, root));
  }
  if (through_slots::suits_reduce(size(), inout.size(), op.operand_bytes)) {
    if (auto* area = shared_area(inout.size()); area != nullptr) {
      through_slots::reduce(*this, *area, inout, op, root);
      return book_native(ledger_->reduce(inout.size(), op, root));
    }
  }
  collective::reduce(*this, inout, op, root);
}

void Comm::allreduce_bytes(std::span<std::byte> inout, const Reduction& op) {
  const Collective collective(*this);
  if (native_ != nullptr && native_->allreduce(context_, inout, op)) {
    return book_native(ledger_->allreduce(inout.size(), op));
  }
  if (through_slots::suits_allreduce(size(), inout.size(), op.operand_bytes)) {
    if (auto* area = shared_area(inout.size()); area != nullptr) {
      through_slots::allreduce(*this, *area, inout, op);
      return book_native(ledger_->allreduce(inout.size(), op));
    }
  }
  collective::allreduce(*this, inout, op);
}

void Comm::scan_bytes(std::span<std::byte> inout, const Reduction& op) {
  const Collective collective(*this);
  if (native_ != nullptr && native_->scan(context_, inout, op)) return book_native(ledger_->scan(inout.size(), op));
  collective::scan(*this, inout, op);
}

void Comm::gatherv_bytes(std::span<const std::byte> out, std::span<std::byte> in, std::span<const std::size_t> bytes,
                         Rank root, std::uint8_t element_bytes) {
  check_peer(root, false);
  const Collective collective(*this);
  if (native_ != nullptr) {
    check_blocks(out.size(), bytes, rank_ == root ? in.size() : total(bytes));
    if (native_->gatherv(context_, out, in, bytes, root)) return book_native(ledger_->gatherv(bytes, root));
  }
  collective::gatherv(*this, out, in, bytes, root, element_bytes);
}

void Comm::scatterv_bytes(std::span<const std::byte> out, std::span<std::byte> in, std::span<const std::size_t> bytes,
                          Rank root, std::uint8_t element_bytes) {
  check_peer(root, false);
  const Collective collective(*this);
  if (native_ != nullptr) {
    check_blocks(in.size(), bytes, rank_ == root ? out.size() : total(bytes));
    if (native_->scatterv(context_, out, in, bytes, root)) return book_native(ledger_->scatterv(bytes, root));
  }
  collective::scatterv(*this, out, in, bytes, root, element_bytes);
}

void Comm::allgatherv_bytes(std::span<const std::byte> out, std::span<std::byte> in,
                            std::span<const std::size_t> bytes, std::uint8_t element_bytes) {
  const Collective collective(*this);
  if (native_ != nullptr) {
    check_blocks(out.size(), bytes, in.size());
    if (native_->allgatherv(context_, out, in, bytes)) return book_native(ledger_->allgatherv(bytes, element_bytes));
  }
  if (through_slots::suits_allgather(size(), bytes)) {
    if (auto* area = shared_area(total(bytes)); area != nullptr) {
      check_blocks(out.size(), bytes, in.size());
      if (through_slots::allgatherv(*this, *area, out, in, bytes)) {
        return book_native(ledger_->allgatherv(bytes, element_bytes));
      }
    }
  }
  if (through_memory::suits_allgather(size(), total(bytes)) && is_in_one_memory()) {
    check_blocks(out.size(), bytes, in.size());
    bool done = false;
    without_counting([&] { done = through_memory::allgatherv(*this, out, in, bytes); });
    if (done) return book_native(ledger_->allgatherv(bytes, element_bytes));
  }
  collective::allgatherv(*this, out, in, bytes, element_bytes);
}

void Comm::exchange(std::span<const Piece> out, std::span<const Piece> in, std::uint8_t element_bytes) {
  const Collective collective(*this);
  collective::exchange_pieces(*this, out, in, element_bytes);
}

void Comm::alltoall_bytes(std::span<const std::byte> out, std::span<std::byte> in, std::size_t block_bytes,
                          std::uint8_t element_bytes) {
  const Collective collective(*this);
  const std::vector<std::size_t> bytes(static_cast<std::size_t>(size()), block_bytes);
  if (native_ != nullptr) {
    collective::check_buffer(std::min(out.size(), in.size()), bytes.size() * block_bytes);
    if (native_->alltoall(context_, out, in, block_bytes)) return book_native_alltoallv(bytes, bytes);
  }
  collective::alltoallv(*this, out, bytes, in, bytes, element_bytes);
}

void Comm::alltoallv_bytes(std::span<const std::byte> out, std::span<const std::size_t> out_bytes,
                           std::span<std::byte> in, std::span<const std::size_t> in_bytes,
                           std::uint8_t element_bytes) {
  const Collective collective(*this);
  if (native_ != nullptr) {
    collective::check_block_count(*this, out_bytes);
    check_blocks(out_bytes[static_cast<std::size_t>(rank_)], in_bytes, in.size());
    check_blocks(in_bytes[static_cast<std::size_t>(rank_)], out_bytes, out.size());
    if (native_->alltoallv(context_, out, out_bytes, in, in_bytes, element_bytes)) {
      return book_native_alltoallv(out_bytes, in_bytes);
    }
  }
  collective::alltoallv(*this, out, out_bytes, in, in_bytes, element_bytes);
}

}  // namespace nasvm
