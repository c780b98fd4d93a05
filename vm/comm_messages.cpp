#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>

#include "vm/comm_call.hpp"
#include "vm/status.hpp"
#include "vm/streaming_copy.hpp"

// Messages of a Comm: operations, which collectives use, too, and the calls from point to point.

namespace nasvm {
namespace {

/// Copying more takes a while.
constexpr std::size_t quick_bytes = 1024;

}  // namespace

/// Threads that take turns may have waited, too, and booked that meanwhile: time that has passed once counts once, so
/// that it never exceeds that of communication. Beside what was booked before there is all of this wait, and beside
/// what is booked by now that part of it which is later than all that.
void Comm::Shared::book_idle(Ticks before, Ticks begin, Ticks end) {
  const Ticks later = counters.idle + end - std::max(begin, idle_until);
  counters.idle = std::max({counters.idle, before + end - begin, later});
  idle_until = std::max(idle_until, end);
}

Request& Request::operator=(Request&& other) {
  if (this != &other) {
    if (pending()) comm_->wait(*this);
    comm_ = other.comm_;
    operation_ = std::exchange(other.operation_, nullptr);
  }
  return *this;
}

/// A destructor that throws would end the task where containers hold requests.
Request::~Request() {
  if (!pending()) return;
  if (std::uncaught_exceptions() > 0) {
    // Something has failed: waiting might never end.
    if (!operation_->complete) comm_->endpoint_->withdraw(*operation_);
    return;
  }
  std::exception_ptr& forgotten = comm_->shared_->forgotten;
  std::exception_ptr first = std::exchange(forgotten, nullptr);  // which does not end this wait
  try {
    comm_->wait(*this);
  } catch (...) {
    if (first == nullptr) first = std::current_exception();
  }
  forgotten = first;
}

// --- operations -------------------------------------------------------------------------------------------

void Comm::complain_of_rank(Rank peer) const {
  throw std::invalid_argument("rank " + std::to_string(peer) + " is not in 0.." + std::to_string(size() - 1));
}

void Comm::complain_of_division(std::size_t elements, std::size_t block) const {
  throw std::invalid_argument(std::to_string(elements) + " elements are not " + std::to_string(block) +
                              " for each of " + std::to_string(size()) + " tasks");
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
  const bool untimed = shared_->call_begin == Shared::untimed;
  if (data.size() > quick_bytes || (untimed && !endpoint_->sends_through_memory(operation.peer))) time_this_call();
  if (!is_counting()) return;
  PeerCounters& peer = shared_->counters.peers[static_cast<std::size_t>(operation.peer)];
  ++peer.messages_sent;
  peer.bytes_sent += data.size();
}

void Comm::prepare_receive(Operation& operation, std::span<std::byte> data, Rank from, Tag tag,
                           std::uint8_t element_bytes) {
  check_peer(from, true);
  if (data.size() > quick_bytes) time_this_call();
  operation.kind = Operation::Kind::receive;
  operation.complete = false;
  operation.abandoned = false;
  operation.element_bytes = element_bytes;
  operation.context = active_context();
  operation.peer = from == any_source ? any_source : world_rank(from);
  operation.tag = tag;
  operation.data = data.data();
  operation.bytes = data.size();
  operation.arrived = 0;
}

void Comm::wait_until_complete(Operation& operation) {
  if (operation.complete) return;
  Operation* const waited[] = {&operation};
  (void)wait_for_first(waited);
}

std::size_t Comm::wait_for_first(std::span<Operation* const> operations) {
  const auto first_complete = [&] {
    const auto found = std::ranges::find_if(operations, [](const Operation* one) { return one && one->complete; });
    return static_cast<std::size_t>(found - operations.begin());
  };
  std::size_t first = first_complete();
  if (first != operations.size()) return first;
  complain_of_forgotten();
  time_this_call();
  if (operations.size() == 1) {
    // What is there already has not been waited for: no idle time is taken for it.
    endpoint_->look_for(*operations[0]);
    if (operations[0]->complete) return 0;
  }
  const Ticks idle = shared_->counters.idle;
  const Ticks begin = ticks_now();
  endpoint_->wait_any(operations);
  first = first_complete();
  if (first == operations.size() || is_in_background()) return first;
  const Operation& one = *operations[first];
  if (one.kind == Operation::Kind::receive) {
    shared_->book_idle(idle, begin, one.arrived != 0 ? one.arrived : ticks_now());
  }
  return first;
}

void Comm::wait_for_memory(const std::function<bool()>& done, WaitedFor what) {
  if (done()) return;
  complain_of_forgotten();
  const Ticks idle = shared_->counters.idle;
  const Ticks begin = ticks_now();
  endpoint_->wait_for_memory(world_ranks_, done);
  if (what == WaitedFor::data && !is_in_background()) shared_->book_idle(idle, begin, ticks_now());
}

Status Comm::finish(Operation& operation) {
  wait_until_complete(operation);
  return operation.kind == Operation::Kind::send ? Status{} : finish_receive(operation);
}

RequestOperation* Comm::take_operation() {
  auto& free = shared_->free_operations;
  if (free.empty()) free.push_back(shared_->operations.emplace_back(std::make_unique<RequestOperation>()).get());
  RequestOperation* operation = free.back();
  free.pop_back();
  return operation;
}

void Comm::give_back(RequestOperation* operation) {
  operation->is_placed = false;
  operation->abandoned = false;  // a receive that was too short when it started
  shared_->free_operations.push_back(operation);
}

Request Comm::start(RequestOperation* operation) {
  try {
    endpoint_->start(*operation);
  } catch (...) {
    give_back(operation);
    throw;
  }
  return Request(this, operation);
}

// --- point to point ---------------------------------------------------------------------------------------

void Comm::send_bytes(std::span<const std::byte> data, Rank to, Tag tag, std::uint8_t element_bytes) {
  const Call call(*this, &Shared::sends);
  check_tag(tag);
  LocalOperation operation(*endpoint_);
  prepare_send(operation, data, to, tag, element_bytes);
  operation.start();
  wait_until_complete(operation);
}

void Comm::post_bytes(std::span<const std::byte> data, Rank to, Tag tag, std::uint8_t element_bytes) {
  const Call call(*this, &Shared::sends);
  check_tag(tag);
  LocalOperation operation(*endpoint_);
  prepare_send(operation, data, to, tag, element_bytes);
  operation.start();
}

Status Comm::recv_bytes(std::span<std::byte> data, Rank from, Tag tag, std::uint8_t element_bytes) {
  const Call call(*this, &Shared::receives);
  check_wanted_tag(tag);
  LocalOperation operation(*endpoint_);
  prepare_receive(operation, data, from, tag, element_bytes);
  operation.start();
  return finish(operation);
}

Request Comm::isend_bytes(std::span<const std::byte> data, Rank to, Tag tag, std::uint8_t element_bytes) {
  const Call call(*this, &Shared::sends);
  check_peer(to, false);
  check_tag(tag);
  RequestOperation* operation = take_operation();
  prepare_send(*operation, data, to, tag, element_bytes);
  return start(operation);
}

Request Comm::irecv_bytes(std::span<std::byte> data, Rank from, Tag tag, std::uint8_t element_bytes) {
  const Call call(*this, &Shared::receives);
  check_peer(from, true);
  check_wanted_tag(tag);
  RequestOperation* operation = take_operation();
  prepare_receive(*operation, data, from, tag, element_bytes);
  return start(operation);
}

Request Comm::isend_placed(std::size_t bytes, Rank to, Tag tag) {
  const Call call(*this, &Shared::sends);
  check_peer(to, false);
  check_tag(tag);
  order_stores_past_cache();
  RequestOperation* operation = take_operation();
  operation->is_placed = true;
  operation->placed_bytes = bytes;
  prepare_send(*operation, std::as_bytes(std::span(&operation->placed_bytes, 1)), to, tag, sizeof(std::uint64_t));
  if (is_counting()) {
    PeerCounters& peer = shared_->counters.peers[static_cast<std::size_t>(operation->peer)];
    peer.bytes_sent = peer.bytes_sent - sizeof(std::uint64_t) + bytes;
  }
  return start(operation);
}

Request Comm::irecv_placed(std::size_t most_bytes, Rank from, Tag tag) {
  const Call call(*this, &Shared::receives);
  check_peer(from, true);
  check_wanted_tag(tag);
  RequestOperation* operation = take_operation();
  operation->is_placed = true;
  operation->placed_bytes = 0;
  operation->most_bytes = most_bytes;
  prepare_receive(*operation, std::as_writable_bytes(std::span(&operation->placed_bytes, 1)), from, tag,
                  sizeof(std::uint64_t));
  return start(operation);
}

void Comm::book_placed(const RequestOperation& receive, Status& status) {
  if (status.bytes != sizeof receive.placed_bytes) {
    throw RunError("task " + std::to_string(status.source) + " has sent " + std::to_string(status.bytes) +
                   " bytes where a placed message was to come");
  }
  if (receive.placed_bytes > receive.most_bytes) {
    throw RunError("task " + std::to_string(status.source) + " has placed " + std::to_string(receive.placed_bytes) +
                   " bytes where there is room for " + std::to_string(receive.most_bytes));
  }
  if (is_counting()) {
    PeerCounters& peer = shared_->counters.peers[static_cast<std::size_t>(receive.status.source)];
    peer.bytes_received = peer.bytes_received - status.bytes + receive.placed_bytes;
  }
  status.bytes = receive.placed_bytes;
}

Status Comm::sendrecv_bytes(std::span<const std::byte> out, Rank to, std::span<std::byte> in, Rank from, Tag tag,
                            std::uint8_t out_element_bytes, std::uint8_t in_element_bytes) {
  const Call call(*this);
  check_tag(tag);
  LocalOperation receive(*endpoint_);
  prepare_receive(receive, in, from, tag, in_element_bytes);
  LocalOperation send(*endpoint_);
  prepare_send(send, out, to, tag, out_element_bytes);
  receive.start();
  send.start();
  const Status status = finish(receive);
  wait_until_complete(send);
  return status;
}

Status Comm::wait(Request& request) {
  if (!request.pending()) return {};
  const Call call(*this, &Shared::waits);
  Comm& owner = *request.comm_;  // by whose ranks the status is
  RequestOperation* operation = std::exchange(request.operation_, nullptr);
  try {
    wait_until_complete(*operation);
  } catch (...) {
    // Its buffer may be about to go. It is not given back: an endpoint may still read what is in it itself.
    endpoint_->withdraw(*operation);
    throw;
  }
  Status status;
  if (operation->kind == Operation::Kind::receive) {
    status = owner.finish_receive(*operation);
    if (operation->is_placed) owner.book_placed(*operation, status);
  }
  give_back(operation);
  return status;
}

void Comm::wait_all(std::span<Request> requests) {
  const Call call(*this);
  for (Request& request : requests) wait(request);
}

/// As wait_for_first. A request that has failed is over, as after `wait`: the others can be waited for.
std::size_t Comm::wait_for_one(std::span<Request> requests, std::span<Operation* const> waited) {
  try {
    return wait_for_first(waited);
  } catch (...) {
    const auto failed = std::ranges::find_if(waited, [](const Operation* one) { return one && one->abandoned; });
    if (failed == waited.end()) throw;
    endpoint_->withdraw(**failed);
    requests[static_cast<std::size_t>(failed - waited.begin())].operation_ = nullptr;
    throw;
  }
}

std::size_t Comm::wait_any(std::span<Request> requests, Status* status) {
  const Call call(*this);
  std::vector<Operation*> waited(requests.size(), nullptr);
  bool any = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    waited[i] = requests[i].operation_;
    any = any || waited[i] != nullptr;
  }
  if (!any) throw std::invalid_argument("wait_any: every request is empty");
  const std::size_t index = wait_for_one(requests, waited);
  const Status result = wait(requests[index]);
  if (status != nullptr) *status = result;
  return index;
}

