#include "vm/cores.hpp"

#include <sched.h>
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

std::vector<int> usable_core_numbers() {
  cpu_set_t set;
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

int usable_cores() { return std::max(1, static_cast<int>(usable_core_numbers().size())); }

bool bind_to_cores(std::span<const int> cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

OwnCores OwnCores::claim(int first, int count) {
  OwnCores own;
  own.before_ = usable_core_numbers();
  std::vector<int> cores = own.before_;
  if (cores.empty() || cores.size() < static_cast<std::size_t>(count)) return {};
  std::ranges::rotate(cores, cores.begin() + first % static_cast<std::ptrdiff_t>(cores.size()));
  for (const int core : cores) {
    if (own.numbers_.size() == static_cast<std::size_t>(count)) break;
    net::Fd held = claim_core(core);
    if (!held) continue;
    own.numbers_.push_back(core);
    own.claims_.push_back(std::move(held));
  }
  if (own.numbers_.size() < static_cast<std::size_t>(count) || !bind_to_cores(own.numbers_)) return {};
  return own;
}

void OwnCores::release() {
  if (numbers_.empty()) return;
  (void)bind_to_cores(before_);
  numbers_.clear();
  claims_.clear();
}

}  // namespace nasvm
