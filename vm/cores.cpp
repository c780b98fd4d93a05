#include "vm/cores.hpp"

#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>

namespace nasvm {
namespace {

/// Names of one core; the next one is for when another user has taken those before.
constexpr int names_of_a_core = 8;
/// Looks at a name whose owner has bound it and may be about to listen.
constexpr int looks_for_listener = 100;

/// A name without a file.
struct Name {
  explicit Name(const std::string& text)
      : length(static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size())) {
    address.sun_family = AF_UNIX;
    std::ranges::copy(text, address.sun_path + 1);  // the zero before it means: no file
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }

  sockaddr_un address{};
  socklen_t length;
};

net::Fd make_socket() { return net::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

/// Holds the name; empty when somebody does.
net::Fd hold(const Name& name) {
  net::Fd socket = make_socket();
  if (!socket || ::bind(socket.get(), name.get(), name.length) != 0 || ::listen(socket.get(), SOMAXCONN) != 0) {
    return {};
  }
  return socket;
}

/// Is it a process of another user that has this name? Who does not listen is none of ours.
bool is_held_by_another_user(const Name& name) {
  for (int looks = 0; looks < looks_for_listener; ++looks) {
    const net::Fd socket = make_socket();
    if (::connect(socket.get(), name.get(), name.length) == 0) {
      ucred owner{};
      socklen_t length = sizeof owner;
      ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &owner, &length);
      return owner.uid != ::geteuid();
    }
    if (errno != ECONNREFUSED) return false;  // free again, or very much asked for
    ::sched_yield();
  }
  return true;
}

/// Holds one of the core's names; empty when another process of this user does.
net::Fd claim_core(int core) {
  const std::string names = "nasvm-core-" + std::to_string(::geteuid()) + "-" + std::to_string(core) + ".";
  for (int i = 0; i < names_of_a_core; ++i) {
    const Name name(names + std::to_string(i));
    net::Fd held = hold(name);
    if (held || !is_held_by_another_user(name)) return held;
  }
  return {};
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
