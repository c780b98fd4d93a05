#include "vm/system/pvm/task/pvm_endpoint.hpp"

#include <pvm3.h>

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <utility>

#include "vm/status.hpp"
#include "vm/too_short.hpp"

namespace nasvm {
namespace {

/// PVM's own messages have contexts from here on.
constexpr Context first_system_context = 0x70000;

/// That of messages between endpoints themselves.
constexpr Context settling_context = first_system_context - 1;

/// Of pvm_mcast's messages, in the context of a Comm's collectives, which never come so far with their own.
constexpr Tag mcast_tag = INT_MAX;

/// The oldest message, whatever its context: PVM's own matching would leave those of other contexts where they are.
int match_any(int, int, int) { return 1; }

}  // namespace

int check_pvm(int code, const char* what) {
  if (code >= 0) return code;
  throw RunError(fmt::format("{} failed: {}", what, pvm_strerror()));
}

PvmEndpoint::PvmEndpoint(Rank rank, std::vector<int> tids, Broadcast broadcast)
    : rank_(rank), tids_(std::move(tids)), broadcast_(broadcast), matcher_(static_cast<int>(tids_.size())) {
  for (std::size_t peer = 0; peer < tids_.size(); ++peer) rank_of_[tids_[peer]] = static_cast<Rank>(peer);
  pvm_recvf(match_any);
}

/// In the first round every task asks every other for a connection. Who sends in the second has heard from its
/// receiver in the first, so the answer is on its way before that message, by the same way or by the connection
/// itself.
void PvmEndpoint::settle_routes() {
  const auto exchange = [this](Operation::Kind kind, Rank peer, Tag round) {
    Operation operation;
    operation.kind = kind;
    operation.context = settling_context;
    operation.peer = peer;
    operation.tag = round;
    start(operation);
    Operation* const waited[] = {&operation};
    if (!operation.complete) wait_any(waited);
  };
  for (const Tag round : {1, 2}) {
    for (Rank peer = 0; peer < size(); ++peer) {
      if (peer != rank_) exchange(Operation::Kind::send, peer, round);
    }
    for (Rank peer = 0; peer < size(); ++peer) {
      if (peer != rank_) exchange(Operation::Kind::receive, peer, round);
    }
  }
}

// --- sending ----------------------------------------------------------------------------------------------------

void PvmEndpoint::start(Operation& operation) {
  if (operation.kind == Operation::Kind::receive) return receive(operation);
  operation.peer == rank_ ? send_to_self(operation) : send(operation);
  operation.complete = true;
}

void PvmEndpoint::take_context(Context context) {
  if (context == send_context_) return;
  if (context > settling_context) throw RunError("PVM has no more contexts for communicators");
  check_pvm(pvm_setcontext(static_cast<int>(context)), "pvm_setcontext");
  send_context_ = context;
}

void PvmEndpoint::send(Operation& operation) {
  if (operation.bytes > INT_MAX) {
    throw RunError(
        fmt::format("PVM carries messages of up to {} bytes, and this one has {}", INT_MAX, operation.bytes));
  }
  take_context(operation.context);
  char nothing = 0;
  char* data = operation.bytes == 0 ? &nothing : reinterpret_cast<char*>(operation.data);
  check_pvm(pvm_psend(tids_[static_cast<std::size_t>(operation.peer)], operation.tag, data,
                      static_cast<int>(operation.bytes), PVM_BYTE),
            "pvm_psend");
}

void PvmEndpoint::send_to_self(Operation& operation) {
  auto message = std::make_unique<Unexpected>();
  message->source = rank_;
  message->tag = operation.tag;
  message->context = operation.context;
  message->bytes = operation.bytes;
  message->data = std::make_unique_for_overwrite<std::byte[]>(operation.bytes);
  message->arrived = ticks_now();
  if (operation.bytes > 0) std::memcpy(message->data.get(), operation.data, operation.bytes);
  Operation* receive = matcher_.take_posted(rank_, operation.tag, operation.context);
  if (receive == nullptr) return matcher_.add_unexpected(std::move(message));
  deliver(*message, 0, *receive);
}

// --- broadcast by pvm_mcast -------------------------------------------------------------------------------------

void PvmEndpoint::open_contexts(Context first, std::span<const Rank> members) {
  groups_[first].assign(members.begin(), members.end());
}

/// Its messages come to receivers as any other.
bool PvmEndpoint::broadcast(Context context, Bytes data, Rank root) {
  const auto group = groups_.find(context);
  if (group == groups_.end() || group->second.size() < 2 || data.size() > INT_MAX) return false;
  const Rank source = group->second[static_cast<std::size_t>(root)];
  if (source == rank_) {
    mcast(context, data);
    return true;
  }
  LocalOperation operation(*this);
  operation.kind = Operation::Kind::receive;
  operation.context = context + 1;
  operation.peer = source;
  operation.tag = mcast_tag;
  operation.data = data.data();
  operation.bytes = data.size();
  operation.start();
  Operation* const waited[] = {&operation};
  if (!operation.complete) wait_any(waited);
  return true;
}

/// To all members but this one, which PVM leaves out by itself.
void PvmEndpoint::mcast(Context context, Bytes data) {
  std::vector<int> tids;
  for (const Rank member : groups_.at(context)) tids.push_back(tids_[static_cast<std::size_t>(member)]);
  take_context(context + 1);
  check_pvm(pvm_initsend(PvmDataInPlace), "pvm_initsend");
  if (!data.empty()) {
    check_pvm(pvm_pkbyte(reinterpret_cast<char*>(data.data()), static_cast<int>(data.size()), 1), "pvm_pkbyte");
  }
  check_pvm(pvm_mcast(tids.data(), static_cast<int>(tids.size()), mcast_tag), "pvm_mcast");
}

// --- receiving --------------------------------------------------------------------------------------------------

void PvmEndpoint::receive(Operation& operation) {
  const auto message = matcher_.take_unexpected(operation.peer, operation.tag, operation.context);
  if (message == nullptr) return matcher_.post(operation);
  deliver(*message, static_cast<int>(message->sender_id), operation);
}

void PvmEndpoint::deliver(const Unexpected& message, int buffer, Operation& receive) {
  receive.status = {message.source, message.tag, message.bytes};
  if (message.bytes > receive.bytes) {
    if (buffer != 0) pvm_freebuf(buffer);
    receive.abandoned = true;
    complain_of_length(receive);
  }
  if (buffer == 0) {
    if (message.bytes > 0) std::memcpy(receive.data, message.data.get(), message.bytes);
  } else {
    pvm_setrbuf(buffer);
    if (message.bytes > 0) {
      const int bytes = static_cast<int>(message.bytes);
      check_pvm(pvm_upkbyte(reinterpret_cast<char*>(receive.data), bytes, 1), "pvm_upkbyte");
    }
    pvm_setrbuf(0);
    pvm_freebuf(buffer);
  }
  receive.arrived = message.arrived;
  receive.complete = true;
}

bool PvmEndpoint::take_message(bool block) {
  const int buffer = block ? check_pvm(pvm_recv(-1, -1), "pvm_recv") : check_pvm(pvm_nrecv(-1, -1), "pvm_nrecv");
  if (buffer == 0) return false;
  pvm_setrbuf(0);
  pvmminfo info{};
  check_pvm(pvm_getminfo(buffer, &info), "pvm_getminfo");
  const auto source = rank_of_.find(info.src);
  if (source == rank_of_.end()) throw RunError(fmt::format("a message from t{:x}, no task of this run", info.src));
  Unexpected message;
  message.source = source->second;
  message.tag = info.tag;
  message.context = static_cast<Context>(info.ctx);
  message.bytes = static_cast<std::size_t>(info.len);
  message.arrived = ticks_now();
  Operation* receive = matcher_.take_posted(message.source, message.tag, message.context);
  if (receive != nullptr) {
    deliver(message, buffer, *receive);
  } else {
    message.sender_id = static_cast<std::uint32_t>(buffer);  // it waits where it is
    matcher_.add_unexpected(std::make_unique<Unexpected>(std::move(message)));
  }
  return true;
}

void PvmEndpoint::progress() {
  while (take_message(false)) {
  }
}

void PvmEndpoint::wait_any(std::span<Operation* const> operations) {
  const auto is_given = [](const Operation* operation) { return operation != nullptr; };
  const auto is_complete = [](const Operation* operation) { return operation != nullptr && operation->complete; };
  const auto is_over = [](const Operation* operation) { return operation != nullptr && operation->abandoned; };
  if (std::ranges::none_of(operations, is_given)) return;
  while (std::ranges::none_of(operations, is_complete)) {
    const auto over = std::ranges::find_if(operations, is_over);
    if (over != operations.end()) complain_of_length(**over);
    take_message(true);
  }
}

bool PvmEndpoint::probe(Rank source, Tag tag, Context context, Status& found, bool block) {
  if (!block) progress();
  const Unexpected* message = nullptr;
  while ((message = matcher_.find_unexpected(source, tag, context)) == nullptr && block) take_message(true);
  if (message == nullptr) return false;
  found = {message->source, message->tag, message->bytes};
  return true;
}

}  // namespace nasvm
