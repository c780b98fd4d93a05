// A token goes once around all tasks; each adds its rank. Built against an installed nasvm (docs/install.md):
//
//   cmake -S . -B build && cmake --build build && build/ring
//   c++ -std=c++20 ring.cpp -o ring $(pkg-config --cflags --libs nasvm)

#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include <vm/launch/machine.hpp>
#include <vm/task.hpp>

/// What each task does: daemons start this program again for it.
static void pass_token(nasvm::Task& task) {
  nasvm::Comm& comm = task.comm();
  const nasvm::Tag token = 1;
  const int next = (comm.rank() + 1) % comm.size();
  const int previous = (comm.rank() + comm.size() - 1) % comm.size();
  std::array<int, 1> sum{};
  if (comm.rank() == 0) comm.send(sum, next, token);
  comm.recv(sum, previous, token);
  sum[0] += comm.rank();
  if (comm.rank() != 0) comm.send(sum, next, token);
  task.report(std::to_string(sum[0]));
}

/// 0: the word is no number of tasks.
static int tasks_of(std::string_view word) {
  int tasks = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), tasks);
  return error == std::errc{} && end == word.data() + word.size() && tasks > 0 ? tasks : 0;
}

int main(int argc, char** argv) {
  if (nasvm::Task::in_environment()) return nasvm::run_task(pass_token);  // errors go to the console
  const int tasks = argc > 1 ? tasks_of(argv[1]) : 4;
  if (tasks == 0 || argc > 3) {
    std::fputs("usage: ring [TASKS [TRANSPORT]], from 1 task on\n", stderr);
    return 2;
  }
  try {
    nasvm::Machine machine({});  // of this host alone; hosts of a hostfile: Options::hosts
    const auto reports = machine.run({.path = std::filesystem::read_symlink("/proc/self/exe"),
                                      .size = tasks,
                                      .transport = argc > 2 ? argv[2] : "auto"});
    std::printf("%zu tasks, sum of their ranks: %s\n", reports.size(), reports.front().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ring: %s\n", error.what());
    return 3;
  }
}
