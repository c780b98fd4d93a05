#include "vm/cores.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace nasvm {
namespace {

/// Holds the core's name; empty when somebody else does.
net::Fd claim_core(int core) {
  const std::string name = "nasvm-core-" + std::to_string(core);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(name, address.sun_path + 1);  // the zero before it means: no file
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  net::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket && ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) socket.reset();
  return socket;
}

}  // namespace

int usable_cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

OwnCores OwnCores::claim(int first, int count) {
  OwnCores own;
  if (::sched_getaffinity(0, sizeof own.before_, &own.before_) != 0) return {};
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &own.before_)) cores.push_back(core);
  }
  if (cores.size() < static_cast<std::size_t>(count)) return {};
  std::ranges::rotate(cores, cores.begin() + first % static_cast<std::ptrdiff_t>(cores.size()));
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (const int core : cores) {
    if (own.numbers_.size() == static_cast<std::size_t>(count)) break;
    net::Fd held = claim_core(core);
    if (!held) continue;
    CPU_SET(core, &chosen);
    own.numbers_.push_back(core);
    own.claims_.push_back(std::move(held));
  }
  if (own.numbers_.size() < static_cast<std::size_t>(count)) return {};
  if (::sched_setaffinity(0, sizeof chosen, &chosen) != 0) return {};
  return own;
}

void OwnCores::release() {
  if (numbers_.empty()) return;
  ::sched_setaffinity(0, sizeof before_, &before_);
  numbers_.clear();
  claims_.clear();
}

}  // namespace nasvm
