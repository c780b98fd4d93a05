#include "vm/net/poller.hpp"

#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <memory>
#include <string>

#include "support/refused_calls.hpp"
#include "support/skip.hpp"

using namespace nasvm::net;

namespace {

constexpr std::chrono::nanoseconds at_once{0}, without_end{-1};

/// An event descriptor that is readable from the start.
struct Event final : Watcher {
  void ready(std::uint32_t found) override {
    ++calls;
    events = found;
    if (then) then();
  }
  Fd fd{::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)};
  int calls = 0;
  std::uint32_t events = 0;
  std::function<void()> then;
};

/// Exit status of a child that waits without epoll_pwait2: 0 when all went well.
int waits_without_epoll_pwait2(int error) {
  return nasvm::test::status_in_child([&] {
    if (!nasvm::test::refuse_call(SYS_epoll_pwait2, error) ||
        ::syscall(SYS_epoll_pwait2, -1, nullptr, 0, nullptr, nullptr, 0) != -1 || errno != error) {
      return nasvm::test::no_filter_status;
    }
    Poller poller;
    Event event;
    const bool nothing = poller.wait(std::chrono::nanoseconds{1}) == 0;
    poller.add(event.fd.get(), EPOLLIN, event);
    const bool found = poller.wait(without_end) == 1 && event.calls == 1;
    return nothing && found ? 0 : 1;
  });
}

}  // namespace

TEST_CASE("waits to the millisecond where epoll_pwait2 is missing or forbidden", "[poller]") {
  for (const int error : {ENOSYS, EPERM}) {
    const int status = waits_without_epoll_pwait2(error);
    if (status == nasvm::test::no_filter_status) return nasvm::test::skip("this system forbids filters of calls");
    CHECK(status == 0);
  }
}

TEST_CASE("whoever is ready is called with what it is ready for", "[poller]") {
  Poller poller;
  Event event;
  CHECK(poller.wait(at_once) == 0);
  poller.add(event.fd.get(), EPOLLIN, event);
  CHECK(poller.wait(without_end) == 1);
  CHECK(event.calls == 1);
  CHECK(event.events == EPOLLIN);
  poller.change(event.fd.get(), EPOLLOUT, event);
  CHECK(poller.wait(without_end) == 1);
  CHECK(event.events == EPOLLOUT);
  poller.change(event.fd.get(), 0, event);
  CHECK(poller.wait(at_once) == 0);
  poller.change(event.fd.get(), EPOLLIN, event);
  poller.remove(event.fd.get(), event);
  CHECK(poller.wait(at_once) == 0);
  CHECK(event.calls == 2);
}

TEST_CASE("a watcher that another one removes and destroys is not called any more", "[poller]") {
  Poller poller;
  auto a = std::make_unique<Event>(), b = std::make_unique<Event>();
  int calls = 0;
  const auto remove = [&](std::unique_ptr<Event>& other) {
    poller.remove(other->fd.get(), *other);
    other.reset();
    ++calls;
  };
  a->then = [&] { remove(b); };
  b->then = [&] { remove(a); };
  poller.add(a->fd.get(), EPOLLIN, *a);
  poller.add(b->fd.get(), EPOLLIN, *b);
  poller.wait(without_end);
  CHECK(calls == 1);
  CHECK((a == nullptr) != (b == nullptr));
}

TEST_CASE("a watcher may remove itself", "[poller]") {
  Poller poller;
  Event event;
  event.then = [&] { poller.remove(event.fd.get(), event); };
  poller.add(event.fd.get(), EPOLLIN, event);
  CHECK(poller.wait(without_end) == 1);
  CHECK(poller.wait(at_once) == 0);
  CHECK(event.calls == 1);
}

TEST_CASE("an error of a watcher reaches who waits, and the poller goes on", "[poller]") {
  Poller poller;
  Event event;
  event.then = [] { throw std::string("lost"); };
  poller.add(event.fd.get(), EPOLLIN, event);
  CHECK_THROWS_AS(poller.wait(without_end), std::string);
  event.then = nullptr;
  CHECK(poller.wait(without_end) == 1);
}

namespace {

/// A poller with an event that is parked.
struct Parked {
  Poller poller;
  Event event;

  Parked() {
    poller.add(event.fd.get(), EPOLLIN, event);
    poller.park(event.fd.get(), EPOLLIN, event);
  }
};

}  // namespace

TEST_CASE("a parked descriptor is looked at by each wait that does not block", "[poller]") {
  Parked parked;
  auto& [poller, event] = parked;
  CHECK(poller.wait(at_once) == 0);
  CHECK(event.calls == 1);
  CHECK(event.events == EPOLLIN);
  poller.park(event.fd.get(), EPOLLIN, event);
  CHECK(poller.wait(at_once) == 0);
  CHECK(event.calls == 2);
}

TEST_CASE("a wait that may block watches a parked descriptor again", "[poller]") {
  Parked parked;
  auto& [poller, event] = parked;
  CHECK(poller.wait(without_end) == 1);
  CHECK(event.calls == 1);
  CHECK(poller.wait(at_once) == 1);
  CHECK(event.calls == 2);
}

TEST_CASE("one descriptor is parked at a time", "[poller]") {
  Poller poller;
  Event first, second;
  for (Event* event : {&first, &second}) {
    poller.add(event->fd.get(), EPOLLIN, *event);
    poller.park(event->fd.get(), EPOLLIN, *event);
  }
  CHECK(poller.wait(at_once) == 1);
  CHECK(first.calls == 1);
  CHECK(second.calls == 1);
}

TEST_CASE("a parked descriptor may be changed and removed", "[poller]") {
  Parked parked;
  auto& [poller, event] = parked;
  SECTION("changed") {
    poller.change(event.fd.get(), EPOLLOUT, event);
    CHECK(poller.wait(at_once) == 1);
    CHECK(event.events == EPOLLOUT);
  }
  SECTION("removed, and added again") {
    poller.remove(event.fd.get(), event);
    CHECK(poller.wait(at_once) == 0);
    CHECK(event.calls == 0);
    poller.add(event.fd.get(), EPOLLIN, event);
    CHECK(poller.wait(at_once) == 1);
  }
}
