// Requests between tasks of one thread, without sockets: order, flow control, failures, ends, methods, seals.

#include "vm/service/service.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/request_network.hpp"
#include "vm/service/sends.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::service;
using Catch::Contains;
using nasvm::test::RequestNetwork;

namespace {

constexpr std::uint32_t known = 7;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Some tasks with a service each.
struct Tasks {
  explicit Tasks(int count, const Service::Options& options = {}) : network(count) {
    for (Rank rank = 0; rank < count; ++rank) {
      services.push_back(std::make_unique<Service>(network[rank], options));
    }
  }
  Service& operator[](int rank) { return *services[static_cast<std::size_t>(rank)]; }
  Startpoint to(int from, int task, std::string_view order = {}) {
    return (*this)[from].startpoint(RequestNetwork::tid_of(task), known, order);
  }

  RequestNetwork network;
  std::vector<std::unique_ptr<Service>> services;
};

bool is_data(const RequestNetwork::Message& message) { return message.tag == data_tag; }

}  // namespace

TEST_CASE("a request runs its handler with its data where the endpoint is", "[service]") {
  Tasks tasks(2);
  std::string heard;
  service::Endpoint endpoint(tasks[1], known);
  endpoint.data() = std::string("data of the endpoint");
  endpoint.on("note", [&](Incoming& request) {
    heard = text_of(request.bytes()) + ", " + to_string(request.source()) + ", " +
            std::any_cast<std::string>(request.endpoint().data());
  });
  const std::size_t length = GENERATE(0, 8, 4064, 4065, 100'000);
  const std::string sent(length, 'x');
  CAPTURE(length);
  tasks.to(0, 1).request("note", std::as_bytes(std::span(sent)));
  CHECK(heard.empty());  // asynchronous
  tasks[0].flush();
  CHECK(heard == sent + ", t1.1, data of the endpoint");
  CHECK(tasks[1].counters().requests_served == 1);
  CHECK(tasks[1].counters().bytes_served == length);
}

TEST_CASE("data that is given away is not copied by who asks, and arrives", "[service]") {
  Tasks tasks(2);
  std::vector<std::string> heard;
  service::Endpoint endpoint(tasks[1], known);
  endpoint.on(1, [&](Incoming& request) { heard.push_back(text_of(request.bytes())); });
  endpoint.on(2, [&](Incoming& request) { heard.push_back(request.packed().unpack_text()); });
  Startpoint startpoint = tasks.to(0, 1);
  const std::string text(GENERATE(10, 50'000), 'y');
  startpoint.request(1, bytes_of(text));
  startpoint.request(2, PackBuffer().pack_text(text));
  tasks[0].flush();
  CHECK(heard == std::vector{text, text});
}

TEST_CASE("requests to one endpoint are carried out in their order, long and short", "[service]") {
  Tasks tasks(2);
  std::vector<std::size_t> heard;
  service::Endpoint endpoint(tasks[1], known);
  endpoint.on(1, [&](Incoming& request) { heard.push_back(request.bytes().size()); });
  Startpoint startpoint = tasks.to(0, 1);
  const std::vector<std::size_t> lengths{5, 10'000, 6, 7, 20'000, 8};
  for (const std::size_t length : lengths) startpoint.request(1, std::vector<std::byte>(length));
  tasks[0].flush();
  CHECK(heard == lengths);
}

TEST_CASE("a request whose data is on its way holds up those to the same endpoint alone", "[service]") {
  Tasks tasks(2);
  std::string heard;
  service::Endpoint first(tasks[1], known), second(tasks[1], known + 1);
  for (service::Endpoint* endpoint : {&first, &second}) {
    endpoint->on(1, [&, endpoint](Incoming& request) {
      heard += endpoint == &first ? "first " : "second ";
      heard += std::to_string(request.bytes().size()) + "; ";
    });
  }
  Startpoint startpoint = tasks.to(0, 1);
  Startpoint far = tasks[0].startpoint(RequestNetwork::tid_of(1), known, "far");
  tasks.network.held_up = is_data;
  startpoint.request(1, std::vector<std::byte>(5000));
  far.request(1, std::vector<std::byte>(1));
  tasks[0].startpoint(RequestNetwork::tid_of(1), known + 1, "far").request(1, std::vector<std::byte>(2));
  tasks.network.settle();
  CHECK(heard == "second 2; ");
  tasks.network.let_go();
  tasks.network.settle();
  CHECK(heard == "second 2; first 5000; first 1; ");
}

TEST_CASE("answers go to the endpoint that the asker has named", "[service]") {
  Tasks tasks(2);
  service::Endpoint server(tasks[1], known);
  server.on("double", [](Incoming& request) {
    const auto value = request.packed().unpack_value<int>();
    request.asker().request("result", PackBuffer().pack_value(2 * value));
  });
  service::Endpoint answers(tasks[0]);
  int result = 0;
  answers.on("result", [&](Incoming& request) { result = request.packed().unpack_value<int>(); });
  tasks.to(0, 1).request("double", PackBuffer().pack_value(21), &answers);
  tasks[0].serve_until([&] { return result != 0; });
  CHECK(result == 42);
}

TEST_CASE("a startpoint that comes in a message reaches its endpoint from there, whoever has sent it", "[service]") {
  Tasks tasks(3);
  std::vector<std::string> heard;
  service::Endpoint owner(tasks[0]);
  owner.on("tell", [&](Incoming& request) { heard.push_back(to_string(request.source())); });
  // Rank 1 gets it from its owner, and passes it on to rank 2.
  service::Endpoint relay(tasks[1], known), last(tasks[2], known);
  const auto tell = [](Incoming& request) {
    PackBuffer message = request.packed();
    Startpoint::unpack(request.service(), message).request("tell");
  };
  last.on("take", tell);
  relay.on("take", [&](Incoming& request) {
    tell(request);
    PackBuffer message = request.packed(), on;
    Startpoint::unpack(request.service(), message).pack(on);
    tasks.to(1, 2).request("take", on);
  });
  PackBuffer message;
  owner.startpoint().pack(message);
  CHECK(message.bytes().size() <= 48);  // the light form
  tasks.to(0, 1).request("take", message);
  tasks[0].serve_until([&] { return heard.size() == 2; });
  CHECK(heard == std::vector<std::string>{"t1.2", "t1.3"});
}

TEST_CASE("a startpoint carries its order of methods, where it is not the default one, and its protection",
          "[service]") {
  Tasks tasks(2);
  service::Endpoint owner(tasks[0]);
  Startpoint plain = owner.startpoint(), far = owner.startpoint("far+near");
  far.protect(Protection::sealed);
  PackBuffer message;
  plain.pack(message);
  far.pack(message);
  PackBuffer received({message.bytes().begin(), message.bytes().end()});
  const Startpoint first = Startpoint::unpack(tasks[1], received);
  const Startpoint second = Startpoint::unpack(tasks[1], received);
  CHECK(first.method() == "near");
  CHECK(first.protection() == Protection::open);
  CHECK(second.method() == "far");
  CHECK(second.protection() == Protection::sealed);
  CHECK(first.candidates().size() == 2);
}

TEST_CASE("a request on a startpoint with several endpoints goes to each of them", "[service]") {
  Tasks tasks(4);
  std::vector<std::string> heard;
  std::vector<std::unique_ptr<service::Endpoint>> endpoints;
  Startpoint all;
  for (const int rank : {1, 2, 3}) {
    endpoints.push_back(std::make_unique<service::Endpoint>(tasks[rank], known));
    endpoints.back()->on(1, [&heard, rank](Incoming& request) {
      heard.push_back(std::to_string(rank) + ":" + std::to_string(request.bytes().size()));
    });
    all.bind(tasks.to(0, rank));
  }
  CHECK(all.size() == 3);
  const std::size_t length = GENERATE(3, 30'000);
  all.request(1, std::vector<std::byte>(length));
  tasks[0].flush();
  std::ranges::sort(heard);
  const std::string text = ":" + std::to_string(length);
  CHECK(heard == std::vector{"1" + text, "2" + text, "3" + text});
  CHECK(tasks[0].counters().requests_made == 3);
}

TEST_CASE("long data for several endpoints leaves once where the method hands it on", "[service]") {
  Tasks tasks(4);
  std::vector<std::string> heard;
  std::vector<std::unique_ptr<service::Endpoint>> endpoints;
  for (const int rank : {0, 1, 2, 3}) {
    endpoints.push_back(std::make_unique<service::Endpoint>(tasks[rank], known));
    endpoints.back()->on(1, [&heard, rank](Incoming& request) {
      heard.push_back(std::to_string(rank) + text_of(request.bytes()).substr(0, 1));
    });
  }
  const std::vector<std::byte> data(30'000, std::byte{'x'});
  Startpoint all;
  for (const int rank : {1, 2, 3}) all.bind(tasks.to(0, rank, "far"));
  int data_messages = 1;
  std::vector<std::string> expected{"1x", "2x", "3x"};
  SECTION("different tasks, one method") {}
  SECTION("one of them by another method") {
    all = {};
    for (const int rank : {1, 2}) all.bind(tasks.to(0, rank, "far"));
    all.bind(tasks.to(0, 3, "near"));
    data_messages = 3;
  }
  SECTION("sealed, for each its own") {
    all.protect(Protection::sealed);
    data_messages = 3;
  }
  SECTION("two endpoints of one task") {
    all.bind(tasks.to(0, 3, "far"));
    expected.emplace_back("3x");
    data_messages = 4;
  }
  SECTION("one of them in this task") {
    all.bind(tasks.to(0, 0, "far"));
    expected.insert(expected.begin(), "0x");
    data_messages = 4;
  }
  const int before = tasks.network.messages;
  all.request(1, data);
  const auto endpoints_asked = static_cast<int>(all.size());
  CHECK(tasks.network.messages - before == endpoints_asked + data_messages);
  all.request(1, std::vector<std::byte>(data));  // in order behind it
  tasks[0].flush();
  const std::vector<std::string> once = expected;
  expected.insert(expected.end(), once.begin(), once.end());
  std::ranges::sort(expected);
  std::ranges::sort(heard);
  CHECK(heard == expected);
  CHECK(tasks[0].counters().requests_made == 2 * all.size());
  if (all.protection() == Protection::open) CHECK(tasks[0].counters().bytes_made == 2 * all.size() * data.size());
}

TEST_CASE("a request for several endpoints of which one's task has ended goes to nobody by multicast", "[service]") {
  Tasks tasks(4);
  Startpoint all;
  for (const int rank : {1, 2, 3}) all.bind(tasks.to(0, rank, "far"));
  tasks.network.end(3);
  const int before = tasks.network.messages;
  CHECK_THROWS_WITH(all.request(1, std::vector<std::byte>(30'000)), Contains("t1.4 has ended"));
  CHECK(tasks.network.messages == before);
}

TEST_CASE("what comes for a known number waits for its endpoint; later there is nobody", "[service]") {
  Tasks tasks(2);
  int heard = 0;
  Startpoint startpoint = tasks.to(0, 1);
  startpoint.request(1);
  startpoint.request(1);
  tasks.network.settle();
  {
    service::Endpoint endpoint(tasks[1], known);
    endpoint.on(1, [&](Incoming&) { ++heard; });
    tasks.network.settle();
    CHECK(heard == 2);
  }
  startpoint.request(1);
  CHECK_THROWS_WITH(tasks[0].flush(), Contains("endpoint 7 of t1.2 is gone"));
}

TEST_CASE("requests find their endpoint and handler, whichever was asked before", "[service]") {
  Tasks tasks(2);
  std::string heard;
  const auto add = [&](service::Endpoint& endpoint, const std::string& name) {
    for (const std::uint32_t handler : {1U, 2U}) {
      endpoint.on(handler, [&heard, name, handler](Incoming&) { heard += name + std::to_string(handler) + " "; });
    }
  };
  Startpoint first = tasks.to(0, 1), second = tasks[0].startpoint(RequestNetwork::tid_of(1), known + 1);
  service::Endpoint other(tasks[1], known + 1);
  add(other, "b");
  {
    service::Endpoint endpoint(tasks[1], known);
    add(endpoint, "a");
    for (const std::uint32_t handler : {1U, 1U, 2U, 1U}) {
      first.request(handler);
      second.request(handler);
    }
    first.request(2);
    tasks[0].flush();
    CHECK(heard == "a1 b1 a1 b1 a2 b2 a1 b1 a2 ");
  }
  heard.clear();
  service::Endpoint again(tasks[1], known);  // in place of the one that was asked last
  add(again, "c");
  first.request(2);
  tasks[0].flush();
  CHECK(heard == "c2 ");
}

TEST_CASE("a failure of a handler reaches who asked, and nobody else", "[service]") {
  Tasks tasks(3);
  service::Endpoint endpoint(tasks[1], known);
  int good = 0;
  endpoint.on("write", [](Incoming& request) {
    if (!request.bytes().empty()) throw RunError("no space left on device");
  });
  endpoint.on("count", [&](Incoming&) { ++good; });
  SECTION("by its next call that may wait") {
    Startpoint startpoint = tasks.to(0, 1);
    startpoint.request("write", bytes_of("x"));
    startpoint.request("count");
    CHECK_THROWS_WITH(tasks[0].flush(),
                      "a request failed: handler \"write\" of endpoint 7 of t1.2: no space left on device");
    CHECK(good == 1);  // others go on
    CHECK_NOTHROW(tasks[0].flush());
    CHECK_NOTHROW(tasks[2].flush());
  }
  SECTION("or by whoever listens") {
    std::vector<Failure> failures;
    tasks[0].on_failure([&](const Failure& failure) { failures.push_back(failure); });
    Startpoint startpoint = tasks.to(0, 1);
    startpoint.request("write");
    const RequestNumber bad = startpoint.request("write", bytes_of("x"));
    const RequestNumber unknown = startpoint.request("erase");
    CHECK_NOTHROW(tasks[0].flush());
    REQUIRE(failures.size() == 2);
    CHECK(failures[0].request == bad);
    CHECK(failures[0].task == RequestNetwork::tid_of(1));
    CHECK(failures[1].request == unknown);
    CHECK_THAT(failures[1].text, Contains("has no such handler; it has ") && Contains("\"write\""));
    CHECK(tasks[0].counters().failures == 2);
    startpoint.request(77);
    CHECK_NOTHROW(tasks[0].flush());
    REQUIRE(failures.size() == 3);
    CHECK_THAT(failures[2].text, Contains("endpoint 7 of t1.2 has no handler 77; it has "));
  }
  SECTION("once, also by who throws") {
    std::vector<RequestNumber> heard;
    tasks[0].on_failure([&](const Failure& failure) {
      heard.push_back(failure.request);
      if (heard.size() == 1) throw std::runtime_error("not now");
    });
    Startpoint startpoint = tasks.to(0, 1);
    const RequestNumber first = startpoint.request("write", bytes_of("x"));
    const RequestNumber second = startpoint.request("erase");
    CHECK_THROWS_WITH(tasks[0].flush(), "not now");
    CHECK_NOTHROW(tasks[0].flush());
    CHECK(heard == std::vector{first, second});
    CHECK(tasks[0].counters().failures == 2);
    startpoint.request("count");
    CHECK_NOTHROW(tasks[0].flush());
    CHECK(good == 1);
  }
  SECTION("by whoever waits for what cannot come any more") {
    endpoint.on("flush", [](Incoming& request) { request.service().flush(); });
    const auto [name, expected] = GENERATE(table<const char*, const char*>(
        {{"write", "no space left on device"}, {"erase", "no such handler"}, {"flush", "a handler cannot wait"}}));
    tasks.network.when_stuck = []() -> bool { throw std::logic_error("everybody waits"); };  // also with a deadline
    const auto later = std::chrono::steady_clock::now() + std::chrono::hours(1);
    const auto never = [] { return false; };
    tasks.to(0, 1).request(name, bytes_of("x"));
    CHECK_THROWS_WITH(tasks[0].serve_until(never), Contains(expected));
    tasks.to(0, 1).request(name, bytes_of("x"));
    CHECK_THROWS_WITH(tasks[0].serve_until(never, later), Contains(expected));
    CHECK_NOTHROW(tasks[0].flush());
  }
  SECTION("by whoever waits until it has come") {
    bool failed = false;
    tasks[0].on_failure([&](const Failure&) { failed = true; });
    tasks.to(0, 1).request("erase");
    tasks[0].serve_until([&] { return failed; });
    CHECK(failed);
  }
}

TEST_CASE("two names of a handler are a mistake, and so are two endpoints of a number", "[service]") {
  Tasks tasks(1);
  service::Endpoint endpoint(tasks[0], known);
  endpoint.on("read", [](Incoming&) {});
  CHECK_THROWS_AS(endpoint.on("read", [](Incoming&) {}), UsageError);
  CHECK_THROWS_AS(service::Endpoint(tasks[0], known), UsageError);
  CHECK_THROWS_AS(service::Endpoint(tasks[0], service::Endpoint::first_free_number), UsageError);
  CHECK_THROWS_AS(Startpoint().request(1), RunError);
  CHECK_THROWS_AS(tasks[0].startpoint(Tid::task(2, 1), known), RunError);
}

TEST_CASE("who asks for more than there is room for waits, and serves meanwhile", "[service]") {
  Tasks tasks(2, {.window_bytes = 1024});
  int served_here = 0, served_there = 0;
  service::Endpoint here(tasks[0], known), there(tasks[1], known);
  here.on(1, [&](Incoming&) { ++served_here; });
  there.on(1, [&](Incoming&) { ++served_there; });
  tasks.to(1, 0).request(1);
  Startpoint startpoint = tasks.to(0, 1);
  for (int i = 0; i < 16; ++i) startpoint.request(1);  // units of 64 bytes
  CHECK(served_there == 0);
  CHECK(tasks[0].counters().waits == 0);
  startpoint.request(1);
  CHECK(served_there > 0);
  CHECK(served_here == 1);
  CHECK(tasks[0].counters().waits == 1);
  tasks[0].flush();
  CHECK(served_there == 17);
}

TEST_CASE("who has waited for room has been told of the failures that came with it", "[service]") {
  Tasks tasks(2, {.window_bytes = 64});
  service::Endpoint endpoint(tasks[1], known);
  endpoint.on("write", [](Incoming&) { throw RunError("no space left on device"); });
  std::vector<RequestNumber> failed;
  tasks[0].on_failure([&](const Failure& failure) { failed.push_back(failure.request); });
  Startpoint startpoint = tasks.to(0, 1);
  const RequestNumber first = startpoint.request("write");
  startpoint.request("write");  // there is room when the first one has been served
  CHECK(failed == std::vector{first});
}

TEST_CASE("one request may always be under way, however long", "[service]") {
  Tasks tasks(2, {.window_bytes = 64});
  std::size_t heard = 0;
  service::Endpoint endpoint(tasks[1], known);
  endpoint.on(1, [&](Incoming& request) { heard += request.bytes().size(); });
  Startpoint startpoint = tasks.to(0, 1);
  for (int i = 0; i < 5; ++i) startpoint.request(1, std::vector<std::byte>(50'000));
  tasks[0].flush();
  CHECK(heard == 250'000);
}

TEST_CASE("tasks that answer each other with full windows do not wait for ever", "[service]") {
  Tasks tasks(2, {.window_bytes = 256});
  int answers = 0;
  std::vector<std::unique_ptr<service::Endpoint>> servers, listeners;
  for (const int rank : {0, 1}) {
    servers.push_back(std::make_unique<service::Endpoint>(tasks[rank], known));
    servers.back()->on(1, [](Incoming& request) { request.asker().request(1, request.bytes()); });
    listeners.push_back(std::make_unique<service::Endpoint>(tasks[rank]));
    listeners.back()->on(1, [&](Incoming&) { ++answers; });
  }
  Startpoint there = tasks.to(0, 1), back = tasks.to(1, 0);
  const std::vector<std::byte> data(GENERATE(1, 100, 6000));
  for (int i = 0; i < 50; ++i) {
    there.request(1, data, listeners[0].get());
    back.request(1, data, listeners[1].get());
  }
  tasks[0].serve_until([&] { return answers == 100; });
  CHECK(answers == 100);
}

TEST_CASE("room is given back in few messages", "[service]") {
  Tasks tasks(2, {.window_bytes = 64 * 1024});
  service::Endpoint endpoint(tasks[1], known);
  endpoint.on(1, [](Incoming&) {});
  Startpoint startpoint = tasks.to(0, 1);
  constexpr int requests = 20'000;
  for (int i = 0; i < requests; ++i) startpoint.request(1);
  tasks[0].flush();
  CHECK(tasks.network.messages < requests + requests / 200);
}

TEST_CASE("a service that ends gives back the room that it owes", "[service]") {
  Tasks tasks(2);
  {
    service::Endpoint endpoint(tasks[1], known);
    endpoint.on(1, [](Incoming&) {});
    tasks.to(0, 1).request(1);
    tasks.network.settle();
  }
  tasks.services[1].reset();
  CHECK_NOTHROW(tasks[0].flush());
}

TEST_CASE("a handler cannot wait", "[service]") {
  Tasks tasks(2);
  service::Endpoint endpoint(tasks[1], known);
  endpoint.on("wait", [](Incoming& request) { request.service().serve_until([] { return false; }); });
  endpoint.on("flush", [](Incoming& request) { request.service().flush(); });
  endpoint.on("use", [&](Incoming&) { tasks.to(1, 0).use("far"); });
  for (const char* name : {"wait", "flush", "use"}) {
    tasks.to(0, 1).request(name);
    CHECK_THROWS_WITH(tasks[0].flush(), Contains("a handler cannot wait"));
  }
}

TEST_CASE("nothing overtakes when a startpoint changes its method", "[service]") {
  Tasks tasks(2);
  std::vector<std::size_t> heard;
  service::Endpoint endpoint(tasks[1], known);
  endpoint.on(1, [&](Incoming& request) { heard.push_back(request.bytes().size()); });
  Startpoint startpoint = tasks.to(0, 1);
  tasks.network.held_up = [](const auto& message) {
    return message.context == RequestNetwork::near_context && message.source == 0;
  };
  tasks.network.when_stuck = [&] {
    tasks.network.let_go();
    return heard.empty();
  };
  startpoint.request(1, std::vector<std::byte>(1));
  startpoint.use("far");
  CHECK(startpoint.method() == "far");
  CHECK_THROWS_AS(startpoint.use("nonsense"), UsageError);
  CHECK(startpoint.method() == "far");
  startpoint.request(1, std::vector<std::byte>(2));
  tasks[0].flush();
  CHECK(heard == std::vector<std::size_t>{1, 2});
}

TEST_CASE("waiting has an end when it is given one", "[service]") {
  Tasks tasks(1);
  CHECK_FALSE(tasks[0].serve_until([] { return false; }, std::chrono::steady_clock::now()));
  CHECK(tasks[0].serve_until([] { return true; }, std::chrono::steady_clock::now()));
}

TEST_CASE("waiting ends in time also where requests keep coming", "[service]") {
  Tasks tasks(1);
  service::Endpoint endpoint(tasks[0]);
  Startpoint again = endpoint.startpoint();
  int heard = 0;
  endpoint.on(1, [&](Incoming&) {
    if (++heard < 1000) again.request(1);
  });
  again.request(1);
  CHECK_FALSE(tasks[0].serve_until([] { return false; }, std::chrono::steady_clock::now()));
  CHECK(heard < 1000);
  tasks[0].serve_until([&] { return heard == 1000; });
}

TEST_CASE("what has come in time is seen, however long the request before it takes", "[service]") {
  Tasks tasks(1);
  service::Endpoint endpoint(tasks[0]);
  Startpoint to = endpoint.startpoint();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  endpoint.on(1, [&](Incoming&) { std::this_thread::sleep_until(deadline); });
  bool answered = false;
  endpoint.on(2, [&](Incoming&) { answered = true; });
  to.request(1);
  to.request(2);
  CHECK(tasks[0].serve_until([&] { return answered; }, deadline));
}

TEST_CASE("a service whose messages have failed is left without waiting for any", "[service]") {
  RequestNetwork network(1);
  network.may_cancel = [](const nasvm::Operation&) { return false; };
  network.when_stuck = []() -> bool { throw std::logic_error("it waits"); };
  Service::abandon(std::make_unique<Service>(network[0]));
  CHECK_NOTHROW(network.settle());
}

TEST_CASE("a task has one service at a time", "[service]") {
  Tasks tasks(2);
  CHECK_THROWS_WITH(Service(tasks.network[1]), Contains("has a service already"));
  service::Endpoint endpoint(tasks[1], known);
  int heard = 0;
  endpoint.on(1, [&](Incoming&) { ++heard; });
  tasks.to(0, 1).request(1);
  tasks[0].flush();
  CHECK(heard == 1);
}

TEST_CASE("a startpoint that is bound to nothing has no task, method or candidates", "[service]") {
  const std::string text = "a startpoint that is bound to no endpoint cannot be asked";
  CHECK_THROWS_WITH(Startpoint().task(), text);
  CHECK_THROWS_WITH(Startpoint().method(), text);
  CHECK_THROWS_WITH(Startpoint().candidates(), text);
  Tasks tasks(2);
  CHECK_THROWS_WITH(tasks.to(0, 1).task(1), Contains("of 1 endpoints has none of place 1"));
}

TEST_CASE("a handler may throw what is no exception", "[service]") {
  Tasks tasks(2);
  service::Endpoint endpoint(tasks[1], known);
  endpoint.on("throw", [](Incoming&) { throw 5; });
  tasks.to(0, 1).request("throw");
  CHECK_THROWS_WITH(tasks[0].flush(), Contains("something was thrown that is no std::exception"));
}

TEST_CASE("what comes after a service was left is the next one's", "[service]") {
  Tasks tasks(2);
  Service::abandon(std::exchange(tasks.services[1], nullptr));
  tasks.services[1] = std::make_unique<Service>(tasks.network[1]);
  service::Endpoint endpoint(tasks[1], known);
  bool heard = false;
  endpoint.on(1, [&](Incoming&) { heard = true; });
  tasks.to(0, 1).request(1);
  tasks[1].serve_until([&] { return heard; });
  CHECK(heard);
}

TEST_CASE("a service that ends waits for data that is arriving, whoever ends meanwhile", "[service]") {
  Tasks tasks(3);
  tasks.network.held_up = is_data;
  tasks.to(0, 1).request(1, std::vector<std::byte>(5000));
  tasks.network.settle();
  tasks.network.may_cancel = [](const Operation& receive) { return receive.peer == any_source; };
  int stuck = 0;
  tasks.network.when_stuck = [&] {
    if (++stuck == 1) tasks.network.end(2);
    else tasks.network.let_go();
    return true;
  };
  tasks.services[1].reset();
  CHECK(stuck == 2);
}

TEST_CASE("a task asks itself", "[service]") {
  Tasks tasks(1);
  std::size_t heard = 0;
  service::Endpoint endpoint(tasks[0]);
  endpoint.on(1, [&](Incoming& request) { heard += request.bytes().size(); });
  Startpoint startpoint = endpoint.startpoint();
  startpoint.request(1, std::vector<std::byte>(10));
  startpoint.request(1, std::vector<std::byte>(10'000));
  CHECK(heard == 0);
  tasks[0].flush();
  CHECK(heard == 10'010);
}

TEST_CASE("nobody waits for a task that has ended", "[service]") {
  Tasks tasks(3, {.window_bytes = 256});
  int heard = 0;
  service::Endpoint endpoint(tasks[2], known);
  endpoint.on(1, [&](Incoming&) { ++heard; });
  Startpoint startpoint = tasks.to(0, 1);
  SECTION("that was asked") {
    for (int i = 0; i < 4; ++i) startpoint.request(1);  // nobody has that endpoint: they wait
    tasks.network.when_stuck = [&] {
      tasks.network.end(1);
      return true;
    };
    CHECK_NOTHROW(tasks[0].flush());
    CHECK_THROWS_WITH(startpoint.request(1), Contains("task t1.2 has ended"));
  }
  SECTION("that was asking") {
    tasks.network.held_up = is_data;
    tasks.to(1, 2).request(1, std::vector<std::byte>(5000));
    tasks.network.settle();
    tasks.network.end(1);
    tasks.to(0, 2).request(1);
    tasks[0].flush();
    CHECK(heard == 1);
  }
}

TEST_CASE("nobody waits for a task that is forgotten, for room or for what it was asked", "[service]") {
  Tasks tasks(3, {.window_bytes = 256});
  const Tid deaf = RequestNetwork::tid_of(1);
  service::Endpoint endpoint(tasks[0], known);
  endpoint.on(1, [&](Incoming&) { tasks[0].forget(deaf); });
  bool told = false;
  tasks.network.when_stuck = [&] {
    if (std::exchange(told, true)) return false;
    tasks.to(2, 0).request(1);
    return true;
  };
  Startpoint startpoint = tasks.to(0, 1);
  for (int i = 0; i < 5; ++i) startpoint.request(1);  // nobody has that endpoint, and there is room for four
  CHECK(told);
  CHECK(tasks[0].counters().waits == 1);
  CHECK_NOTHROW(tasks[0].flush());
}

TEST_CASE("sealed requests say nothing on their way, and open only as they were sealed", "[service]") {
  std::string wire;  // outlives the network, which adds to it
  Tasks tasks(2);
  std::string heard;
  service::Endpoint endpoint(tasks[1], known);
  endpoint.on("note", [&](Incoming& request) {
    heard = text_of(request.bytes());
    request.asker().request("echo", request.bytes());
  });
  service::Endpoint answers(tasks[0]);
  std::string echo;
  answers.on("echo", [&](Incoming& request) { echo = text_of(request.bytes()); });
  tasks.network.held_up = [&](const RequestNetwork::Message& message) {
    wire += text_of(message.data);
    return false;
  };
  Startpoint startpoint = tasks.to(0, 1);
  std::string secret = "a secret that is long enough to be found";
  for (int i = 0; i < GENERATE(0, 10); ++i) secret += secret;
  startpoint.protect(Protection::sealed);
  startpoint.request("note", bytes_of(secret), &answers);
  tasks[0].serve_until([&] { return !echo.empty(); });
  CHECK(heard == secret);
  CHECK(echo == secret);
  CHECK(wire.find("a secret") == std::string::npos);
  startpoint.protect(Protection::open);
  startpoint.request("note", bytes_of("a secret"), &answers);
  CHECK(wire.find("a secret") != std::string::npos);
}
