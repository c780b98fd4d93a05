#include "vm/daemon/local_tasks.hpp"

#include <signal.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::daemon;
using protocol::Message;

namespace {

constexpr int status_of_exit(int number) { return number << 8; }

/// What a task would be: the test says what becomes of it.
struct ToyState {
  std::optional<int> wait_status;
  bool heard_out = false;
  bool open = false;
  bool output_ended = false;
  bool killed = false;
  std::vector<Message> told;
  std::vector<Body> texts;  ///< of that
};

class ToyTask final : public LocalTask {
 public:
  ToyTask(ToyState& state, pid_t pid) : state_(state), pid_(pid) {}
  pid_t pid() const override { return pid_; }
  std::optional<int> ended() const override { return state_.wait_status; }
  bool is_heard_out() const override { return state_.heard_out; }
  void send(const ControlText& message) override {
    state_.told.push_back(protocol::parse({message.body.get(), message.bytes}));
    state_.texts.push_back(message.body);
  }
  void open() override { state_.open = true; }
  void end_output() override { state_.output_ended = true; }
  void kill() override { state_.killed = true; }

 private:
  ToyState& state_;
  pid_t pid_;
};

constexpr Tid tid(int local) { return Tid::task(1, local); }

struct Fixture {
  void spawn(int count) {
    protocol::Spawn message;
    for (int local = 1; local <= count; ++local) message.tasks.push_back({tid(local), local - 1});
    tasks.spawn(message);
  }
  void begin(int count) {
    protocol::Start message;
    for (int local = 1; local <= count; ++local) message.members.push_back({tid(local), "left", {}});
    tasks.begin(message);
  }
  /// The process ends; `heard_out`: all it sent has been read.
  void end(int local, int wait_status, bool heard_out = true) {
    states[tid(local)].wait_status = wait_status;
    states[tid(local)].heard_out = heard_out;
    tasks.sweep();
  }
  std::vector<Message> take_told() { return std::exchange(told, {}); }

  std::map<Tid, ToyState> states;
  std::vector<Message> told;  ///< the console
  int most_tasks = 1000;
  LocalTasks tasks{[this](const protocol::Spawn&, const protocol::TaskEntry& entry) {
                     if (entry.rank >= most_tasks) throw RunError("no more processes");
                     return std::make_unique<ToyTask>(states[entry.tid], 100 + entry.rank);
                   },
                   [this](const Message& message) { told.push_back(message); }};
};

protocol::Exited exited(int local, bool clean, const std::string& text) {
  return {tid(local), 99 + local, clean, false, text};
}

}  // namespace

TEST_CASE("the program starts with the news of who the others are", "[local tasks]") {
  Fixture fixture;
  fixture.spawn(2);
  CHECK(fixture.tasks.size() == 2);
  CHECK(fixture.tasks.find(tid(2))->pid() == 101);
  CHECK(fixture.tasks.find(tid(3)) == nullptr);
  CHECK_FALSE(fixture.states[tid(1)].open);
  const protocol::Start start{{{tid(1), "left", {}}, {tid(2), "left", {}}}};
  fixture.tasks.begin(start);
  for (const int local : {1, 2}) {
    CHECK(fixture.states[tid(local)].told == std::vector<Message>{start});
    CHECK(fixture.states[tid(local)].open);
  }
  CHECK(fixture.told.empty());
}

TEST_CASE("the news is written once for all tasks", "[local tasks]") {
  Fixture fixture;
  fixture.spawn(2);
  fixture.begin(2);
  for (const int local : {1, 2}) REQUIRE(fixture.states[tid(local)].texts.size() == 1);
  CHECK(fixture.states[tid(1)].texts[0].get() == fixture.states[tid(2)].texts[0].get());
}

TEST_CASE("starting many tasks, and telling them of each other, is interrupted by signs of life", "[local tasks]") {
  Fixture fixture;
  fixture.spawn(200);
  CHECK(fixture.take_told() == std::vector<Message>(3, protocol::Pong{}));
  fixture.begin(200);
  CHECK(fixture.take_told() == std::vector<Message>(3, protocol::Pong{}));
}

TEST_CASE("tasks that cannot be started are told of, and those before are there, and can be killed",
          "[local tasks]") {
  Fixture fixture;
  fixture.most_tasks = 2;
  fixture.spawn(4);
  CHECK(fixture.take_told() == std::vector<Message>{protocol::NotStarted{tid(3), Exit::broken, "no more processes"},
                                                    protocol::NotStarted{tid(4), Exit::broken, "no more processes"}});
  CHECK(fixture.tasks.size() == 2);
  fixture.tasks.kill();
  CHECK(fixture.states[tid(1)].killed);
  CHECK(fixture.states[tid(2)].killed);
}

