#include <algorithm>
#include <string>
#include <utility>

#include "vm/service/parts.hpp"
#include "vm/status.hpp"

// Requests that this task makes: room for them, their way out, and startpoints, which make them.

namespace nasvm::service {

// --- room ----------------------------------------------------------------------------------------------------------

/// What every head tells its receiver.
void Service::Parts::fill_accounts(Rank rank, Head& head) {
  Account& account = peer(rank).account;
  head.replies = account.take_reply();
  head.credit = account.take_owed();
}

void Service::Parts::send_control(Rank rank, Kind kind, bool asks, std::uint32_t number, std::string_view text) {
  Head head{.kind = kind, .asks = asks, .number = number, .bytes = text.size()};
  fill_accounts(rank, head);
  sends.send({rank, peer(rank).context}, head, std::as_bytes(std::span(text)));
}

bool Service::Parts::is_done(Rank rank) {
  Account& account = peer(rank).account;
  if (carrier.is_gone(rank)) account.close();
  if (account.all_carried_out()) return true;
  if (account.ask()) send_control(rank, Kind::credit, true);
  return false;
}

void Service::Parts::wait_for(Rank rank) {
  (void)serve([&] { return is_done(rank); });
}

void Service::Parts::wait_for_room(const Startpoint::Target& target, Account::Units units) {
  const auto has_room = [&] { return peer(target.rank).account.has_room_for(units, window); };
  if (has_room()) return;
  ++counters.waits;
  (void)serve([&] { return has_room() || is_done(target.rank); });
}

// --- the way out ---------------------------------------------------------------------------------------------------

void Service::Parts::prepare(const Startpoint::Target& target, const Head& head) {
  if (carrier.is_gone(target.rank))
    throw RunError("task " + to_string(target.task) + " has ended: nobody serves there");
  if (!is_in_handler()) wait_for_room(target, Account::cost(head.bytes));
}

void Service::Parts::book(const Startpoint::Target& target, Head& head) {
  Peer& entry = peer(target.rank);
  entry.context = target.context;
  entry.account.made(Account::cost(head.bytes));
  head.asks = entry.account.should_ask(window);
  fill_accounts(target.rank, head);
  hint = {target.rank, target.context};
  ++counters.requests_made;
  counters.bytes_made += head.bytes;
}

namespace {

/// Data that stays in place until it has left.
Outgoing lasting(const Outgoing& data) {
  if (data.owner != nullptr) return data;
  const auto copy = std::make_shared<const std::vector<std::byte>>(data.bytes.begin(), data.bytes.end());
  return {*copy, copy};
}

}  // namespace

void Service::Parts::ask(const Startpoint::Target& target, Head& head, const Outgoing& data) {
  prepare(target, head);
  book(target, head);
  if (head.is_inline()) return sends.send({target.rank, target.context}, head, data.bytes);
  const Outgoing kept = lasting(data);
  sends.send({target.rank, target.context}, head, kept.bytes, kept.owner);
}

bool Service::Parts::ask_together(std::span<const Startpoint::Target> targets, const Head& head,
                                  const Outgoing& data) {
  const Context context = targets.front().context;
  if (head.is_inline() || !carrier.multicasts(context)) return false;
  std::vector<Rank> ranks;
  for (const Startpoint::Target& target : targets) {
    const bool is_new = std::ranges::find(ranks, target.rank) == ranks.end();
    if (!is_new || target.context != context || target.task == carrier.self()) return false;
    ranks.push_back(target.rank);
  }
  for (const Startpoint::Target& target : targets) prepare(target, head);
  // From here on nothing waits: the data follows each head before anything else does.
  for (const Startpoint::Target& target : targets) {
    Head own = head;
    own.endpoint = target.endpoint;
    book(target, own);
    sends.send({target.rank, context}, own, {});
  }
  const Outgoing kept = lasting(data);
  sends.multicast(context, ranks, kept.bytes, kept.owner);
  return true;
}

// --- startpoints ---------------------------------------------------------------------------------------------------

namespace {

[[noreturn]] void complain_of_nothing_bound() {
  throw RunError("a startpoint that is bound to no endpoint cannot be asked");
}

std::vector<std::byte> sealed(const Seal& seal, const Head& head, std::span<const std::byte> data) {
  std::array<std::byte, Head::bytes_on_wire> with;
  head.lasting().put(with);
  return seal.close(data, with);
}

}  // namespace

const Startpoint::Target& Startpoint::at(std::size_t target) const {
  if (!bound()) complain_of_nothing_bound();
  if (target < size()) return targets_[target];
  throw RunError("a startpoint of " + std::to_string(size()) + " endpoints has none of place " +
                 std::to_string(target));
}

RequestNumber Startpoint::request_all(HandlerName handler, const Outgoing& data, const Endpoint* answers) {
  if (!bound()) complain_of_nothing_bound();
  Service::Parts& parts = *service_->parts_;
  const Hold turn(parts);
  const RequestNumber number = parts.next_request++;
  const bool is_sealed = protection_ == Protection::sealed;
  // One head for all, changed in place: a copy of what has just been written waits for the processor's writes.
  Head head{.sealed = is_sealed,
            .handler = handler.number(),
            .number = number,
            .answers = answers == nullptr ? 0 : answers->number() + 1,
            .bytes = data.bytes.size() + (is_sealed ? Seal::overhead_bytes : 0)};
  // What is sealed is sealed for its endpoint.
  if (!is_sealed && size() > 1 && parts.ask_together(targets_, head, data)) return number;
  for (const Target& target : targets_) {
    head.endpoint = target.endpoint;
    if (!is_sealed) {
      parts.ask(target, head, data);
      continue;
    }
    const auto kept = std::make_shared<const std::vector<std::byte>>(sealed(parts.seal(), head, data.bytes));
    parts.ask(target, head, {*kept, kept});
  }
  return number;
}

RequestNumber Startpoint::request(HandlerName handler, std::span<const std::byte> data, const Endpoint* answers) {
  return request_all(handler, {data, nullptr}, answers);
}

RequestNumber Startpoint::request(HandlerName handler, PackBuffer message, const Endpoint* answers) {
  if (message.bytes().size() <= Head::longest_inline)
    return request_all(handler, {message.bytes(), nullptr}, answers);
  const auto kept = std::make_shared<const PackBuffer>(std::move(message));
  return request_all(handler, {kept->bytes(), kept}, answers);
}

RequestNumber Startpoint::request(HandlerName handler, std::vector<std::byte> data, const Endpoint* answers) {
  if (data.size() <= Head::longest_inline) return request_all(handler, {data, nullptr}, answers);
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(data));
  return request_all(handler, {*kept, kept}, answers);
}

