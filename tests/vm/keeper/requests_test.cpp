#include "vm/keeper/requests.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "vm/keeper/job_queue.hpp"
#include "vm/keeper/translate.hpp"

using namespace nasvm;
using namespace nasvm::keeper;
using Catch::Contains;

namespace {

const HostEntry host{"node1", "10.0.0.1", 4, 8, "hosts:3"};
const protocol::Setup setup{.program = "x", .transport = "shm", .pairs = {{0, 1, "daemon"}}, .bind = false};

protocol::Hello facts() {
  protocol::Hello facts;
  facts.name = "node1";
  facts.pid = 7;
  facts.cores = 2;
  facts.caches = {{1, 32768, 2}};
  return facts;
}

std::vector<Message> samples() {
  return {Greeting{"1 (a)", 4711, "nasvm run ep"},
          Run{"/bin/p", {"a"}, {"X=1"}, 4, 2, {host}, 3, setup, 5000},
          Add{{host}},
          Remove{{"node1"}},
          keeper::Status{},
          Stop{},
          State{"work",
                "1 (a)",
                12,
                1700000000,
                {{host, facts(), "gone"}},
                {{"nasvm run ep", 4711, 1700000001}},
                {{Tid::task(1, 2), 1, "node1", 99}}},
          Waiting{2},
          Started{{1, 2}},
          Done{},
          Failed{Exit::usage, "a line"}};
}

JobQueue::Entry entry(std::uint32_t client, const char* what) { return {client, Run{}, {what, 1, 10}}; }

}  // namespace

TEST_CASE("every request and answer can be read again as it was", "[keeper]") {
  const auto messages = samples();
  REQUIRE(messages.size() == std::variant_size_v<Message>);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    CAPTURE(i);
    CHECK(messages[i].index() == i);
    const std::string text = to_text(messages[i]);
    CHECK(parse(std::as_bytes(std::span(text))) == messages[i]);
  }
  const Order order{"work", {host}, "ssh", "rsh -x", true, "eth0"};
  CHECK(parse_order(to_text(order)) == order);
  CHECK_THROWS_WITH(parse_order("{}"), Contains("order.name: missing"));
}

TEST_CASE("docs/keeper-protocol.md lists the requests as they are described", "[keeper]") {
  std::ifstream file(NASVM_SOURCE_FOLDER "/docs/keeper-protocol.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string begin = "<!-- from here on as keeper::documentation() writes it -->\n\n";
  const std::size_t at = page.find(begin);
  REQUIRE(at != std::string::npos);
  INFO("expected:\n" << documentation());
  CHECK(page.substr(at + begin.size()) == documentation());
}

TEST_CASE("a program and a machine's options are told whole", "[keeper]") {
  Machine::Program program;
  program.path = "/bin/p";
  program.arguments = {"a"};
  program.environment = {"X=1"};
  program.size = 5;
  program.hosts = 2;
  program.on = {{"node1", "10.0.0.1", 4, 8, "hosts:3"}};
  program.threads = 3;
  program.bind = Binding::none;
  program.transport = "direct";
  program.pair_orders = {{0, 1, "daemon"}};
  program.setup = "work";
  program.timeout = std::chrono::milliseconds(1234);
  const Run request = request_of(program);
  CHECK(request_of(program_of(request)) == request);
  CHECK(program_of(request).timeout == program.timeout);
  CHECK(program_of(request).timeout_option == "--timeout");
  CHECK(program_of(request).bind == Binding::none);
  const Order order{"work", {host}, "ssh", "rsh -x", true, "eth0"};
  CHECK(order_of("work", options_of(order)) == order);
  CHECK(options_of(order).goes_on);
  const HostState state{host, facts(), "gone"};
  CHECK(state_of(host_of(state)) == state);
}

TEST_CASE("jobs are done in the order of their coming, one at a time", "[keeper]") {
  JobQueue queue;
  CHECK(queue.begin(0) == nullptr);
  CHECK(queue.push(entry(1, "first")) == 0);
  CHECK(queue.push(entry(2, "second")) == 1);
  const JobQueue::Entry* running = queue.begin(20);
  REQUIRE(running != nullptr);
  CHECK(running->job.what == "first");
  CHECK(running->job.since_s == 20);
  CHECK(queue.begin(21) == nullptr);
  CHECK(queue.push(entry(3, "third")) == 2);
  const auto jobs = queue.jobs();
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[1].what == "second");
  queue.end();
  CHECK(queue.begin(22)->client == 2);
}

TEST_CASE("what a client that is gone waits for is dropped, and what it runs is told of", "[keeper]") {
  JobQueue queue;
  queue.push(entry(1, "first"));
  queue.push(entry(2, "second"));
  queue.push(entry(1, "third"));
  REQUIRE(queue.begin(0) != nullptr);
  CHECK((queue.has(1) && queue.has(2)));
  CHECK_FALSE(queue.has(3));
  CHECK_FALSE(queue.drop(2));
  CHECK_FALSE(queue.has(2));
  CHECK(queue.jobs().size() == 2);
  CHECK(queue.drop(1));
  CHECK(queue.jobs().size() == 1);
  queue.end();
  CHECK(queue.begin(0) == nullptr);
}
