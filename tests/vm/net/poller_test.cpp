#include "vm/net/poller.hpp"

#include <sys/eventfd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>

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

}  // namespace

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