bool Comm::test(Request& request, Status* status) {
  if (!request.pending()) return true;
  const Call call(*this);
  const Operation& operation = *request.operation_;
  if (!operation.complete) endpoint_->progress();
  if (!operation.complete && !operation.abandoned) return false;  // to wait for what is abandoned is an error
  const Status result = wait(request);
  if (status != nullptr) *status = result;
  return true;
}

Status Comm::probe(Rank from, Tag tag) {
  const Call call(*this);
  check_peer(from, true);
  check_wanted_tag(tag);
  Status found;
  const Ticks idle = shared_->counters.idle;
  const Ticks begin = ticks_now();
  (void)endpoint_->probe(from == any_source ? any_source : world_rank(from), tag, active_context(), found, true);
  shared_->book_idle(idle, begin, ticks_now());
  found.source = rank_of_world_[static_cast<std::size_t>(found.source)];
  return found;
}

bool Comm::iprobe(Rank from, Tag tag, Status& found) {
  const Call call(*this);
  check_peer(from, true);
  check_wanted_tag(tag);
  if (!endpoint_->probe(from == any_source ? any_source : world_rank(from), tag, active_context(), found, false)) {
    return false;
  }
  found.source = rank_of_world_[static_cast<std::size_t>(found.source)];
  return true;
}

void Comm::progress() {
  if (shared_->free_operations.size() == shared_->operations.size()) return;
  const Call call(*this);
  endpoint_->progress();
}

// --- for libraries above ----------------------------------------------------------------------------------

void Comm::start_send(Operation& operation, std::span<const std::byte> data, Rank to, Tag tag,
                      std::uint8_t element_bytes) {
  prepare_send(operation, data, to, tag, element_bytes);
  endpoint_->start(operation);
}

void Comm::start_receive(Operation& operation, std::span<std::byte> data, Rank from, Tag tag,
                         std::uint8_t element_bytes) {
  prepare_receive(operation, data, from, tag, element_bytes);
  endpoint_->start(operation);
}

void Comm::wait_for_any(std::span<Operation* const> operations) {
  const Call call(*this);
  (void)wait_for_first(operations);
}

}  // namespace nasvm
