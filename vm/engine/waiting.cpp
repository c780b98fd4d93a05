#include "vm/engine/waiting.hpp"

#include <sched.h>

#include <algorithm>

namespace nasvm::engine {

/// As Poller::wait takes it.
std::chrono::nanoseconds Waiting::time_until(const Deadline& deadline) {
  if (!deadline) return std::chrono::nanoseconds(-1);
  return std::max(std::chrono::nanoseconds(0), *deadline - std::chrono::steady_clock::now());
}

void Waiting::listen_to(Transport& transport) {
  if (MemoryPath* path = transport.memory_path()) memory_.push_back({&transport, path});
}

void Waiting::expect(const Route& route) {
  if (route.memory != nullptr) {
    near_ = route.transport;
  } else {
    all_near_ = false;
  }
}

void Waiting::set_patience(const Patience::Options& options, Patience::RunDelay run_delay) {
  if (!run_delay) run_delay = [this] { return run_delay_.total(); };
  patience_ = Patience(options, std::move(run_delay));
}

Waiting::Target Waiting::target_of(const Operation& operation) const {
  if (operation.kind == Operation::Kind::receive) {
    Target target = target_of(operation.peer, operation.context);
    // From any source also where only some peers are near: most looks are at memory. Where each look calls the
    // system, looking on has not been found to pay.
    if (target.transport != nullptr && target.skip == 0) target.awaited = Patience::Awaited::through_memory;
    return target;
  }
  if (operation.peer < 0 || operation.peer == peers_.self()) return {};
  // A send waits for its receiver, or for room to leave: through memory both come from the peer, else from the
  // poller.
  const Route& route = peers_[operation.peer].route(operation.context);
  if (route.memory == nullptr) return {};
  return {.transport = route.transport,
          .peer = operation.peer,
          .sending = true,
          .awaited = Patience::Awaited::through_memory};
}

Waiting::Target Waiting::target_of(Rank source, Context context) const {
  if (source == any_source) return context > unpacked_context ? anything() : Target{};
  if (source == peers_.self()) return {};
  const Route& route = peers_[source].route(context);
  if (route.memory == nullptr) return {.transport = route.transport, .peer = source, .skip = skip_.for_sockets()};
  return {.transport = route.transport, .peer = source, .awaited = Patience::Awaited::through_memory};
}

Waiting::Target Waiting::anything() const {
  const bool by_memory = near_ != nullptr && all_near_;
  return {.transport = near_, .awaited = by_memory ? Patience::Awaited::through_memory : Patience::Awaited::anything};
}

unsigned Waiting::limit() const {
  if (answering_ > 0) return SkipPoll::limit_for_answers(patience_.is_crowded());
  return SkipPoll::limit(all_near_, patience_.is_crowded());
}

/// At once: whoever is woken before the number is reached never comes to count anew.
void Waiting::answer(int more) {
  answering_ += more;
  skip_.keep_within(limit());
}

bool Waiting::look_everywhere() {
  polls_ = 0;
  bool moved = false;
  for (const Memory& memory : memory_) moved = memory.transport->poll(any_source) || moved;
  const bool others = poller_.wait(std::chrono::nanoseconds(0)) > 0;
  skip_.looked_everywhere(others, limit());
  return moved || others;
}

void Waiting::progress() {
  look_to_come_back();
  // While all peers are reached through memory, descriptors bring hardly anything.
  if (near_ != nullptr && all_near_ && ++polls_ < SkipPoll::least) {
    (void)near_->poll(any_source);
  } else {
    (void)look_everywhere();
  }
}

Patience::Advice Waiting::take_advice(bool moved) {
  look_to_come_back();
  const Ticks now = ticks_now();
  const Patience::Advice advice = patience_.advise(moved, now);
  if (patience_.is_disturbed() && on_disturbance_) {
    if (back_at_ != 0) may_come_back();  // what is called may choose other cores
    std::exchange(on_disturbance_, nullptr)();
  }
  if (advice == Patience::Advice::yield) ::sched_yield();
  return advice;
}

bool Waiting::tell_of_sleep() {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    if (memory_[i].path->before_sleep()) continue;
    while (i-- > 0) (void)memory_[i].path->after_sleep();
    return false;
  }
  return true;
}

void Waiting::tell_of_end() {
  for (const Memory& memory : memory_) {
    if (const MemoryPath::Ring ring = memory.path->after_sleep(); ring.at != 0) learn_from(ring);
  }
  look_to_come_back();
}

void Waiting::learn_from(const MemoryPath::Ring& ring) {
  const Ticks now = ticks_now();
  patience_.woken_after(now - ring.at);
  // In a crowd tasks have to share cores.
  if (patience_.is_crowded() || back_at_ != 0) return;
  const int core = ::sched_getcpu();
  const StandApart::Advice advice = stand_apart_.woken(ring.core, core, now);
  if (advice == StandApart::Advice::stay) return;
  if (advice == StandApart::Advice::leave) {
    static const Ticks stay = to_ticks(StandApart::stay_away);
    if (!away_.leave(core)) return;
    back_at_ = now + stay;
  }
  patience_.stands_apart();
}

void Waiting::may_come_back() {
  back_at_ = 0;
  away_.come_back();
}

}  // namespace nasvm::engine
