#include "vm/collective/ledger.hpp"

#include <memory>
#include <numeric>

#include "vm/collective/collective.hpp"
#include "vm/comm.hpp"

namespace nasvm::collective {
namespace {

/// Every message is there at once and as long as its buffer; nothing is moved.
class CountingEndpoint final : public Endpoint {
 public:
  CountingEndpoint(Rank rank, int size) : rank_(rank), size_(size) {}

  Rank rank() const override { return rank_; }
  int size() const override { return size_; }
  void start(Operation& operation) override {
    operation.status = {operation.peer, operation.tag, operation.bytes};
    operation.complete = true;
  }
  void progress() override {}
  void wait_any(std::span<Operation* const>) override {}
  bool probe(Rank, Tag, Context, Status&, bool) override { return false; }
  bool cancel(Operation&) override { return false; }
  std::string_view method(Rank) const override { return "none"; }

 private:
  Rank rank_;
  int size_;
};

/// The same reduction, without doing anything.
Reduction idle(const Reduction& op) {
  Reduction result = op;
  result.combine = [](const void*, std::byte*, const std::byte*, std::size_t) {};
  result.combine_reversed = result.combine;
  return result;
}

/// What of a reduction decides about the messages.
std::size_t detail_of(const Reduction& op, Rank root) {
  return (static_cast<std::size_t>(root) * 2 + (op.commutative ? 1 : 0)) * 4096 + op.operand_bytes;
}

std::size_t sum(Ledger::Lengths bytes) { return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}); }

/// Memory for a collective that only counts: never filled, so that what is not touched costs nothing.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes) : memory_(std::make_unique_for_overwrite<std::byte[]>(bytes)), bytes_(bytes) {}
  operator std::span<std::byte>() const { return {memory_.get(), bytes_}; }
  operator std::span<const std::byte>() const { return {memory_.get(), bytes_}; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t bytes_;
};

}  // namespace

template <typename Algorithm>
const Ledger::Traffic& Ledger::find(Kind kind, std::size_t detail, Lengths bytes, Algorithm algorithm) {
  key_.assign({static_cast<std::size_t>(kind), detail});
  key_.insert(key_.end(), bytes.begin(), bytes.end());
  const auto found = known_.find(key_);
  if (found != known_.end()) return found->second;
  // Programs whose lengths change from call to call would fill the memory.
  constexpr std::size_t most_known = 4096;
  if (known_.size() >= most_known) known_.clear();
  return known_.emplace(key_, run(algorithm)).first->second;
}

Ledger::Traffic Ledger::run(const std::function<void(Comm&)>& algorithm) const {
  CountingEndpoint endpoint(rank_, size_);
  Comm comm(endpoint);
  algorithm(comm);
  Traffic traffic;
  for (Rank rank = 0; rank < size_; ++rank) {
    const PeerCounters& peer = comm.counters().peers[static_cast<std::size_t>(rank)];
    if (peer.messages_sent + peer.messages_received > 0) traffic.emplace_back(rank, peer);
  }
  return traffic;
}

const Ledger::Traffic& Ledger::barrier() {
  return find(Kind::barrier, 0, {}, [](Comm& comm) { collective::barrier(comm); });
}

const Ledger::Traffic& Ledger::broadcast(std::size_t bytes, Rank root, std::uint8_t element_bytes) {
  return find(Kind::broadcast, static_cast<std::size_t>(root) * 256 + element_bytes, Lengths(&bytes, 1),
              [=](Comm& comm) {
                Buffer data(bytes);
                collective::broadcast(comm, data, root, element_bytes);
              });
}

const Ledger::Traffic& Ledger::reduce(std::size_t bytes, const Reduction& op, Rank root) {
  return find(Kind::reduce, detail_of(op, root), Lengths(&bytes, 1), [&op, bytes, root](Comm& comm) {
    Buffer data(bytes);
    collective::reduce(comm, data, idle(op), root);
  });
}

const Ledger::Traffic& Ledger::allreduce(std::size_t bytes, const Reduction& op) {
  return find(Kind::allreduce, detail_of(op, 0), Lengths(&bytes, 1), [&op, bytes](Comm& comm) {
    Buffer data(bytes);
    collective::allreduce(comm, data, idle(op));
  });
}

const Ledger::Traffic& Ledger::scan(std::size_t bytes, const Reduction& op) {
  return find(Kind::scan, detail_of(op, 0), Lengths(&bytes, 1), [&op, bytes](Comm& comm) {
    Buffer data(bytes);
    collective::scan(comm, data, idle(op));
  });
}

const Ledger::Traffic& Ledger::gatherv(Lengths bytes, Rank root) {
  return find(Kind::gatherv, static_cast<std::size_t>(root), bytes, [&](Comm& comm) {
    const Buffer out(bytes[static_cast<std::size_t>(rank_)]);
    Buffer in(rank_ == root ? sum(bytes) : 0);
    collective::gatherv(comm, out, in, bytes, root, 1);
  });
}

const Ledger::Traffic& Ledger::scatterv(Lengths bytes, Rank root) {
  return find(Kind::scatterv, static_cast<std::size_t>(root), bytes, [&](Comm& comm) {
    const Buffer out(rank_ == root ? sum(bytes) : 0);
    Buffer in(bytes[static_cast<std::size_t>(rank_)]);
    collective::scatterv(comm, out, in, bytes, root, 1);
  });
}

const Ledger::Traffic& Ledger::allgatherv(Lengths bytes, std::uint8_t element_bytes) {
  return find(Kind::allgatherv, element_bytes, bytes, [&](Comm& comm) {
    const Buffer out(bytes[static_cast<std::size_t>(rank_)]);
    Buffer in(sum(bytes));
    collective::allgatherv(comm, out, in, bytes, element_bytes);
  });
}

}  // namespace nasvm::collective
