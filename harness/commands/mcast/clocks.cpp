#include "harness/commands/mcast/clocks.hpp"

#include <chrono>
#include <span>

namespace nasvm {
namespace {

constexpr int questions = 8;
constexpr Rank asker = 0;

void ask(Comm& comm, Rank peer, bool& one_clock) {
  std::int64_t told = 0;
  for (int i = 0; i < questions; ++i) {
    const std::int64_t before = steady_ns();
    comm.send(std::span(&before, 1), peer);
    (void)comm.recv(std::span(&told, 1), peer);
    one_clock = one_clock && before <= told && told <= steady_ns();
  }
}

void answer(Comm& comm) {
  std::int64_t time = 0;
  for (int i = 0; i < questions; ++i) {
    (void)comm.recv(std::span(&time, 1), asker);
    time = steady_ns();
    comm.send(std::span(&time, 1), asker);
  }
}

}  // namespace

std::int64_t steady_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool have_one_clock(Comm& comm) {
  bool one_clock = true;
  if (comm.rank() == asker) {
    for (Rank peer = 1; peer < comm.size(); ++peer) ask(comm, peer, one_clock);
  } else {
    answer(comm);
  }
  return comm.allreduce_value(one_clock ? 1 : 0, Min{}) == 1;
}

}  // namespace nasvm
