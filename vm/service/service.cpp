#include "vm/service/service.hpp"

#include <algorithm>
#include <exception>

#include "vm/service/parts.hpp"
#include "vm/status.hpp"
#include "vm/task.hpp"

// The service as its task sees it: making, waiting, ending.

namespace nasvm::service {

Service::Parts::Parts(Service& own, RequestCarrier& carrier_, const Options& options)
    : service(own),
      carrier(carrier_),
      messages(carrier.endpoint()),
      window(std::max<Account::Units>(1, options.window_bytes / Account::unit_bytes)),
      sends(carrier) {
  if (carrier.has_attendant()) {
    throw UsageError("this task has a service already, and one does for all: hand it on (also to files::attach)");
  }
  own_thread = options.handlers == HandlersIn::own_thread;
  if (own_thread) carrier.share();
  const Hold turn(*this);
  for (const RequestCarrier::Method& method : carrier.methods()) {
    auto arrival = std::unique_ptr<Arrival>(new Arrival);  // its message is not cleared
    arrival->receive.context = method.context;
    post(*arrival);
    awaited.push_back(&arrival->receive);
    arrivals.push_back(std::move(arrival));
  }
  carrier.set_attendant(this);
  if (own_thread) start_thread();
}

const Seal& Service::Parts::seal() {
  if (!own_seal) own_seal.emplace(carrier.secret());
  return *own_seal;
}

std::string_view Service::Parts::method_name(Context context) const {
  const auto methods = carrier.methods();
  const auto found = std::ranges::find(methods, context, &RequestCarrier::Method::context);
  return found == methods.end() ? "" : found->name;
}

// --- waiting -------------------------------------------------------------------------------------------------------

namespace {

/// Says that the service works, so that nobody lets it work meanwhile.
class AtWork {
 public:
  explicit AtWork(bool& flag) : flag_(flag), before_(std::exchange(flag, true)) {}
  ~AtWork() { flag_ = before_; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  bool& flag_;
  bool before_;
};

/// All that is there now, but no more than this, is taken by who has something else to do.
constexpr int steps_at_a_time = 64;

bool is_over(const Operation& receive) { return receive.complete || receive.abandoned; }

}  // namespace

bool Service::Parts::wanted() const {
  if (at_work) return false;
  const auto has_come = [](const auto& each) { return is_over(each->receive); };
  return std::ranges::any_of(arrivals, has_come) || is_to_tell() || (!own_thread && inbox.has_ready()) ||
         std::ranges::any_of(inbox.receiving(), has_come);
}

void Service::Parts::attend() {
  const AtWork working(at_work);
  for (int i = 0; i < steps_at_a_time && step(); ++i) continue;
}

bool Service::Parts::serve(const std::function<bool()>& done,
                           const std::optional<std::chrono::steady_clock::time_point>& deadline) {
  const AtWork working(at_work);
  const auto is_late = [&] { return deadline && std::chrono::steady_clock::now() >= *deadline; };
  while (running != nullptr || !done() || is_to_tell()) {
    const bool worked = step();
    if (is_late()) {
      for (int i = 0; i < steps_at_a_time && step(); ++i) continue;  // what has come in time
      if (is_to_tell()) tell_failures();
      return running == nullptr && done();
    }
    if (!worked) wait(deadline);
  }
  return true;
}

void Service::Parts::wait(const std::optional<std::chrono::steady_clock::time_point>& deadline) {
  awaited.resize(arrivals.size());  // those stay
  for (Arrived* request : inbox.receiving()) awaited.push_back(&request->receive);
  (void)carrier.wait(awaited, hint, deadline);
  if (own_thread && !on_thread() && carrier.others_want_turn()) carrier.pass_turn();
}

void Service::Parts::require_task_thread(const char* what) const {
  if (is_in_handler()) throw RunError(std::string("a handler cannot wait: ") + what + " is for outside of handlers");
}

/// What this task has sent leaves, and room that it still owes, for nobody will be told later; what it receives is
/// let go.
void Service::Parts::close() {
  const Hold turn(*this);
  const AtWork working(at_work);
  carrier.set_attendant(nullptr);
  for (Rank rank = 0; rank < static_cast<Rank>(peers.size()); ++rank) {
    const Account& account = peer(rank).account;
    if (account.owes() && !carrier.is_gone(rank)) send_control(rank, Kind::credit, false);
    if (account.is_forgotten()) sends.leave_data(rank);  // it may be waiting for this task's end
  }
  for (sends.drop_complete(); !sends.empty(); sends.drop_complete()) {
    (void)carrier.wait(sends.oldest(), {}, std::nullopt);
  }
  const auto let_go = [&](Operation& receive) {
    Operation* const last[] = {&receive};
    // Waits end also when a task has ended, but data that is arriving goes on to where it was wanted.
    while (!is_over(receive) && !carrier.endpoint().cancel(receive)) (void)carrier.wait(last, {}, std::nullopt);
  };
  for (const auto& arrival : arrivals) let_go(arrival->receive);
  for (Arrived* request : inbox.receiving()) let_go(request->receive);
}

void Service::Parts::abandon() noexcept {
  carrier.set_attendant(nullptr);
  try {
    const Hold turn(*this);
    const auto let_go = [&](Operation& receive) {
      if (!is_over(receive)) (void)carrier.endpoint().cancel(receive);
    };
    for (const auto& arrival : arrivals) let_go(arrival->receive);
    for (Arrived* request : inbox.receiving()) let_go(request->receive);
  } catch (const std::exception&) {
    // The message layer's own error, which the program has heard of.
  }
}

// --- the task's calls ----------------------------------------------------------------------------------------------

Service::Service(Task& task) : Service(task.request_carrier(), {}) {}
Service::Service(Task& task, const Options& options) : Service(task.request_carrier(), options) {}
Service::Service(RequestCarrier& carrier) : Service(carrier, {}) {}
Service::Service(RequestCarrier& carrier, const Options& options)
    : parts_(std::make_unique<Parts>(*this, carrier, options)) {}

/// After an error nothing is waited for: the run ends. Nor when the task has left before.
Service::~Service() {
  parts_->stop_thread();
  if (parts_->carrier.has_left()) {
    parts_->abandon();
  } else if (std::uncaught_exceptions() == 0) {
    parts_->close();
  } else {
    parts_->carrier.set_attendant(nullptr);
  }
}

void Service::abandon(std::unique_ptr<Service> service) noexcept {
  static std::vector<std::unique_ptr<Service>>& abandoned = *new std::vector<std::unique_ptr<Service>>;
  service->parts_->stop_thread();
  service->parts_->abandon();
  abandoned.push_back(std::move(service));
}

Startpoint Service::startpoint(Tid task, std::uint32_t number, std::string_view order) {
  const Hold turn(*parts_);
  const Rank rank = parts_->carrier.rank_of(task);
  const RequestCarrier::Method method = parts_->carrier.choose(rank, order);
  Startpoint made;
  made.service_ = this;
  made.targets_.push_back({task, number, rank, method.context, method.name, std::string(order)});
  return made;
}

void Service::progress() {
  if (parts_->is_in_handler()) return;
  const Hold turn(*parts_);
  parts_->carrier.endpoint().progress();
  if (parts_->wanted()) parts_->attend();
  parts_->throw_failures();
}

void Service::serve_until(const std::function<bool()>& done) {
  parts_->require_task_thread("serve_until");
  const Hold turn(*parts_);
  (void)parts_->serve([&] { return done() || parts_->is_to_throw(); });
  parts_->throw_failures();
}

bool Service::serve_until(const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline) {
  parts_->require_task_thread("serve_until");
  const Hold turn(*parts_);
  const bool in_time = parts_->serve([&] { return done() || parts_->is_to_throw(); }, deadline);
  parts_->throw_failures();
  return in_time;
}

void Service::flush() {
  parts_->require_task_thread("flush");
  const Hold turn(*parts_);
  for (Rank rank = 0; rank < static_cast<Rank>(parts_->peers.size()); ++rank) parts_->wait_for(rank);
  parts_->throw_failures();
}

void Service::forget(Tid task) {
  const Hold turn(*parts_);
  parts_->peer(parts_->carrier.rank_of(task)).account.forget();
}

void Service::end_handlers() noexcept { parts_->stop_thread(); }

void Service::on_failure(std::function<void(const Failure&)> listener) {
  const Hold turn(*parts_);
  parts_->listener = std::move(listener);
}

Tid Service::self() const { return parts_->carrier.self(); }
HandlersIn Service::handlers() const { return parts_->own_thread ? HandlersIn::own_thread : HandlersIn::task; }

Counters Service::counters() const {
  const Hold turn(*parts_);
  return parts_->counters;
}

}  // namespace nasvm::service
