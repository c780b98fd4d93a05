#include "vm/comm.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>

#include "vm/collective/blocks.hpp"
#include "vm/collective/collective.hpp"
#include "vm/collective/ledger.hpp"
#include "vm/native_collectives.hpp"

namespace nasvm {
namespace {

/// Contexts 0 and 1 belong to Task (routed and direct messages); Comms get pairs from here on.
constexpr Context first_comm_context = 2;

std::size_t total(std::span<const std::size_t> bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
}

}  // namespace

class Comm::Call {
 public:
  explicit Call(Shared& shared) : shared_(shared) {
    if (shared_.call_depth++ == 0) {
      ++shared_.counters.calls;
      begin_ = ticks_now();
    }
  }
  ~Call() {
    if (--shared_.call_depth == 0) shared_.counters.communication += ticks_now() - begin_;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Shared& shared_;
  Ticks begin_ = 0;
};

class Comm::Collective {
 public:
  explicit Collective(Comm& comm) : call_(*comm.shared_), comm_(comm) { ++comm_.in_collective_; }
  ~Collective() { --comm_.in_collective_; }
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;

 private:
  Call call_;
  Comm& comm_;
};

Request& Request::operator=(Request&& other) noexcept {
  if (this != &other) {
    if (pending()) comm_->wait(*this);
    comm_ = other.comm_;
    operation_ = std::exchange(other.operation_, nullptr);
  }
  return *this;
}

Request::~Request() noexcept(false) {
  if (!pending()) return;
  if (std::uncaught_exceptions() > 0) {
    // The task is failing: waiting might never end. Nothing moves any more messages, so nothing writes to the
    // buffer either once a posted receive is withdrawn.
    if (operation_->kind == Operation::Kind::receive) (void)comm_->endpoint_->cancel(*operation_);
    return;
  }
  comm_->wait(*this);
}

Comm::Comm(Endpoint& endpoint) : endpoint_(&endpoint), shared_(std::make_shared<Shared>()) {
  calibrate_clock();
  world_ranks_.resize(static_cast<std::size_t>(endpoint.size()));
  std::iota(world_ranks_.begin(), world_ranks_.end(), 0);
  rank_of_world_ = world_ranks_;
  rank_ = endpoint.rank();
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
  const bool is_moved_from = world_ranks_.empty();
  if (!is_moved_from && std::uncaught_exceptions() == 0) endpoint_->close_contexts(context_);
}

Comm::Comm(Comm&&) noexcept = default;

// --- operations -------------------------------------------------------------------------------------------

void Comm::check_peer(Rank peer, bool wildcard) const {
  if ((peer >= 0 && peer < size()) || (wildcard && peer == any_source)) return;
  throw std::invalid_argument("rank " + std::to_string(peer) + " is not in 0.." + std::to_string(size() - 1));
}

void Comm::prepare_send(Operation& operation, std::span<const std::byte> data, Rank to, Tag tag,
                        std::uint8_t element_bytes) {
  check_peer(to, false);
  operation.kind = Operation::Kind::send;
  operation.complete = false;
  operation.element_bytes = element_bytes;
  operation.context = active_context();
  operation.peer = world_rank(to);
  operation.tag = tag;
  operation.data = const_cast<std::byte*>(data.data());  // a send never writes through it
  operation.bytes = data.size();
  PeerCounters& peer = shared_->counters.peers[static_cast<std::size_t>(operation.peer)];
  ++peer.messages_sent;
  peer.bytes_sent += data.size();
}

void Comm::prepare_receive(Operation& operation, std::span<std::byte> data, Rank from, Tag tag,
                           std::uint8_t element_bytes) {
  check_peer(from, true);
  operation.kind = Operation::Kind::receive;
  operation.complete = false;
  operation.element_bytes = element_bytes;
  operation.context = active_context();
  operation.peer = from == any_source ? any_source : world_rank(from);
  operation.tag = tag;
  operation.data = data.data();
  operation.bytes = data.size();
  operation.arrived = 0;
}

void Comm::start(Operation& operation) { endpoint_->start(operation); }

void Comm::wait_until_complete(Operation& operation) {
  if (operation.complete) return;
  const bool receive = operation.kind == Operation::Kind::receive;
  const Ticks begin = receive ? ticks_now() : 0;
  Operation* const waited[] = {&operation};
  try {
    endpoint_->wait_any(waited);
  } catch (...) {
    // Whoever owns the operation may be about to go: nothing must arrive in it any more.
    if (receive) (void)endpoint_->cancel(operation);
    throw;
  }
  if (receive) shared_->counters.idle += std::max<Ticks>(0, operation.arrived - begin);
}

Status Comm::book(Operation& operation) {
  if (operation.kind == Operation::Kind::send) return {};
  PeerCounters& peer = shared_->counters.peers[static_cast<std::size_t>(operation.status.source)];
  ++peer.messages_received;
  peer.bytes_received += operation.status.bytes;
  Status status = operation.status;
  status.source = rank_of_world_[static_cast<std::size_t>(status.source)];
  return status;
}

Status Comm::finish(Operation& operation) {
  wait_until_complete(operation);
  return book(operation);
}

Operation* Comm::take_operation() {
  auto& free = shared_->free_operations;
  if (free.empty()) free.push_back(shared_->operations.emplace_back(std::make_unique<Operation>()).get());
  Operation* operation = free.back();
  free.pop_back();
  return operation;
}

void Comm::give_back(Operation* operation) { shared_->free_operations.push_back(operation); }

// --- point to point ---------------------------------------------------------------------------------------

void Comm::send_bytes(std::span<const std::byte> data, Rank to, Tag tag, std::uint8_t element_bytes) {
  const Call call(*shared_);
  Operation operation;
  prepare_send(operation, data, to, tag, element_bytes);
  start(operation);
  wait_until_complete(operation);
}

Status Comm::recv_bytes(std::span<std::byte> data, Rank from, Tag tag, std::uint8_t element_bytes) {
  const Call call(*shared_);
  Operation operation;
  prepare_receive(operation, data, from, tag, element_bytes);
  start(operation);
  return finish(operation);
}

Request Comm::isend_bytes(std::span<const std::byte> data, Rank to, Tag tag, std::uint8_t element_bytes) {
  const Call call(*shared_);
  check_peer(to, false);
  Operation* operation = take_operation();
  prepare_send(*operation, data, to, tag, element_bytes);
  Request request(this, operation);
  start(*operation);
  return request;
}

Request Comm::irecv_bytes(std::span<std::byte> data, Rank from, Tag tag, std::uint8_t element_bytes) {
  const Call call(*shared_);
  check_peer(from, true);
  Operation* operation = take_operation();
  prepare_receive(*operation, data, from, tag, element_bytes);
  Request request(this, operation);
  start(*operation);
  return request;
}

Status Comm::sendrecv_bytes(std::span<const std::byte> out, Rank to, std::span<std::byte> in, Rank from, Tag tag,
                            std::uint8_t out_element_bytes, std::uint8_t in_element_bytes) {
  const Call call(*shared_);
  Operation receive;
  prepare_receive(receive, in, from, tag, in_element_bytes);
  Operation send;
  prepare_send(send, out, to, tag, out_element_bytes);
  start(receive);
  start(send);
  const Status status = finish(receive);
  wait_until_complete(send);
  return status;
}

Status Comm::wait(Request& request) {
  if (!request.pending()) return {};
  const Call call(*shared_);
  Operation* operation = std::exchange(request.operation_, nullptr);
  const Status status = finish(*operation);
  give_back(operation);
  return status;
}

void Comm::wait_all(std::span<Request> requests) {
  const Call call(*shared_);
  for (Request& request : requests) wait(request);
}

std::size_t Comm::wait_any(std::span<Request> requests, Status* status) {
  const Call call(*shared_);
  std::vector<Operation*> waited(requests.size(), nullptr);
  bool receiving = false;
  bool any = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    waited[i] = requests[i].operation_;
    if (waited[i] == nullptr) continue;
    any = true;
    receiving = receiving || waited[i]->kind == Operation::Kind::receive;
  }
  if (!any) throw std::invalid_argument("wait_any: every request is empty");
  const auto is_complete = [](const Operation* operation) { return operation != nullptr && operation->complete; };
  auto found = std::find_if(waited.begin(), waited.end(), is_complete);
  if (found == waited.end()) {
    const Ticks begin = ticks_now();
    endpoint_->wait_any(waited);
    found = std::find_if(waited.begin(), waited.end(), is_complete);
    if (receiving && (*found)->kind == Operation::Kind::receive) {
      shared_->counters.idle += std::max<Ticks>(0, (*found)->arrived - begin);
    }
  }
  const auto index = static_cast<std::size_t>(found - waited.begin());
  const Status result = wait(requests[index]);
  if (status != nullptr) *status = result;
  return index;
}

bool Comm::test(Request& request, Status* status) {
  if (!request.pending()) return true;
  const Call call(*shared_);
  if (!request.operation_->complete) endpoint_->progress();
  if (!request.operation_->complete) return false;
  const Status result = wait(request);
  if (status != nullptr) *status = result;
  return true;
}

Status Comm::probe(Rank from, Tag tag) {
  const Call call(*shared_);
  check_peer(from, true);
  Status found;
  const Ticks begin = ticks_now();
  (void)endpoint_->probe(from == any_source ? any_source : world_rank(from), tag, active_context(), found, true);
  shared_->counters.idle += ticks_now() - begin;
  found.source = rank_of_world_[static_cast<std::size_t>(found.source)];
  return found;
}

bool Comm::iprobe(Rank from, Tag tag, Status& found) {
  const Call call(*shared_);
  check_peer(from, true);
  if (!endpoint_->probe(from == any_source ? any_source : world_rank(from), tag, active_context(), found, false)) {
    return false;
  }
  found.source = rank_of_world_[static_cast<std::size_t>(found.source)];
  return true;
}

void Comm::progress() {
  if (shared_->free_operations.size() == shared_->operations.size()) return;
  const Call call(*shared_);
  endpoint_->progress();
}

// --- collectives ------------------------------------------------------------------------------------------

void Comm::book_native(std::span<const std::pair<Rank, PeerCounters>> traffic) {
  for (const auto& [rank, cost] : traffic) {
    PeerCounters& peer = shared_->counters.peers[static_cast<std::size_t>(world_rank(rank))];
    peer.bytes_sent += cost.bytes_sent;
    peer.bytes_received += cost.bytes_received;
    peer.messages_sent += cost.messages_sent;
    peer.messages_received += cost.messages_received;
  }
}

void Comm::book_native_alltoallv(std::span<const std::size_t> out_bytes, std::span<const std::size_t> in_bytes) {
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

void Comm::barrier() {
  const Collective collective(*this);
  if (native_ != nullptr && native_->barrier(context_)) return book_native(ledger_->barrier());
  collective::barrier(*this);
}

void Comm::broadcast_bytes(std::span<std::byte> data, Rank root, std::uint8_t element_bytes) {
  check_peer(root, false);
  const Collective collective(*this);
  if (native_ != nullptr && native_->broadcast(context_, data, root)) {
    return book_native(ledger_->broadcast(data.size(), root, element_bytes));
  }
  collective::broadcast(*this, data, root, element_bytes);
}

void Comm::reduce_bytes(std::span<std::byte> inout, const Reduction& op, Rank root) {
  check_peer(root, false);
  const Collective collective(*this);
  if (native_ != nullptr && native_->reduce(context_, inout, op, root)) {
    return book_native(ledger_->reduce(inout.size(), op, root));
  }
  collective::reduce(*this, inout, op, root);
}

void Comm::allreduce_bytes(std::span<std::byte> inout, const Reduction& op) {
  const Collective collective(*this);
  if (native_ != nullptr && native_->allreduce(context_, inout, op)) {
    return book_native(ledger_->allreduce(inout.size(), op));
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
  collective::allgatherv(*this, out, in, bytes, element_bytes);
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

std::unique_ptr<Comm> Comm::split(int color, int key) {
  struct Member {
    int color, key;
    Rank rank;
  };
  const Call call(*shared_);
  // Groups of different colours have no member in common, so they share one new context pair: the first
  // that is free on every member of this Comm.
  const Context context = allreduce_value(shared_->next_context, Max{});
  shared_->next_context = context + 2;

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

}  // namespace nasvm
