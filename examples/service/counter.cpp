// A counter in one task to which all tasks add by remote service requests. Built against an installed nasvm
// (docs/install.md):
//
//   cmake -S . -B build && cmake --build build && build/counter
//   c++ -std=c++20 counter.cpp -o counter $(pkg-config --cflags --libs nasvm)

#include <cstdio>
#include <filesystem>
#include <string>

#include <vm/launch/machine.hpp>
#include <vm/service/service.hpp>
#include <vm/task.hpp>

using nasvm::PackBuffer;
namespace service = nasvm::service;

/// What each task does: daemons start this program again for it.
static void count(nasvm::Task& task) {
  service::Service service(task);         // one for each task
  service::Endpoint counter(service, 1);  // a number that others know
  int sum = 0;
  counter.on("add", [&](service::Incoming& request) {
    sum += request.packed().unpack_value<int>();
    request.asker().request("sum", PackBuffer().pack_value(sum));
  });
  service::Endpoint answers(service);  // a number of its own
  bool answered = false;
  answers.on("sum", [&](service::Incoming&) { answered = true; });

  service::Startpoint first = service.startpoint(task.siblings()[0], 1);
  first.request("add", PackBuffer().pack_value(5), &answers);
  service.serve_until([&] { return answered; });
  service.flush();        // all that I have asked for is done
  task.comm().barrier();  // and all that others have: until here I serve
  task.report(std::to_string(sum));
}

int main() {
  if (nasvm::Task::in_environment()) return nasvm::run_task(count);  // errors go to the console
  try {
    nasvm::Machine machine({});  // of this host alone; hosts of a hostfile: Options::hosts
    const auto reports = machine.run({.path = std::filesystem::read_symlink("/proc/self/exe"), .size = 4});
    std::printf("%zu tasks, counted: %s\n", reports.size(), reports.front().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "counter: %s\n", error.what());
    return 3;
  }
}
