#include "support/service_bodies.hpp"

#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/deadline.hpp"
#include "vm/service/service.hpp"

namespace nasvm::test {
namespace {

using service::Incoming;
using service::Service;
using service::Startpoint;

constexpr std::uint32_t known = 1, answered = 2;

void require(bool condition, const std::string& what) {
  if (!condition) throw std::logic_error(what);
}

std::vector<std::byte> pattern(std::size_t length, int seed) {
  std::vector<std::byte> data(length);
  for (std::size_t i = 0; i < length; ++i) data[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(seed));
  return data;
}

constexpr std::array<std::size_t, 8> lengths{0, 1, 8, 4064, 4065, 20'000, 300'000, 2'000'000};

/// Ranks ask all ranks, and check the echoes: each comes, whole, in its order.
class Echoes {
 public:
  explicit Echoes(Task& task, const Service::Options& options = {}) : service_(task, options) {}

  Service& service() { return service_; }
  Startpoint to(Tid task, std::string_view order = {}) { return service_.startpoint(task, known, order); }
  void ask(Startpoint& startpoint) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      startpoint.request("echo", pattern(lengths[i], static_cast<int>(i)), &answers_);
    }
  }
  void hear(std::size_t tasks) {
    service_.serve_until([&] { return heard_ == tasks * lengths.size(); });
    heard_ = 0;
    next_.clear();
  }

 private:
  void hear_one(Incoming& answer) {
    std::size_t& next = next_[answer.source().value];
    const auto data = pattern(lengths[next], static_cast<int>(next));
    require(std::ranges::equal(answer.bytes(), data), "echo " + std::to_string(next));
    ++next;
    ++heard_;
  }

  Service service_;
  std::map<std::uint32_t, std::size_t> next_;
  std::atomic<std::size_t> heard_ = 0;
  // Last, with their handlers: those may have a thread of their own, and requests come as soon as an endpoint is
  // there.
  service::Endpoint server_{
      service_, known, {{"echo", [](Incoming& request) { request.asker().request("back", request.bytes()); }}}};
  service::Endpoint answers_{service_, answered, {{"back", [this](Incoming& answer) { hear_one(answer); }}}};
};

void ask_everybody(Task& task) {
  Echoes echoes(task);
  for (const Tid sibling : task.siblings()) {
    Startpoint startpoint = echoes.to(sibling);
    echoes.ask(startpoint);
  }
  echoes.hear(task.siblings().size());
  echoes.service().flush();
  task.comm().barrier();  // serves those who are not done
}

