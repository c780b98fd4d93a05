#include <algorithm>
#include <utility>

#include "vm/service/parts.hpp"
#include "vm/status.hpp"

// Requests that come: who takes them, when their handlers run, what becomes of failures; and endpoints, which have
// the handlers.

namespace nasvm::service {

// --- arrivals ------------------------------------------------------------------------------------------------------

void Service::Parts::post(Arrival& arrival) {
  Operation& receive = arrival.receive;
  receive.kind = Operation::Kind::receive;
  receive.complete = receive.abandoned = false;
  receive.peer = any_source;
  receive.tag = head_tag;
  receive.data = arrival.message.data();
  receive.bytes = arrival.message.size();
  messages.start(receive);
}

bool Service::Parts::step() {
  sends.drop_complete();
  if (is_to_tell()) {
    tell_failures();
    return true;  // who waits may have waited for that
  }
  if (!inbox.empty()) {
    inbox.look_at_data();
    if (own_thread && !on_thread()) {
      if (inbox.has_ready()) wake_thread();
    } else if (const auto request = inbox.take([this](std::uint32_t endpoint) { return may_run(endpoint); })) {
      carry_out(request->source, request->context, request->head, request->data);
      return true;
    }
  }
  for (const auto& arrival : arrivals) {
    // A message longer than any head is none of a service's: it is lost.
    if (arrival->receive.abandoned) post(*arrival);
    if (!arrival->receive.complete) continue;
    take(*arrival);
    return true;
  }
  return false;
}

void Service::Parts::take(Arrival& arrival) {
  const Status& status = arrival.receive.status;
  const auto message = std::span<const std::byte>(arrival.message).first(status.bytes);
  const Head head = Head::get(message);
  Peer& from = peer(status.source);
  from.context = arrival.receive.context;
  from.account.given_back(head.credit, head.replies);
  hint = {status.source, arrival.receive.context};
  if (head.kind == Kind::request) from.account.came();
  if (head.asks) from.account.was_asked();
  if (head.kind == Kind::request) {
    take_request(arrival, head);
  } else if (head.kind == Kind::failure) {
    hear_failure(status.source, head, message.subspan(Head::bytes_on_wire));
  }
  const bool reply_due = peer(status.source).account.reply_due();
  const Rank source = status.source;
  post(arrival);
  if (reply_due) send_control(source, Kind::credit, false);
}

/// Where nothing is before it, its handler sees it in place. A handler of the other thread may take long, and does
/// not hold up what comes behind.
void Service::Parts::take_request(Arrival& arrival, const Head& head) {
  const Status& status = arrival.receive.status;
  const auto data = std::span<const std::byte>(arrival.message).first(status.bytes).subspan(Head::bytes_on_wire);
  const bool held_up = !inbox.empty() && inbox.holds_up(status.source, head.endpoint);
  if (!own_thread && head.is_inline() && !held_up && may_run(head.endpoint)) {
    carry_out(status.source, arrival.receive.context, head, data);
  } else {
    queue(status, arrival.receive.context, head, data);
  }
}

void Service::Parts::queue(const Status& status, Context context, const Head& head, std::span<const std::byte> data) {
  auto request = std::make_unique<Arrived>();
  request->source = status.source;
  request->context = context;
  request->head = head;
  request->ready = head.is_inline();
  if (request->ready) {
    request->data.assign(data.begin(), data.end());
    inbox.add(std::move(request));
    return;
  }
  request->data.resize(head.bytes);
  Operation& receive = request->receive;
  receive.kind = Operation::Kind::receive;
  receive.context = context;
  receive.peer = status.source;
  receive.tag = data_tag;
  receive.data = request->data.data();
  receive.bytes = request->data.size();
  carrier.endpoint().start(inbox.add(std::move(request)).receive);
}

// --- carrying out --------------------------------------------------------------------------------------------------

/// Mostly the last one again.
Endpoint* Service::Parts::find_endpoint(std::uint32_t number) {
  if (last_endpoint != nullptr && last_endpoint->number() == number) return last_endpoint;
  const auto found = endpoints.find(number);
  if (found == endpoints.end()) return nullptr;
  return last_endpoint = found->second;
}

/// Requests for known numbers wait for an endpoint that will be made; others come too late.
bool Service::Parts::may_run(std::uint32_t endpoint) {
  return endpoint >= Endpoint::first_free_number || find_endpoint(endpoint) != nullptr || ended.contains(endpoint);
}

void Service::Parts::carry_out(Rank source, Context context, const Head& head, std::span<const std::byte> data) {
  const std::string problem = run(source, context, head, data);
  Account& account = peer(source).account;
  account.carried_out(Account::cost(head.bytes));
  ++counters.requests_served;
  counters.bytes_served += data.size();
  if (!problem.empty()) {
    send_control(source, Kind::failure, false, head.number,
                 std::string_view(problem).substr(0, Head::longest_inline));
  } else if (account.reply_due()) {
    send_control(source, Kind::credit, false);
  }
}

namespace {

class InHandler {
 public:
  explicit InHandler(bool& flag) : flag_(flag) { flag_ = true; }
  ~InHandler() { flag_ = false; }
  InHandler(const InHandler&) = delete;
  InHandler& operator=(const InHandler&) = delete;

