#include "support/spawn_bodies.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/folder.hpp"
#include "vm/broadcast/static_group.hpp"
#include "vm/process/programs.hpp"
#include "vm/status.hpp"

namespace nasvm::test {
namespace {

constexpr Tag work = 1, result = 2, gone = 9;

void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

PackBuffer number(int value) { return std::move(PackBuffer().pack_value(value)); }

PackBuffer long_message() { return std::move(PackBuffer().pack(std::vector<double>(500'000, 0.5))); }

// --- workers -------------------------------------------------------------------------------------------------------

/// Doubles numbers until one is negative. Its siblings may be dead by then.
void double_numbers(Task& task) {
  for (;;) {
    auto order = task.recv(task.parent(), work);
    const int value = order.message.unpack_value<int>();
    if (value < 0) return task.depart();
    task.send(task.parent(), result, number(2 * value));
  }
}

/// Says the sum of all ranks plus one to the parent, and reports its own.
void add_up_ranks(Task& task) {
  std::vector<int> sum{task.comm().rank() + 1};
  task.comm().allreduce(sum);
  task.report("worker " + std::to_string(task.comm().rank()));
  task.send(task.parent(), result, number(sum[0]));
}

void wait_for_ever(Task& task) { (void)task.recv(any_task, 12345); }

void die(Task&) { ::raise(SIGKILL); }

/// And so its whole host.
void kill_own_daemon(Task& task) {
  (void)task.recv(task.parent(), work);
  ::kill(::getppid(), SIGKILL);
  (void)task.recv(any_task, 12345);
}

// --- those that start them -----------------------------------------------------------------------------------------

void spawn_and_use(Task& task) {
  require(task.parent() == Tid::console(), "the first world's parent is the console");
  const auto workers = task.spawn({.setup = "double numbers", .count = 3});
  require(workers.size() == 3, "as many as were asked for");
  for (int i = 0; i < 3; ++i) task.send(workers[static_cast<std::size_t>(i)], work, number(10 + i));
  std::set<int> results;
  std::set<Tid> sources;
  for (int i = 0; i < 3; ++i) {
    auto received = task.recv(any_task, result);
    results.insert(received.message.unpack_value<int>());
    sources.insert(received.source);
  }
  require(results == std::set<int>{20, 22, 24}, "results");
  require(sources == std::set<Tid>(workers.begin(), workers.end()), "sources");
  task.mcast(workers, work, number(-1));
  require(task.comm().size() == 1, "the first world does not grow");
}

void spawn_a_world(Task& task) {
  task.report("leader");
  for (const int count : {1, 4}) {
    const auto workers = task.spawn({.setup = "add up ranks", .count = count});
    for (const Tid worker : workers) {
      require(task.recv(worker, result).message.unpack_value<int>() == count * (count + 1) / 2, "sum in that world");
    }
  }
}

void outlive_workers(Task& task) {
  const auto workers = task.spawn({.setup = "double numbers", .count = 2, .notify = gone});
  const auto short_lived = task.spawn({.setup = "die", .count = 1, .notify = gone});
  const auto notice = Task::read_notice(task.recv(any_task, gone));
  require(notice.gone == short_lived[0] && !notice.clean, "who has died");
  task.send(short_lived[0], work, long_message());  // vanishes
  task.kill(workers[0]);
  require(Task::read_notice(task.recv(any_task, gone)).gone == workers[0], "who was killed");
  task.send(workers[0], work, long_message());
  task.send(workers[1], work, number(4));
  require(task.recv(workers[1], result).message.unpack_value<int>() == 8, "the other goes on");
  task.send(workers[1], work, number(-1));
  const auto last = Task::read_notice(task.recv(any_task, gone));
  require(last.gone == workers[1] && last.clean, "who has left");
  task.notify(gone + 1, workers);
  for (int i = 0; i < 2; ++i) require(!Task::read_notice(task.recv(any_task, gone + 1)).clean, "ended before");
}

/// A long message to a worker that never receives it holds nobody up when the worker is gone.
void forget_sends(Task& task) {
  const auto workers = task.spawn({.setup = "wait for ever", .count = 1, .notify = gone});
  task.send(workers[0], work, long_message());
  task.kill(workers[0]);
  (void)task.recv(any_task, gone);
}

void outlive_a_host(Task& task) {
  task.notify_hosts(gone + 1);
  const auto doomed = task.spawn({.setup = "kill own daemon", .host = "127.0.0.2", .notify = gone});
  task.send(doomed[0], work, number(0));
  require(Task::read_notice(task.recv(any_task, gone)).gone == doomed[0], "the task that was there");
  const auto notice = Task::read_notice(task.recv(any_task, gone + 1));
  require(notice.gone == Tid::daemon(2) && !notice.clean, "the host");
  task.send(doomed[0], work, long_message());
  const auto workers = task.spawn({.setup = "add up ranks", .count = 3});
  for (const Tid worker : workers) {
    require(worker.host() == 1, "none on the lost host");
    (void)task.recv(worker, result);
  }
  task.report(notice.text);
}

/// One of three workers is gone before their world begins: the first that makes a folder kills itself.
void outlive_an_early_death(Task& task) {
  // The folder stands until all have answered: a worker may come to its first line only after spawn has returned
  // here.
  const Folder folder;
  const std::string mark = folder.file("dead");
  const auto workers = task.spawn(
      {.program = "/bin/sh",
       .arguments = {"-c", "mkdir " + mark + " 2>/dev/null && kill -9 $$; exec \"$0\"", process::own_program()},
       .setup = "double numbers",
       .count = 3,
       .notify = gone});
  const auto notice = Task::read_notice(task.recv(any_task, gone));
  for (const Tid worker : workers) {
    if (worker == notice.gone) continue;
    task.send(worker, work, number(3));
    require(task.recv(worker, result).message.unpack_value<int>() == 6, "the others work");
    task.send(worker, work, number(-1));
  }
}

void leave_workers_behind(Task& task) {
  (void)task.spawn({.setup = "wait for ever", .count = 2});
  task.report("done");
}

void lose_a_worker(Task& task) {
  const auto workers = task.spawn({.setup = "die", .count = 1});
  (void)task.recv(workers[0]);
}

void spawn_nowhere(Task& task) { (void)task.spawn({.setup = "die", .host = "nowhere"}); }

/// Each call fails by itself, and the task goes on.
void spawn_what_is_not_there(Task& task) {
  for (const char* program : {"no-such-program", "/nowhere/program", "/tmp"}) {
    try {
      (void)task.spawn({.program = program, .count = 3, .notify = gone});
      require(false, "it is not there");
    } catch (const RunError& error) {
      task.report(std::string(error.what()) + "\n");
    }
  }
  try {
    spawn_nowhere(task);
    require(false, "there is no such host");
  } catch (const UsageError&) {
    spawn_and_use(task);
  }
}

void spawn_on_each_host(Task& task) {
  for (const char* host : {"127.0.0.1", "127.0.0.2"}) {
    const auto workers = task.spawn({.setup = "add up ranks", .count = 2, .host = host});
    require(workers[0].host() == workers[1].host(), "one host");
    for (const Tid worker : workers) (void)task.recv(worker, result);
    task.report(std::to_string(workers[0].host()));
  }
}

// --- receiving and groups ------------------------------------------------------------------------------------------

void meet_in_a_group(Task& task) {
  const int size = task.comm().size();
  const int own = task.join("ring");
  task.barrier("ring", size);
  const auto members = task.members("ring");
  require(std::ssize(members) == size && members[static_cast<std::size_t>(own)] == task.tid(), "members");
  if (own == 0) task.broadcast("ring", work, number(size));
  if (own != 0) require(task.recv(members[0], work).message.unpack_value<int>() == size, "broadcast");
  task.barrier("ring", size);
  task.leave("ring");
  task.comm().barrier();
  require(task.members("ring").empty(), "nobody is left");
}

/// Three messages; when the task of rank `doomed` has the first one, it dies.
void use(multicast::StaticGroup& group, const Comm& comm, Rank doomed, void (*die)()) {
  for (int number = 0; number < 3; ++number) {
    const std::vector<std::byte> message(300'000, static_cast<std::byte>(number));
    std::vector<std::byte> buffer(message.size());
    if (comm.rank() == 0) group.send(message);
    else (void)group.receive(buffer);
    require(comm.rank() == 0 || buffer == message, "what the group brought");
    if (number == 0 && comm.rank() == doomed) die();
  }
}

void report_losses(Task& task, const multicast::StaticGroup& group) {
  std::string text = "has all";
  if (task.comm().rank() == 0) {
    for (const auto& [rank, how] : group.losses()) text += "; rank " + std::to_string(rank) + ": " + how;
  }
  task.report(text);
}

/// Groups by all protocols; while each is used, the task whose rank is the protocol's place, from 1, kills itself.
void outlive_members(Task& task) {
  std::deque<multicast::StaticGroup> groups;
  for (const multicast::Row& row : multicast::protocols()) {
    groups.emplace_back(task.surroundings(), task.comm(), 0, multicast::Choice{&row, {}},
                        multicast::GroupOptions{.on_loss = multicast::OnLoss::go_on});
  }
  Rank doomed = 0;
  for (multicast::StaticGroup& group : groups) use(group, task.comm(), ++doomed, [] { ::raise(SIGKILL); });
  for (multicast::StaticGroup& group : groups) group.close();
  report_losses(task, groups.back());
  task.depart();
}

/// So that the task kills itself when its group waits for the (looks + 1)th time.
multicast::Surroundings doomed_after(multicast::Surroundings here, int looks) {
  const auto left = std::make_shared<int>(looks);  // one count for all copies of the surroundings
  here.wait_until = [left, wait_until = here.wait_until](const auto& done, auto deadline) {
    if ((*left)-- == 0) ::raise(SIGKILL);
    wait_until(done, deadline);
  };
  return here;
}

/// Groups by all protocols; while each is set up, the task whose rank is the protocol's place, from 1, kills itself:
/// before it joins, in the roll call, in the probe.
void lose_members_in_set_up(Task& task) {
  Comm& comm = task.comm();
  std::vector<Rank> others(static_cast<std::size_t>(comm.size()) - 1);
  std::iota(others.begin(), others.end(), 1);
  if (comm.rank() == 0) task.surroundings().outlive(others);
  comm.barrier();
  Rank doomed = 0;
  for (const multicast::Row& row : multicast::protocols()) {
    ++doomed;
    const int looks = doomed % 5 - 1;
    if (comm.rank() == doomed && looks < 0) ::raise(SIGKILL);
    const multicast::Surroundings here =
        comm.rank() == doomed ? doomed_after(task.surroundings(), looks) : task.surroundings();
    multicast::StaticGroup group(here, comm, 0, multicast::Choice{&row, {}}, {.on_loss = multicast::OnLoss::go_on});
    use(group, comm, -1, [] {});
    if (comm.rank() != 0) require(group.losses().size() <= static_cast<std::size_t>(doomed), "who is lost");
    group.close();
    if (doomed == static_cast<Rank>(multicast::protocols().size())) report_losses(task, group);
  }
  task.depart();
}

void outlive_a_members_host(Task& task) {
  multicast::StaticGroup group(task.surroundings(), task.comm(), 0, multicast::parse_protocol("nak"),
                               {.on_loss = multicast::OnLoss::go_on});
  use(group, task.comm(), 2, [] {
    ::kill(::getppid(), SIGKILL);
    ::pause();
  });
  group.close();
  report_losses(task, group);
  task.depart();
}

constexpr std::array all_bodies{
    Body<Task>{"double numbers", double_numbers},
    Body<Task>{"add up ranks", add_up_ranks},
    Body<Task>{"wait for ever", wait_for_ever},
    Body<Task>{"die", die},
    Body<Task>{"spawn and use", spawn_and_use},
    Body<Task>{"spawn a world", spawn_a_world},
    Body<Task>{"outlive workers", outlive_workers},
    Body<Task>{"forget sends", forget_sends},
    Body<Task>{"kill own daemon", kill_own_daemon},
    Body<Task>{"outlive a host", outlive_a_host},
    Body<Task>{"outlive an early death", outlive_an_early_death},
    Body<Task>{"leave workers behind", leave_workers_behind},
    Body<Task>{"lose a worker", lose_a_worker},
    Body<Task>{"spawn nowhere", spawn_nowhere},
    Body<Task>{"spawn on each host", spawn_on_each_host},
    Body<Task>{"spawn what is not there", spawn_what_is_not_there},
    Body<Task>{"meet in a group", meet_in_a_group},
    Body<Task>{"outlive members", outlive_members},
    Body<Task>{"outlive a member's host", outlive_a_members_host},
    Body<Task>{"lose members in set-up", lose_members_in_set_up},
};

}  // namespace

std::span<const Body<Task>> spawn_bodies() { return all_bodies; }

}  // namespace nasvm::test
