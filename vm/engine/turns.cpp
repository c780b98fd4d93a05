#include "vm/engine/turns.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "vm/status.hpp"

namespace nasvm::engine {

Turns::Turns(net::Poller& poller) : poller_(poller), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (bell_.get() < 0) throw RunError("no descriptor is left for a thread that handles requests");
  poller_.add(bell_.get(), EPOLLIN, *this);
}

Turns::~Turns() { poller_.remove(bell_.get(), *this); }

void Turns::ring() {
  constexpr std::uint64_t once = 1;
  (void)!::write(bell_.get(), &once, sizeof once);
}

void Turns::take_ticket() {
  const std::uint32_t ticket = next_.fetch_add(1);
  for (std::uint32_t serving = serving_.load(); serving != ticket; serving = serving_.load()) {
    ring();
    serving_.wait(serving);
  }
}

void Turns::take_in_any_case() {
  const auto self = std::this_thread::get_id();
  if (holder_.load(std::memory_order_relaxed) != self) {
    take_ticket();
    holder_.store(self, std::memory_order_relaxed);
  }
  ++depth_;
}

void Turns::take() {
  take_in_any_case();
  if (has_failed_.exchange(false)) {
    give();
    std::rethrow_exception(problem_);
  }
}

void Turns::give() {
  if (--depth_ != 0) return;
  holder_.store(std::thread::id(), std::memory_order_relaxed);
  serving_.fetch_add(1);
  serving_.notify_all();
}

void Turns::pass() {
  const int depth = std::exchange(depth_, 1);
  give();
  take_in_any_case();
  depth_ = depth;
  if (has_failed_.exchange(false)) std::rethrow_exception(problem_);
}

void Turns::fail(std::exception_ptr problem) {
  problem_ = std::move(problem);
  has_failed_ = true;
  ring();  // whoever has the turn may have gone to sleep before there was a failure to see
}

void Turns::ready(std::uint32_t) {
  std::uint64_t rung = 0;
  (void)!::read(bell_.get(), &rung, sizeof rung);
}

}  // namespace nasvm::engine