/// All ask all others at once, by one startpoint and by one for each in turns; rank 0 multicasts packed messages
/// meanwhile.
void ask_all_at_once(Task& task) {
  Echoes echoes(task);
  Startpoint all;
  std::vector<Startpoint> each;
  std::vector<Tid> others;
  for (const Tid sibling : task.siblings()) {
    if (sibling == task.tid()) continue;
    others.push_back(sibling);
    each.push_back(echoes.to(sibling));
    all.bind(each.back());
  }
  const auto message = pattern(700'000, 3);
  for (int round = 0; round < 3; ++round) {
    echoes.ask(all);
    if (task.comm().rank() == 0) {
      task.mcast(others, round, PackBuffer().pack(std::span<const std::byte>(message)));
    } else {
      std::vector<std::byte> received(message.size());
      task.recv(task.siblings()[0], round).message.unpack(received);
      require(received == message, "multicast " + std::to_string(round));
    }
    echoes.hear(others.size());
    for (Startpoint& one : each) echoes.ask(one);
    echoes.hear(others.size());
  }
  echoes.service().flush();
  task.comm().barrier();
}

/// Rank 0 multicasts a short packed message while a long request to all waits for its receivers. They take the
/// message when rank 0 has told them to.
void multicast_beside_a_request(Task& task) {
  Echoes echoes(task);
  std::vector<Tid> others(task.siblings().begin() + 1, task.siblings().end());
  if (task.comm().rank() == 0) {
    Startpoint all;
    for (const Tid other : others) all.bind(echoes.to(other));
    echoes.ask(all);
    task.mcast(others, 1, PackBuffer().pack_value(5));
    for (const Tid other : others) task.send(other, 2, PackBuffer());
    echoes.hear(others.size());
  } else {
    task.recv(task.siblings()[0], 2);
    require(task.recv(task.siblings()[0], 1).message.unpack_value<int>() == 5, "the message");
  }
  echoes.service().flush();
  task.comm().barrier();
}

/// As `ask_everybody`, with little room, and sealed.
void ask_with_little_room(Task& task) {
  Echoes echoes(task, {.window_bytes = 1000});
  for (const Tid sibling : task.siblings()) {
    Startpoint startpoint = echoes.to(sibling);
    startpoint.protect(service::Protection::sealed);
    echoes.ask(startpoint);
  }
  echoes.hear(task.siblings().size());
  task.comm().barrier();
}

/// Every method that reaches the next rank, one after the other on one startpoint, with nothing overtaken.
void ask_by_each_method(Task& task) {
  Service service(task);
  service::Endpoint endpoint(service, known);
  int next = 0;
  endpoint.on("number", [&](Incoming& request) {
    require(request.packed().unpack_value<int>() == next, "request " + std::to_string(next));
    ++next;
  });
  const auto siblings = task.siblings();
  const auto rank = static_cast<std::size_t>(task.comm().rank());
  Startpoint startpoint = service.startpoint(siblings[(rank + 1) % siblings.size()], known);
  std::string methods;
  int number = 0;
  for (int round = 0; round < 3; ++round) {
    for (const auto& [method, why_not] : startpoint.candidates()) {
      if (!why_not.empty()) continue;
      startpoint.use(method);
      for (int i = 0; i < 20; ++i) startpoint.request("number", PackBuffer().pack_value(number++));
      if (round == 0) methods += std::string(startpoint.method()) + " ";
    }
  }
  service.serve_until([&] { return next == number; });
  service.flush();
  task.comm().barrier();
  task.report(methods);
}

/// A task that waits in Comm or in Task serves.
void serve_while_waiting(Task& task) {
  Service service(task);
  service::Endpoint endpoint(service, known), answers(service, answered);
  int asked = 0, answered_now = 0;
  endpoint.on("ask", [&](Incoming& request) {
    ++asked;
    request.asker().request("answer");
  });
  answers.on("answer", [&](Incoming&) { ++answered_now; });
  Comm& comm = task.comm();
  const auto siblings = task.siblings();
  std::vector<Rank> others(static_cast<std::size_t>(comm.size()) - 2);
  std::iota(others.begin(), others.end(), 2);
  if (comm.rank() == 0) {
    double value = 0;
    (void)comm.recv(std::span(&value, 1), 1);
    require(asked >= comm.size() - 1, "served while it waited in Comm");
    (void)task.recv(siblings[1], 5);
    require(asked == 2 * (comm.size() - 1), "served while it waited in Task");
    comm.barrier();
    return;
  }
  Startpoint startpoint = service.startpoint(siblings[0], known);
  for (int i = 1; i <= 2; ++i) {
    startpoint.request("ask", answers);
    service.serve_until([&] { return answered_now == i; });
    if (comm.rank() != 1) comm.send(std::array{1.0}, 1);
    if (comm.rank() != 1) continue;
    for (double value = 0; const Rank other : others) comm.recv(std::span(&value, 1), other);
    if (i == 1) comm.send(std::array{1.0}, 0);
    if (i == 2) task.send(siblings[0], 5, PackBuffer());
  }
  comm.barrier();
}

/// A task whose sends are held up by who does not receive serves.
void serve_while_sending(Task& task) {
  constexpr int messages = 200;
  constexpr int each = 100'000;
  Service service(task);
  service::Endpoint endpoint(service, known), answers(service, answered);
  bool is_answered = false;
  endpoint.on("ask", [](Incoming& request) { request.asker().request("answer"); });
  answers.on("answer", [&](Incoming&) { is_answered = true; });
  const auto siblings = task.siblings();
  if (task.comm().rank() == 0) {
    PackBuffer buffer;
    const auto data = pattern(each, 1);
    buffer.pack(data);
    for (int i = 0; i < messages; ++i) task.send(siblings[1], 5, buffer);
  } else {
    Startpoint startpoint = service.startpoint(siblings[0], known);
    startpoint.request("ask", answers);
    service.serve_until([&] { return is_answered; });
    for (int i = 0; i < messages; ++i) (void)task.recv(siblings[0], 5);
  }
  task.comm().barrier();
}

/// Who asks a task that does not serve is stopped, and goes on when it does.
void ask_one_that_does_not_serve(Task& task) {
  constexpr int requests = 100'000;
  Service service(task, {.window_bytes = 100'000});
  service::Endpoint endpoint(service, known);
  int served = 0;
  endpoint.on("data", [&](Incoming&) { ++served; });
  Comm& comm = task.comm();
  if (comm.rank() == 0) {
    (void)task.recv(any_task, 3);
    service.serve_until([&] { return served == requests; });
  } else {
    task.send(task.siblings()[0], 3, PackBuffer());
    Startpoint startpoint = service.startpoint(task.siblings()[0], known);
    const auto data = pattern(100, 1);
    for (int i = 0; i < requests; ++i) startpoint.request("data", data);
    service.flush();
    require(service.counters().waits > 0, "it had to wait");
  }
  comm.barrier();
}

// --- handlers in a thread of their own -----------------------------------------------------------------------------

constexpr Service::Options in_thread{.handlers = service::HandlersIn::own_thread};

void ask_everybody_in_threads(Task& task) {
  Echoes echoes(task, in_thread);
  for (const Tid sibling : task.siblings()) {
    Startpoint startpoint = echoes.to(sibling);
    echoes.ask(startpoint);
  }
  for (int i = 0; i < 100; ++i) task.comm().barrier();  // both threads want the message layer
  echoes.hear(task.siblings().size());
  echoes.service().flush();
  task.comm().barrier();
}

/// The Service goes when the task has left. What has been asked may not have been acknowledged.
template <void (Task::*leave)(), bool threads>
void leave_before_the_service(Task& task) {
  Echoes echoes(task, threads ? in_thread : Service::Options{});
  Startpoint next =
      echoes.to(task.siblings()[static_cast<std::size_t>(task.comm().rank() + 1) % task.siblings().size()]);
  echoes.ask(next);
  echoes.hear(1);
  echoes.service().flush();
  task.comm().barrier();
  (task.*leave)();
}

/// What a handler tells the task's thread, which is not in the message layer.
class Signal {
 public:
  void give() {
    const std::lock_guard lock(mutex_);
    given_ = true;
    changed_.notify_all();
  }
  void await() {
    std::unique_lock lock(mutex_);
    require(changed_.wait_for(lock, deadline_length(), [this] { return given_; }), "a signal of the other thread");
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool given_ = false;
};

/// Rank 0 never enters the message layer until it has been asked; its handler waits until that has happened.
void serve_while_computing(Task& task) {
  Service service(task, in_thread);
  Signal asked, received;
  bool answered_now = false;
  service::Endpoint endpoint(service, known, {{"ask", [&](Incoming& request) {
                                                 asked.give();
                                                 received.await();
                                                 request.asker().request("answer");
                                               }}});
  service::Endpoint answers(service, answered, {{"answer", [&](Incoming&) { answered_now = true; }}});
  Comm& comm = task.comm();
  comm.barrier();
  double value = 0;
  if (comm.rank() == 0) {
    asked.await();
    (void)comm.recv(std::span(&value, 1), 1);
    received.give();
  } else if (comm.rank() == 1) {
    service.startpoint(task.siblings()[0], known).request("ask", answers);
    comm.send(std::array{1.0}, 0);
    service.serve_until([&] { return answered_now; });
  }
  comm.barrier();
}

/// Rank 0 asks rank 1 for what fails there.
void report_failure(Task& task, const char* name, const service::Handler& handler) {
  Service service(task);
  service::Endpoint endpoint(service, known);
  endpoint.on(name, handler);
  if (task.comm().rank() == 0) {
    service.startpoint(task.siblings()[1], known).request(name);
    try {
      service.flush();
      throw std::logic_error("no failure");
    } catch (const RunError& error) {
      task.report(error.what());
    }
  }
  task.comm().barrier();
}

void fail_at_the_asked(Task& task) {
  report_failure(task, "fail", [](Incoming&) { throw RunError("the disk is full"); });
}

void wait_in_a_handler(Task& task) {
  report_failure(task, "wait", [&task](Incoming&) { (void)task.recv(any_task, 99); });
}

/// Answers one that it has been spawned by, which reaches it by the daemons.
void serve_until_told(Task& task) {
  Service service(task);
  service::Endpoint endpoint(service, known);
  bool done = false;
  endpoint.on("echo", [](Incoming& request) { request.asker().request("back", request.bytes()); });
  endpoint.on("done", [&](Incoming&) { done = true; });
  service.serve_until([&] { return done; });
}

void serve_a_stranger(Task& task) {
  serve_until_told(task);
  task.depart();
}

void ask_strangers(Task& task) {
  Echoes echoes(task);
  Task::SpawnOrder order;
  order.setup = "serve a stranger";
  order.count = 2;
  const auto tasks = task.spawn(order);
  for (const Tid each : tasks) {
    Startpoint startpoint = echoes.to(each);
    require(startpoint.method() == "daemon", "strangers are reached by the daemons");
    echoes.ask(startpoint);
  }
  echoes.hear(tasks.size());
  for (const Tid each : tasks) echoes.to(each).request("done");
  echoes.service().flush();
}

/// Some of what it is asked stays undone.
void die_when_asked(Task& task) {
  Service service(task);
  service::Endpoint endpoint(service, known);
  endpoint.on("die", [](Incoming&) { ::raise(SIGKILL); });
  service.serve_until([] { return false; });
}

void outlive_one_that_was_asked(Task& task) {
  Service service(task, {.window_bytes = 1000});
  Task::SpawnOrder order;
  order.setup = "die when asked";
  order.notify = 9;
  const auto tasks = task.spawn(order);
  Startpoint startpoint = service.startpoint(tasks[0], known);
  startpoint.request("die");
  service.flush();  // it is done with that
  try {
    startpoint.request("die");
  } catch (const RunError& error) {
    task.report(error.what());
  }
}

constexpr std::array all_bodies{
    Body<Task>{"ask everybody", ask_everybody},
    Body<Task>{"ask all at once", ask_all_at_once},
    Body<Task>{"multicast beside a request", multicast_beside_a_request},
    Body<Task>{"ask with little room", ask_with_little_room},
    Body<Task>{"ask by each method", ask_by_each_method},
    Body<Task>{"serve while waiting", serve_while_waiting},
    Body<Task>{"serve while sending", serve_while_sending},
    Body<Task>{"ask one that does not serve", ask_one_that_does_not_serve},
    Body<Task>{"fail at the asked", fail_at_the_asked},
    Body<Task>{"wait in a handler", wait_in_a_handler},
    Body<Task>{"ask everybody in threads", ask_everybody_in_threads},
    Body<Task>{"serve while computing", serve_while_computing},
    Body<Task>{"finish before the service", leave_before_the_service<&Task::finish, false>},
    Body<Task>{"depart before the service", leave_before_the_service<&Task::depart, false>},
    Body<Task>{"finish before the service in threads", leave_before_the_service<&Task::finish, true>},
    Body<Task>{"depart before the service in threads", leave_before_the_service<&Task::depart, true>},
    Body<Task>{"serve a stranger", serve_a_stranger},
    Body<Task>{"ask strangers", ask_strangers},
    Body<Task>{"die when asked", die_when_asked},
    Body<Task>{"outlive one that was asked", outlive_one_that_was_asked},
};

}  // namespace

std::span<const Body<Task>> service_bodies() { return all_bodies; }

}  // namespace nasvm::test
