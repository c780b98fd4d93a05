// A farm of work: one task starts workers, hands units of work out to them, and gives what a worker had that has died
// to another one. Built against an installed nasvm (docs/install.md):
//
//   cmake -S . -B build && cmake --build build && build/farm
//   c++ -std=c++20 farm.cpp -o farm $(pkg-config --cflags --libs nasvm)
//
// `farm kill` ends one of the workers: the sum stays the same.

#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <vm/launch/machine.hpp>
#include <vm/task.hpp>

using nasvm::PackBuffer;
using nasvm::Tag;
using nasvm::Task;
using nasvm::Tid;

static constexpr Tag work = 1, result = 2, gone = 3;
static constexpr int units = 20, workers = 3;
static constexpr int no_more = -1;  // instead of a unit

/// A unit of work: the sum of 1000 numbers.
static std::int64_t sum_of(int unit) {
  std::int64_t sum = 0;
  for (std::int64_t number = 1000 * unit; number < 1000 * (unit + 1); ++number) sum += number;
  return sum;
}

static void be_worker(Task& task) {
  for (;;) {
    const int unit = task.recv(task.parent(), work).message.unpack_value<int>();
    if (unit == no_more) return task.depart();  // alone: others may have died
    task.send(task.parent(), result, PackBuffer().pack_value(unit).pack_value(sum_of(unit)));
  }
}

static void lead(Task& task) {
  // This program again; `gone` is the tag of the news that one has ended, however it has.
  std::vector<Tid> idle = task.spawn({.setup = "work", .count = workers, .notify = gone});
  if (task.setup() == "kill") task.kill(idle.back());
  std::deque<int> open;
  for (int unit = 0; unit < units; ++unit) open.push_back(unit);
  std::map<Tid, int> busy;
  std::map<int, std::int64_t> results;  // by unit: it counts once, whoever has done it
  int died = 0;
  while (results.size() < units) {
    for (; !open.empty() && !idle.empty(); open.pop_front(), idle.pop_back()) {
      busy[idle.back()] = open.front();
      task.send(idle.back(), work, PackBuffer().pack_value(open.front()));  // vanishes where it has died
    }
    Task::Received message = task.recv();  // from any of them
    if (message.tag == gone) {
      const Task::Notice notice = Task::read_notice(std::move(message));
      ++died;
      std::erase(idle, notice.gone);
      if (const auto lost = busy.extract(notice.gone)) open.push_back(lost.mapped());
      if (idle.empty() && busy.empty()) throw std::runtime_error("no worker is left: the last " + notice.text);
    } else {
      const int unit = message.message.unpack_value<int>();
      results[unit] = message.message.unpack_value<std::int64_t>();
      if (busy.erase(message.source) == 1) idle.push_back(message.source);
    }
  }
  task.mcast(idle, work, PackBuffer().pack_value(no_more));
  std::int64_t sum = 0;
  for (const auto& [unit, part] : results) sum += part;
  task.report("sum " + std::to_string(sum) + ", " + std::to_string(died) + " of " + std::to_string(workers) +
              " workers have died");
}

/// Daemons start this program again for each task: what it is to be, its setup says.
static void be_task(Task& task) { task.setup() == "work" ? be_worker(task) : lead(task); }

int main(int argc, char** argv) {
  if (Task::in_environment()) return nasvm::run_task(be_task);  // errors go to the console
  const bool kills = argc == 2 && std::string_view(argv[1]) == "kill";
  if (argc > 1 && !kills) {
    std::fputs("usage: farm [kill]\n", stderr);
    return 2;
  }
  try {
    nasvm::Machine machine({});  // of this host alone; hosts of a hostfile: Options::hosts
    const auto reports = machine.run({.path = std::filesystem::read_symlink("/proc/self/exe"),
                                      .size = 1,  // the one that leads
                                      .setup = kills ? "kill" : "lead"});
    std::printf("%s\n", reports.front().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "farm: %s\n", error.what());
    return 3;
  }
}
