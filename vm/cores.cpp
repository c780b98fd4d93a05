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
