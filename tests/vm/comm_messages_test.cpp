#include "vm/comm.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <semaphore>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/engine_machine.hpp"
#include "support/packet_recorder.hpp"
#include "support/thread_machine.hpp"
#include "vm/metrics/clock.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

/// One of two tasks. The message of the other one comes when the test says so.
struct FakeEndpoint final : Endpoint {
  [[nodiscard]] Rank rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 2; }
  void start(Operation& operation) override {
    if (on_start) on_start(operation);
    if (operation.kind == Operation::Kind::send) operation.complete = !sends_wait;
    else receive = &operation;
  }
  void progress() override { ++moves; }
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
  int looks = 0, waits = 0, moves = 0;
  bool sends_wait = false;
  std::function<void(Operation&)> on_start;
  std::function<void()> on_look, on_wait;
};

void pass_time() {
  const Ticks begin = ticks_now();
  while (ticks_now() == begin) {
  }
}

void pass_time(Ticks time) {
  const Ticks begin = ticks_now();
  while (ticks_now() - begin < time) {
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

TEST_CASE("comm: what threads that take turns wait at the same time is idle once", "[comm]") {
  FakeEndpoint endpoint;
  Comm comm(endpoint);
  std::array<int, 1> data{};
  const Ticks long_time = to_ticks(std::chrono::microseconds(100));
  int waiting = 0;
  endpoint.on_wait = [&] {
    Operation* const own = endpoint.receive;
    if (++waiting < 4) {
      (void)comm.recv(data, 1, 7);  // another thread's
    } else {
      pass_time(long_time);
    }
    endpoint.receive = own;
    endpoint.let_come();
  };
  (void)comm.recv(data, 1, 7);
  CHECK(endpoint.waits == 4);
  CHECK(comm.counters().idle >= long_time);
  CHECK(comm.counters().idle <= comm.counters().communication);
}

TEST_CASE("comm: waits of threads that overlap are idle time from the begin of the first to the end of the last",
          "[comm]") {
  FakeEndpoint endpoint;
  Comm comm(endpoint);
  const Ticks long_time = to_ticks(std::chrono::microseconds(100));
  // One thread at a time goes on.
  std::binary_semaphore second_waits{0};
  std::binary_semaphore first_is_through{0};
  std::thread second;
  Ticks begin = 0;
  Ticks end = 0;
  const auto receive = [&comm] {
    std::array<int, 1> data{};
    (void)comm.recv(data, 1, 7);
  };
  endpoint.on_wait = [&] {
    Operation* const own = endpoint.receive;
    if (endpoint.waits == 1) {
      begin = ticks_now();
      pass_time(long_time);
      second = std::thread(receive);
      second_waits.acquire();
    } else {
      second_waits.release();
      first_is_through.acquire();
      pass_time(long_time);
      end = ticks_now();
    }
    endpoint.receive = own;
    endpoint.let_come();
  };
  receive();
  first_is_through.release();
  second.join();
  CHECK(endpoint.waits == 2);
  CHECK(comm.counters().idle >= end - begin);
  CHECK(comm.counters().idle <= comm.counters().communication);
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

TEST_CASE("comm: nothing is moved along for requests that could not be started", "[comm]") {
  FakeEndpoint endpoint;
  Comm comm(endpoint);
  std::array<int, 1> data{};
  endpoint.on_start = [](Operation&) { throw RunError("there is no way to it"); };
  CHECK_THROWS_AS(comm.isend(data, 1, 7), RunError);
  CHECK_THROWS_AS(comm.irecv(data, 1, 7), RunError);
  CHECK_THROWS_AS(comm.isend_placed(sizeof data, 1, 7), RunError);
  CHECK_THROWS_AS(comm.irecv_placed(sizeof data, 1, 7), RunError);
  comm.progress();
  CHECK(endpoint.moves == 0);
  endpoint.on_start = nullptr;
  Request request = comm.irecv(data, 1, 7);
  comm.progress();
  CHECK(endpoint.moves == 1);
  endpoint.let_come();
  comm.wait(request);
}

TEST_CASE("comm: a request is none that its predecessor's error has ended", "[comm]") {
  FakeEndpoint endpoint;
  Comm comm(endpoint);
  std::array<int, 1> data{};
  endpoint.on_start = [](Operation& receive) {
    receive.abandoned = true;
    throw RunError("a message does not fit its receive buffer");
  };
  CHECK_THROWS_AS(comm.irecv(data, 1, 7), RunError);
  endpoint.sends_wait = true;
  Operation* started = nullptr;
  endpoint.on_start = [&started](Operation& send) { started = &send; };
  Request request = comm.isend(data, 1, 7);
  CHECK_FALSE(comm.test(request));
  started->complete = true;
  CHECK(comm.test(request));
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

TEST_CASE("comm: the source of a message is a rank of the Comm that it was awaited in", "[comm]") {
  run_ranks(4, [](Comm& comm) {
    const auto row = comm.split(comm.rank() / 2, 0);
    std::array<int, 1> data{comm.rank()};
    const auto check = [&](const Status& status) {
      if (status.source != 1) throw RunError("a wrong source: " + std::to_string(status.source));
    };
    if (row->rank() == 1) {
      for (const Tag tag : {1, 2, 3}) row->send(data, 0, tag);
      return;
    }
    Request waited = row->irecv(data, 1, 1);
    check(comm.wait(waited));
    Status status;
    std::array<Request, 2> requests{Request(), row->irecv(data, 1, 2)};
    if (comm.wait_any(requests, &status) != 1) throw RunError("the wrong request");
    check(status);
    Request tested = row->irecv(data, 1, 3);
    while (!comm.test(tested, &status)) {
    }
    check(status);
  });
}

// --- tasks that have ended --------------------------------------------------------------------------------

namespace {

/// Of the messages of the first Comm of a task.
constexpr Context world_context = 2;

}  // namespace

TEST_CASE("comm: to test a receive from a task that has died is an error", "[comm]") {
  EngineMachine machine(2, small_limits);
  Comm comm(machine[0]);
  std::array<int, 1> data{};
  Request request = comm.irecv(data, 1, 7);
  CHECK_FALSE(comm.test(request));
  machine[0].forget(EngineMachine::tid_of(1), false);
  CHECK_THROWS_WITH(comm.test(request), "task t2.1 has ended, and will not send what is waited for");
  CHECK_FALSE(request.pending());
}

TEST_CASE("comm: a message has no negative tag, which a receive might take for any", "[comm]") {
  EngineMachine machine(2, small_limits);
  Comm comm(machine[0]);
  std::array<int, 1> data{};
  const auto refuses = Catch::Contains("a message's tag is 0 or more");
  for (const Tag tag : {any_tag, Tag{-7}}) {
    CHECK_THROWS_WITH(comm.send(data, 1, tag), refuses);
    CHECK_THROWS_WITH(comm.isend(data, 1, tag), refuses);
  }
  CHECK(comm.counters().total().messages_sent == 0);
  Status found;
  CHECK_THROWS_WITH(comm.recv(data, 1, -7), refuses);
  CHECK_THROWS_WITH(comm.irecv(data, 1, -7), refuses);
  CHECK_THROWS_WITH(comm.irecv_placed(4, 1, -7), refuses);
  CHECK_THROWS_WITH(comm.probe(1, -7), refuses);
  CHECK_THROWS_WITH(comm.iprobe(1, -7, found), refuses);
}

TEST_CASE("comm: of requests that are waited for together those that cannot complete are over one by one", "[comm]") {
  EngineMachine machine(3, small_limits);
  Comm comm(machine[0]);
  std::array<int, 1> first{}, second{}, third{};
  std::array<Request, 3> requests = {comm.irecv(first, 1, 7), comm.irecv(second, 2, 7), comm.irecv(third, 1, 8)};
  machine[0].forget(EngineMachine::tid_of(1), false);
  CHECK_THROWS_WITH(comm.wait_any(requests), "task t2.1 has ended, and will not send what is waited for");
  CHECK_FALSE(requests[0].pending());
  CHECK(requests[1].pending());
  CHECK(requests[2].pending());
  CHECK_THROWS_AS(comm.wait_any(requests), RunError);
  CHECK_FALSE(requests[2].pending());
  const auto send = machine.send(2, 0, 7, pattern(sizeof second), world_context);
  machine.deliver_all();
  CHECK(comm.wait_any(requests) == 1);
  CHECK(std::ranges::equal(std::as_bytes(std::span(second)), pattern(sizeof second)));
}

TEST_CASE("comm: what goes wrong for a request that nobody waits for is told by the next call that blocks",
          "[comm]") {
  EngineMachine machine(2, small_limits);
  Comm comm(machine[0]);
  std::array<int, 1> data{};
  {
    std::vector<Request> requests;
    requests.push_back(comm.irecv(data, 1, 7));
    machine[0].forget(EngineMachine::tid_of(1), false);
  }
  const auto tells = Catch::Contains("has ended, and will not send what is waited for");
  SECTION("or when the task finishes") {
    CHECK_THROWS_WITH(comm.complain_of_forgotten(), tells);
    CHECK_NOTHROW(comm.complain_of_forgotten());
  }
  SECTION("a receive") { CHECK_THROWS_WITH(comm.recv(data), tells); }
}

TEST_CASE("comm: a request that is destroyed is waited for whatever has gone wrong for another one", "[comm]") {
  EngineMachine machine(3, small_limits);
  Comm comm(machine[0]);
  std::array<int, 1> data{}, lost{};
  EngineMachine::Handle send;
  {
    const Request healthy = comm.irecv(data, 2, 7);
    const Request failing = comm.irecv(lost, 1, 7);  // the first that goes
    machine[0].forget(EngineMachine::tid_of(1), false);
    send = machine.send(2, 0, 7, pattern(sizeof data), world_context);
    machine.pump();
  }
  CHECK(std::ranges::equal(std::as_bytes(std::span(data)), pattern(sizeof data)));
  CHECK_THROWS_AS(comm.complain_of_forgotten(), RunError);
}

TEST_CASE("comm: to assign to a request whose receive has failed is an error that can be caught", "[comm]") {
  EngineMachine machine(2, small_limits);
  Comm comm(machine[0]);
  std::array<int, 1> data{};
  Request request = comm.irecv(data, 1, 7);
  machine[0].forget(EngineMachine::tid_of(1), false);
  CHECK_THROWS_AS(request = Request(), RunError);
  CHECK_FALSE(request.pending());
}

namespace {

template <typename B>
concept MayBeSent = requires(Comm& comm, B&& data) {
  comm.isend(std::forward<B>(data), 0);
};

}  // namespace

TEST_CASE("comm: what goes at the end of the statement is not sent in the background", "[comm]") {
  STATIC_REQUIRE(MayBeSent<std::vector<int>&>);
  STATIC_REQUIRE(MayBeSent<const std::vector<int>&>);
  STATIC_REQUIRE(MayBeSent<std::span<const int>>);
  STATIC_REQUIRE_FALSE(MayBeSent<std::vector<int>>);
  STATIC_REQUIRE_FALSE(MayBeSent<std::array<int, 2>>);
}

TEST_CASE("comm: blocks for all have none left over", "[comm]") {
  EngineMachine machine(3, small_limits);
  Comm comm(machine[0]);
  std::array<int, 10> out{}, in{};
  std::array<int, 3> block{};
  CHECK_THROWS_WITH(comm.alltoall(out, in), "10 elements are not 3 for each of 3 tasks");
  CHECK_THROWS_WITH(comm.scatter(out, block), "10 elements are not 3 for each of 3 tasks");
}

TEST_CASE("comm: what was sent before a wait has failed arrives, though its memory is used again", "[comm]") {
  EngineMachine machine(3, small_limits);
  Comm comm(machine[0]);
  machine[0].forget(EngineMachine::tid_of(1), false);
  const std::size_t bytes = 5000;
  const auto exchange = [&] {
    std::vector<std::byte> out = pattern(bytes), in(10);
    CHECK_THROWS_AS(comm.sendrecv(out, 2, in, 1, 9), RunError);
    std::ranges::fill(out, std::byte{});
  };
  const auto fail_meanwhile = [&] {
    const std::vector<std::byte> out = pattern(bytes);
    const Request request = comm.isend(out, 2, 9);
    throw std::runtime_error("something else");
  };
  SECTION("in one call") { exchange(); }
  SECTION("by a request") { CHECK_THROWS_AS(fail_meanwhile(), std::runtime_error); }
  const auto receive = machine.receive(2, 0, 9, bytes, world_context);
  machine.deliver_all();
  CHECK(got(receive, 0, 9, pattern(bytes)));
}

TEST_CASE("comm: what is posted waits for nobody, and arrives when it is received", "[comm]") {
  EngineMachine machine(2, small_limits);
  Comm comm(machine[0]);
  const std::size_t last_bytes = 200;                             // no room is left for them
  std::vector<std::vector<std::byte>> messages(6, pattern(900));  // more than may leave at once
  std::vector<Request> requests;
  for (const auto& message : messages) requests.push_back(comm.isend(message, 1, 1));
  REQUIRE_FALSE(comm.test(requests.back()));
  {
    std::vector<std::byte> last = pattern(last_bytes);
    comm.post_bytes(last, 1, 2);
    std::ranges::fill(last, std::byte{});
  }
  const auto first = machine.receive(1, 0, 2, last_bytes, world_context);
  machine.deliver_all();
  CHECK(got(first, 0, 2, pattern(last_bytes)));
  std::vector<EngineMachine::Handle> receives;
  for (std::size_t i = 0; i < messages.size(); ++i) receives.push_back(machine.receive(1, 0, 1, 900, world_context));
  machine.deliver_all();
  comm.wait_all(requests);
}
