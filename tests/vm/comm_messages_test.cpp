#include "vm/comm.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <vector>

#include "vm/metrics/clock.hpp"

using namespace nasvm;

namespace {

/// One of two tasks. The message of the other one comes when the test says so.
struct FakeEndpoint final : Endpoint {
  [[nodiscard]] Rank rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 2; }
  void start(Operation& operation) override {
    if (operation.kind == Operation::Kind::send) operation.complete = true;
    else receive = &operation;
  }
  void progress() override {}
  void look_for(const Operation& operation) override {
    CHECK(&operation == receive);
    ++looks;
    if (on_look) on_look();
  }
  void wait_any(std::span<Operation* const>) override {
    ++waits;
    on_wait();
  }
  bool probe(Rank, Tag, Context, Status&, bool) override { return false; }
  bool cancel(Operation&) override { return true; }
  [[nodiscard]] std::string_view method(Rank) const override { return "fake"; }
  void wait_for_memory(std::span<const Rank>, const std::function<bool()>&) override {}

  void let_come() const {
    receive->status = {1, receive->tag, receive->bytes};
    receive->complete = true;
  }

  Operation* receive = nullptr;
  int looks = 0, waits = 0;
  std::function<void()> on_look, on_wait;
};

void pass_time() {
  const Ticks begin = ticks_now();
  while (ticks_now() == begin) {
  }
}

}  // namespace

TEST_CASE("comm: what is there at the first look has not been waited for", "[comm]") {
  FakeEndpoint endpoint;
  Comm comm(endpoint);
  std::array<int, 1> data{};
  endpoint.on_look = [&] { endpoint.let_come(); };
  (void)comm.recv(data, 1, 7);
  CHECK(endpoint.looks == 1);
  CHECK(endpoint.waits == 0);
  CHECK(comm.counters().idle == 0);
  CHECK(comm.counters().calls == 1);
  CHECK(comm.counters().total().messages_received == 1);
}

TEST_CASE("comm: a wait is idle time until the first of the message is there", "[comm]") {
  FakeEndpoint endpoint;
  Comm comm(endpoint);
  std::array<int, 1> data{};
  SECTION("all of it at once: to the end of the wait") {
    endpoint.on_wait = [&] {
      pass_time();
      endpoint.let_come();
    };
    (void)comm.recv(data, 1, 7);
    CHECK(comm.counters().idle > 0);
  }
  SECTION("in pieces: to the first") {
    Ticks first = 0;
    Ticks before = 0;
    endpoint.on_look = [&] { before = ticks_now(); };
    endpoint.on_wait = [&] {
      pass_time();
      endpoint.receive->arrived = first = ticks_now();
      for (int i = 0; i < 100; ++i) pass_time();
      endpoint.let_come();
    };
    (void)comm.recv(data, 1, 7);
    CHECK(comm.counters().idle > 0);
    CHECK(comm.counters().idle <= first - before);
  }
  CHECK(endpoint.waits == 1);
  CHECK(comm.counters().communication >= comm.counters().idle);
}

TEST_CASE("comm: calls that nobody wants timed still count their messages", "[comm]") {
  FakeEndpoint endpoint;
  Comm comm(endpoint);
  comm.leave_calls_untimed();
  std::array<int, 1> data{};
  endpoint.on_wait = [&] { endpoint.let_come(); };
  comm.enter_call();
  comm.send(data, 1, 7);
  CHECK(comm.leave_call() == 0);
  (void)comm.recv(data, 1, 7);
  CHECK(comm.counters().calls == 0);
  CHECK(comm.counters().communication == 0);
  CHECK(comm.counters().total().messages_sent == 1);
  CHECK(comm.counters().total().messages_received == 1);
}

namespace {

/// Short messages leave through memory, and take a while where they are told to.
struct MemoryEndpoint final : Endpoint {
  [[nodiscard]] Rank rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 2; }
  void start(Operation& operation) override {
    operation.complete = true;
    if (operation.bytes <= slow_from) return;
    const Ticks begin = ticks_now();
    while (ticks_now() - begin < slow) {
    }
  }
  void progress() override {}
  void wait_any(std::span<Operation* const>) override {}
  bool probe(Rank, Tag, Context, Status&, bool) override { return false; }
  bool cancel(Operation&) override { return true; }
  [[nodiscard]] std::string_view method(Rank) const override { return "memory"; }
  [[nodiscard]] bool sends_through_memory(Rank) const override { return through_memory; }

  bool through_memory = true;
  std::size_t slow_from = 1024;
  Ticks slow = to_ticks(std::chrono::microseconds(20));
};

}  // namespace

TEST_CASE("comm: quick sends are counted, each, and timed as the last that was", "[comm]") {
  MemoryEndpoint endpoint;
  Comm comm(endpoint);
  const std::array<std::byte, 8> data{};
  for (int i = 0; i < 1000; ++i) comm.send(data, 1, 7);
  CHECK(comm.counters().calls == 1000);
  CHECK(comm.counters().communication > 0);
  CHECK(comm.counters().total().messages_sent == 1000);
}

TEST_CASE("comm: among quick sends each that takes longer is timed in full", "[comm]") {
  MemoryEndpoint endpoint;
  Comm comm(endpoint);
  const std::array<std::byte, 8> few{};
  const std::vector<std::byte> many(2048);
  for (int i = 0; i < 100; ++i) {
    comm.send(few, 1, 7);
    comm.send(many, 1, 7);
  }
  CHECK(comm.counters().communication >= 100 * endpoint.slow);
  // By another way each is timed, however short.
  endpoint.through_memory = false;
  endpoint.slow_from = 0;
  const Ticks before = comm.counters().communication;
  for (int i = 0; i < 100; ++i) comm.send(few, 1, 7);
  CHECK(comm.counters().communication - before >= 100 * endpoint.slow);
}

TEST_CASE("comm: who waits is timed while it waits, also among quick calls", "[comm]") {
  FakeEndpoint endpoint;
  Comm comm(endpoint);
  std::array<int, 1> data{};
  endpoint.on_look = [&] { endpoint.let_come(); };
  for (int i = 0; i < 20; ++i) (void)comm.recv(data, 1, 7);  // quick ones
  endpoint.on_look = nullptr;
  const Ticks slow = to_ticks(std::chrono::microseconds(20));
  endpoint.on_wait = [&] {
    const Ticks begin = ticks_now();
    while (ticks_now() - begin < slow) {
    }
    endpoint.let_come();
  };
  const Ticks before = comm.counters().communication;
  for (int i = 0; i < 20; ++i) (void)comm.recv(data, 1, 7);
  CHECK(comm.counters().communication - before >= 20 * slow);
  CHECK(comm.counters().communication >= comm.counters().idle);
}

TEST_CASE("comm: calls that turn out to take longer stand for no quick ones", "[comm]") {
  MemoryEndpoint endpoint;
  endpoint.slow_from = 4096;
  Comm comm(endpoint);
  const std::vector<std::byte> many(2048);
  const std::array<std::byte, 8> few{};
  for (int i = 0; i < 20; ++i) comm.send(many, 1, 7);  // as quick as short ones here, and timed each
  // So each short one is timed: how slow they are has not been seen yet.
  endpoint.slow_from = 0;
  const Ticks before = comm.counters().communication;
  for (int i = 0; i < 20; ++i) comm.send(few, 1, 7);
  CHECK(comm.counters().communication - before >= 20 * endpoint.slow);
}