void Startpoint::bind(const Startpoint& other) {
  if (bound() && other.bound() && service_ != other.service_) throw UsageError("startpoints of two services");
  if (!bound()) service_ = other.service_;
  if (!bound()) protection_ = other.protection_;
  const std::vector<Target> added = other.targets_;  // of this one, too
  targets_.insert(targets_.end(), added.begin(), added.end());
}

std::vector<RouteCandidate> Startpoint::candidates(std::size_t target) const {
  const Target& asked = at(target);
  const Hold turn(*service_->parts_);
  return service_->parts_->carrier.candidates(asked.rank, asked.order);
}

void Startpoint::use(std::string_view order) {
  if (!bound()) return;
  Service::Parts& parts = *service_->parts_;
  parts.require_task_thread("use");
  const Hold turn(parts);
  std::vector<Target> changed = targets_;
  for (Target& target : changed) {
    const RequestCarrier::Method method = parts.carrier.choose(target.rank, order);
    target.context = method.context;
    target.method = method.name;
    target.order = order;
  }
  for (const Target& target : targets_) parts.wait_for(target.rank);
  targets_ = std::move(changed);
}

void Startpoint::protect(Protection protection) { protection_ = protection; }

// In a message: how many, and how; for each its task and endpoint; where they have orders, these.

namespace {

constexpr std::uint32_t sealed_flag = 1, orders_flag = 2;

}  // namespace

void Startpoint::pack(PackBuffer& into) const {
  bool has_orders = false;
  for (const Target& target : targets_) has_orders = has_orders || !target.order.empty();
  std::vector<std::uint32_t> numbers{(protection_ == Protection::sealed ? sealed_flag : 0) |
                                     (has_orders ? orders_flag : 0)};
  for (const Target& target : targets_) {
    numbers.push_back(target.task.value);
    numbers.push_back(target.endpoint);
  }
  into.pack(numbers);
  if (!has_orders) return;
  for (const Target& target : targets_) into.pack_text(target.order);
}

Startpoint Startpoint::unpack(Service& service, PackBuffer& from) {
  std::vector<std::uint32_t> numbers(from.next_count());
  from.unpack(numbers);
  if (numbers.size() % 2 != 1) throw RunError("what was packed is no startpoint");
  Startpoint made;
  for (std::size_t at = 1; at < numbers.size(); at += 2) {
    const std::string order = (numbers[0] & orders_flag) != 0 ? from.unpack_text() : std::string();
    made.bind(service.startpoint(Tid{numbers[at]}, numbers[at + 1], order));
  }
  made.protection_ = (numbers[0] & sealed_flag) != 0 ? Protection::sealed : Protection::open;
  return made;
}

}  // namespace nasvm::service
