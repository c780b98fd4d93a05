#include "vm/files/service_line.hpp"

#include <utility>

namespace nasvm::files {
namespace {

constexpr std::uint32_t note_handler = 0;

}  // namespace

/// The listener may come in until the end of a block, unless this is the listener.
class ServiceLine::Outside {
 public:
  explicit Outside(ServiceLine& line)
      : line_(line), left_(line.has_thread_ && std::this_thread::get_id() == line.owner_) {
    if (left_) line_.unlock();
  }
  ~Outside() {
    if (left_) line_.lock();
  }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

 private:
  ServiceLine& line_;
  bool left_;
};

/// For what the message layer's other thread changes.
class ServiceLine::Turn {
 public:
  explicit Turn(const ServiceLine& line) : carrier_(line.has_thread_ ? &line.task_.request_carrier() : nullptr) {
    if (carrier_ != nullptr) carrier_->take_turn();
  }
  ~Turn() {
    if (carrier_ != nullptr) carrier_->give_turn();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  RequestCarrier* carrier_;
};

ServiceLine::ServiceLine(Task& task, service::Service& service, Of of)
    : task_(task), service_(service), of_(of), has_thread_(service.handlers() == service::HandlersIn::own_thread) {
  for (const Tid sibling : task.siblings()) startpoints_.push_back(service.startpoint(sibling, files_endpoint));
}

void ServiceLine::post(int to, std::vector<std::byte> message) {
  const Outside outside(*this);
  // One turn for both: else the other thread may hear in between that the task has ended, and the request throws.
  const Turn turn(*this);
  if (forgotten_[static_cast<std::size_t>(to)] || is_gone(to)) return;
  startpoints_[static_cast<std::size_t>(to)].request(note_handler, std::move(message));
}

void ServiceLine::listen(Listener listener) {
  if (!listener) {
    if (of_ == Of::own_service) service_.end_handlers();
    endpoint_.reset();  // which waits for a listener that is at work
  }
  listener_ = std::move(listener);
  if (!listener_ || endpoint_.has_value()) return;
  const service::Handler hear = [this](service::Incoming& incoming) {
    const std::lock_guard<Line> alone(*this);
    listener_(task_.request_carrier().rank_of(incoming.source()), incoming.bytes());
  };
  endpoint_.emplace(service_, files_endpoint, service::Endpoint::Handlers{{note_handler, hear}});
}

/// The thread needs no help.
void ServiceLine::progress() {
  if (!has_thread_) service_.progress();
}

bool ServiceLine::wait_until(const std::function<bool()>& done, TimePoint deadline) {
  const Outside outside(*this);
  return service_.serve_until(done, deadline);
}

bool ServiceLine::is_gone(int task) const {
  const Turn turn(*this);
  return task_.request_carrier().is_gone(task);
}

void ServiceLine::forget(int task) {
  const Turn turn(*this);
  forgotten_[static_cast<std::size_t>(task)] = true;
  service_.forget(startpoints_[static_cast<std::size_t>(task)].task());
}

std::uint64_t ServiceLine::calls() const {
  const Turn turn(*this);
  return task_.comm().counters().calls;
}

void ServiceLine::lock() {
  if (has_thread_) inside_.lock();
}

void ServiceLine::unlock() {
  if (has_thread_) inside_.unlock();
}

bool ServiceLine::is_waiting() const { return !has_thread_ || task_.request_carrier().is_in_use(); }

}  // namespace nasvm::files