TEST_CASE("a task that said it leaves, and left with status 0, has ended in good order", "[local tasks]") {
  Fixture fixture;
  fixture.spawn(3);
  fixture.tasks.note_done(tid(1), false);
  fixture.end(1, 0);
  CHECK(fixture.take_told() == std::vector<Message>{exited(1, true, "exited with status 0")});
  fixture.end(2, 0);
  CHECK(fixture.take_told() ==
        std::vector<Message>{exited(2, false, "exited with status 0 without Task::finish or depart")});
  fixture.tasks.note_done(tid(3), false);
  fixture.end(3, status_of_exit(5));
  CHECK(fixture.take_told() == std::vector<Message>{exited(3, false, "exited with status 5")});
  CHECK(fixture.tasks.empty());
}

TEST_CASE("what is for a task that said it leaves is dropped while its process lives on", "[local tasks]") {
  const bool alone = GENERATE(false, true);
  Fixture fixture;
  fixture.spawn(2);
  fixture.tasks.note_done(tid(1), alone);
  CHECK(fixture.states[tid(1)].output_ended);
  CHECK_FALSE(fixture.states[tid(2)].output_ended);
  CHECK(fixture.tasks.size() == 2);
}

TEST_CASE("of a task that leaves without its siblings the console is told so", "[local tasks]") {
  Fixture fixture;
  fixture.spawn(1);
  fixture.tasks.note_done(tid(1), true);
  fixture.end(1, 0);
  CHECK(fixture.told ==
        std::vector<Message>{protocol::Exited{tid(1), 100, true, false, "exited with status 0", true}});
}

TEST_CASE("a task's end is reported when all it sent has been read", "[local tasks]") {
  Fixture fixture;
  fixture.spawn(1);
  fixture.end(1, 0, false);
  CHECK(fixture.told.empty());
  CHECK(fixture.tasks.size() == 1);
  fixture.states[tid(1)].heard_out = true;
  fixture.tasks.sweep();
  CHECK(fixture.told.size() == 1);
  fixture.tasks.sweep();
  CHECK(fixture.told.size() == 1);
}

TEST_CASE("a task that a signal killed is reported at once", "[local tasks]") {
  Fixture fixture;
  fixture.spawn(1);
  fixture.tasks.note_done(tid(1), false);
  fixture.end(1, SIGKILL, false);
  CHECK(fixture.told ==
        std::vector<Message>{protocol::Exited{tid(1), 100, false, true, "was killed by signal 9 (SIGKILL)"}});
}

TEST_CASE("after a kill the console hears once that none is left, and of no single end", "[local tasks]") {
  Fixture fixture;
  fixture.spawn(2);
  fixture.tasks.kill();
  CHECK(fixture.states[tid(1)].killed);
  CHECK(fixture.states[tid(2)].killed);
  fixture.end(1, SIGKILL);
  CHECK(fixture.told.empty());
  fixture.end(2, SIGKILL);
  CHECK(fixture.told == std::vector<Message>{protocol::Killed{}});
  fixture.tasks.sweep();
  CHECK(fixture.told.size() == 1);
}

TEST_CASE("a start that comes behind a kill does not keep the console from hearing that none is left",
          "[local tasks]") {
  Fixture fixture;
  fixture.spawn(1);
  fixture.tasks.kill();
  fixture.begin(1);
  fixture.end(1, SIGKILL);
  CHECK(fixture.take_told() == std::vector<Message>{protocol::Killed{}});
  fixture.spawn(1);
  fixture.end(1, SIGKILL);
  CHECK(fixture.told.size() == 1);  // of the next run's tasks each
  CHECK(std::holds_alternative<protocol::Exited>(fixture.told[0]));
}

TEST_CASE("a kill without tasks is answered at once", "[local tasks]") {
  Fixture fixture;
  fixture.tasks.kill();
  CHECK(fixture.told == std::vector<Message>{protocol::Killed{}});
}

TEST_CASE("at the daemon's own end tasks are killed and nobody is told", "[local tasks]") {
  Fixture fixture;
  fixture.spawn(1);
  fixture.tasks.end();
  CHECK(fixture.states[tid(1)].killed);
  CHECK(fixture.told.empty());
}

TEST_CASE("local tasks: what all are asked reaches each of them", "[daemon]") {
  Fixture fixture;
  fixture.spawn(3);
  fixture.tasks.pass_all(protocol::Where{});
  for (int local = 1; local <= 3; ++local) {
    CAPTURE(local);
    CHECK(fixture.states[tid(local)].told.back() == Message(protocol::Where{}));
  }
}

TEST_CASE("what a task says reaches the console under the name its daemon knows", "[local tasks]") {
  Fixture fixture;
  fixture.spawn(2);
  fixture.tasks.forward(tid(2), protocol::Ready{tid(1), 7, {{"shm", "x"}}});
  fixture.tasks.forward(tid(2), protocol::Failed{tid(1), 7, Exit::usage, "no"});
  fixture.tasks.forward(tid(9), protocol::Failed{tid(1), 7, Exit::usage, "of nobody"});
  CHECK(fixture.told == std::vector<Message>{protocol::Ready{tid(2), 101, {{"shm", "x"}}},
                                             protocol::Failed{tid(2), 101, Exit::usage, "no"}});
}
