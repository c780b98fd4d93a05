#include "vm/launch/admission.hpp"

#include <sys/socket.h>

#include <algorithm>

#include "vm/net/address.hpp"
#include "vm/protocol/protocol.hpp"

namespace nasvm {

Admission::Admission(const std::string& address, std::size_t daemons, const Secret& secret, net::Poller& poller,
                     net::ConnectionOwner& owner, net::PacketHandler& handler)
    : most_connections_(daemons + most_strangers),
      secret_(secret),
      poller_(poller),
      owner_(owner),
      handler_(handler),
      listener_(net::listen_on(address, SOMAXCONN)) {
  poller_.add(listener_.get(), EPOLLIN, *this);
}

Admission::~Admission() { poller_.remove(listener_.get(), *this); }

std::string Admission::address() const { return net::to_string(net::local_address(listener_.get())); }

std::unique_ptr<net::Connection> Admission::take(const net::Connection& connection) {
  const auto found =
      std::ranges::find_if(strangers_, [&](const auto& stranger) { return stranger.get() == &connection; });
  if (found == strangers_.end()) return nullptr;
  auto taken = std::move(*found);
  strangers_.erase(found);
  return taken;
}

bool Admission::drop(const net::Connection& connection) {
  auto stranger = take(connection);
  if (stranger == nullptr) return false;
  lost_.push_back(std::move(stranger));
  return true;
}

void Admission::ready(std::uint32_t) {
  for (;;) {
    net::Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) return;
    net::set_no_delay(socket.get());
    strangers_.push_back(std::make_unique<net::Connection>(
        std::move(socket), net::Connection::Origin::accepted,
        net::Connection::Options{secret_, Tid::console(), protocol::control_connection}, poller_, handler_, owner_));
    if (strangers_.size() > most_connections_) strangers_.erase(strangers_.begin());
  }
}

}  // namespace nasvm