 private:
  bool& flag_;
};

/// Others have their turns while a handler runs in a thread of its own.
class WithoutTurn {
 public:
  WithoutTurn(RequestCarrier& carrier, const Endpoint*& running, const Endpoint& endpoint)
      : carrier_(carrier), running_(running) {
    running_ = &endpoint;
    carrier_.give_turn();
  }
  ~WithoutTurn() {
    carrier_.take_turn();
    running_ = nullptr;
  }
  WithoutTurn(const WithoutTurn&) = delete;
  WithoutTurn& operator=(const WithoutTurn&) = delete;

 private:
  RequestCarrier& carrier_;
  const Endpoint*& running_;
};

}  // namespace

/// What went wrong; empty: nothing.
std::string Service::Parts::run(Rank source, Context context, const Head& head, std::span<const std::byte> data) {
  const auto place = [&] { return "endpoint " + std::to_string(head.endpoint) + " of " + to_string(carrier.self()); };
  Endpoint* const found = find_endpoint(head.endpoint);
  if (found == nullptr) return place() + " is gone";
  Endpoint& endpoint = *found;
  Endpoint::Named* const named = endpoint.find(head.handler);
  if (named == nullptr) {
    const bool by_number = head.handler < HandlerName::first_of_names;
    std::string known;
    for (const auto& [number, one] : endpoint.handlers_) known += (known.empty() ? "; it has " : ", ") + one.name;
    return place() + " has no " + (by_number ? "handler " + std::to_string(head.handler) : "such handler") + known;
  }
  try {
    std::vector<std::byte> opened;
    if (head.sealed) {
      std::array<std::byte, Head::bytes_on_wire> with;
      head.lasting().put(with);
      opened = seal().open(data, with);
    }
    Incoming incoming(service, endpoint, source, context, head, head.sealed ? opened : data);
    if (own_thread) {
      const WithoutTurn others_go_on(carrier, running, endpoint);
      named->handler(incoming);
    } else {
      const InHandler here(in_handler);
      named->handler(incoming);
    }
    return {};
  } catch (...) {
    return "handler " + named->name + " of " + place() + ": " + current_complaint().text;
  }
}

// --- failures ------------------------------------------------------------------------------------------------------

void Service::Parts::hear_failure(Rank source, const Head& head, std::span<const std::byte> text) {
  ++counters.failures;
  failures.push_back(
      {head.number, carrier.tid_of(source), std::string(reinterpret_cast<const char*>(text.data()), text.size())});
}

/// A listener that throws has heard of that one; the others are told later.
void Service::Parts::tell_failures() {
  const InHandler here(in_handler);
  while (!failures.empty()) {
    const Failure failure = std::move(failures.front());
    failures.erase(failures.begin());
    listener(failure);
  }
}

void Service::Parts::throw_failures() {
  if (failures.empty()) return;
  if (listener) return tell_failures();
  const auto all = std::exchange(failures, {});
  const std::string more = all.size() == 1 ? "" : " (and " + std::to_string(all.size() - 1) + " more failed)";
  throw RunError("a request failed: " + all.front().text + more);
}

// --- endpoints -----------------------------------------------------------------------------------------------------

Endpoint::Endpoint(Service& service, Handlers handlers) : service_(service) {
  const Hold turn(*service_.parts_);
  number_ = service_.parts_->next_endpoint++;
  for (auto& [name, handler] : handlers) on(name, std::move(handler));
  service_.parts_->endpoints.emplace(number_, this);
}

Endpoint::Endpoint(Service& service, std::uint32_t number, Handlers handlers) : service_(service), number_(number) {
  if (number >= first_free_number) {
    throw UsageError("endpoint " + std::to_string(number) + ": numbers that others know are below " +
                     std::to_string(first_free_number));
  }
  for (auto& [name, handler] : handlers) on(name, std::move(handler));
  Service::Parts& parts = *service_.parts_;
  const Hold turn(parts);
  if (!parts.endpoints.emplace(number_, this).second) {
    throw UsageError("there are two endpoints of number " + std::to_string(number));
  }
  parts.ended.erase(number_);
  parts.inbox.release(number_);
  if (parts.own_thread) parts.wake_thread();
}

Endpoint::~Endpoint() {
  const Hold turn(*service_.parts_);
  service_.parts_->wait_until_idle(*this);
  service_.parts_->endpoints.erase(number_);
  if (service_.parts_->last_endpoint == this) service_.parts_->last_endpoint = nullptr;
  if (number_ < first_free_number) service_.parts_->ended.insert(number_);
}

Endpoint& Endpoint::on(HandlerName name, Handler handler) {
  const std::string text = name.name().empty() ? std::to_string(name.number()) : '"' + std::string(name.name()) + '"';
  const auto [place, is_new] = handlers_.emplace(name.number(), Named{text, std::move(handler)});
  if (!is_new) throw UsageError("handler " + text + " has the number of " + place->second.name);
  return *this;
}

Startpoint Endpoint::startpoint(std::string_view order) {
  return service_.startpoint(service_.self(), number_, order);
}

// --- what handlers see ---------------------------------------------------------------------------------------------

Tid Incoming::source() const {
  const Hold turn(*service_.parts_);
  return service_.parts_->carrier.tid_of(source_);
}

Startpoint Incoming::asker() const {
  Startpoint made;
  if (head_.answers == 0) return made;
  made.service_ = &service_;
  made.targets_.push_back(
      {source(), head_.answers - 1, source_, context_, service_.parts_->method_name(context_), {}});
  made.protection_ = head_.sealed ? Protection::sealed : Protection::open;
  return made;
}

}  // namespace nasvm::service
