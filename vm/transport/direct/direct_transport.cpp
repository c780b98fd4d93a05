#include "vm/transport/direct/direct_transport.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <list>

#include "vm/net/address.hpp"
#include "vm/net/connection.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

using net::Connection;

/// Descriptors of a task beside its connections: standard streams, daemon, poller, listener, libraries.
constexpr rlim_t other_descriptors = 24;

/// Connections beyond one or two a peer that may be open and have not proven anything.
constexpr std::size_t most_strangers = 16;

/// Nothing is congested within one host, and methods that measure the path and pace themselves by it (bbr) measure
/// the receiver's scheduling there.
constexpr std::size_t reno = 1;
static_assert(direct_congestion[reno] == "reno");

/// Within one host the send buffer needs to hold only what keeps both sides busy; what is under way then stays in the
/// processors' caches.
constexpr std::uint64_t near_send_buffer = 384 * 1024;

/// How long a task waits, after a connection has broken, for its daemon to say who has died.
constexpr int grace_seconds = 3;

/// 0: as the system tunes it. The system may have a lower limit.
void set_buffer(const net::Fd& socket, int option, std::uint64_t bytes) {
  const auto wanted = static_cast<int>(bytes);
  if (wanted != 0) ::setsockopt(socket.get(), SOL_SOCKET, option, &wanted, sizeof wanted);
}

void ensure_descriptors(int peers) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  // Both ends may connect at once: for a moment there are two sockets for a peer.
  const rlim_t needed = 2 * static_cast<rlim_t>(peers) + other_descriptors;
  if (limit.rlim_cur < needed && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = std::min(limit.rlim_max, needed);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur < needed) {
    throw RunError("transport direct needs " + std::to_string(needed) + " file descriptors for " +
                   std::to_string(peers) + " peers but the limit is " + std::to_string(limit.rlim_cur) +
                   ": raise it (ulimit -n) or use transport daemon");
  }
}

class DirectTransport final : public Transport, public net::ConnectionOwner, private net::Watcher {
 public:
  explicit DirectTransport(const TransportContext& context)
      : context_(context), listener_(net::listen_on(context.address, SOMAXCONN)) {
    ensure_descriptors(context.size);
  }

  ~DirectTransport() override {
    if (!members_.empty()) context_.poller->remove(listener_.get(), *this);
    if (grace_) context_.poller->remove(grace_.get(), grace_watcher_);
  }

  std::string_view name() const override { return "direct"; }
  std::string descriptor() const override { return net::to_string(net::local_address(listener_.get())); }
  std::size_t max_payload() const override { return max_packet_payload; }

  void meet(const std::vector<Member>& members) override {
    members_ = members;
    connections_.resize(members.size());
    // Not before: a task that knows its siblings already may connect, and would not be recognised.
    context_.poller->add(listener_.get(), EPOLLIN, *this);
  }

  std::string why_not(Rank peer) const override {
    const auto& descriptors = members_[static_cast<std::size_t>(peer)].descriptors;
    return descriptors.contains(name()) ? std::string() : "the peer does not listen";
  }

  void send(Rank peer, net::Packet& packet) override {
    auto& connection = connections_[static_cast<std::size_t>(peer)];
    if (connection == nullptr) connection = connect(peer);
    connection->send(packet);
    bury();
  }

  bool poll(Rank awaited) override {
    bool moved = false;
    if (awaited != any_source) {
      auto& connection = connections_[static_cast<std::size_t>(awaited)];
      if (connection != nullptr) moved = connection->poll();
      bury();
    }
    return moved;
  }

  void expect_departures() override { departing_ = true; }

  // ConnectionOwner

  /// There is one connection for each peer from here on. When two cross, both sides keep that of the lower tid: the
  /// lower one refuses the other's, the higher one gives its own up.
  bool admits(Connection& connection, Tid peer) override {
    const Rank rank = rank_of(peer);
    if (rank == any_source) return false;
    auto& place = connections_[static_cast<std::size_t>(rank)];
    const bool crossing = place != nullptr && place->is_initiator() && !place->is_established();
    if (place != nullptr && !(crossing && peer < context_.self)) return false;
    const auto accepted = find_accepted(connection);
    if (place != nullptr) replace(place, connection);
    place = std::move(*accepted);
    accepted_.erase(accepted);
    return true;
  }

  void established(Connection&) override {}

  void lost(Connection& connection, const std::string& reason) override {
    const auto accepted = find_accepted(connection);
    if (accepted != accepted_.end()) {
      graveyard_.push_back(std::move(*accepted));
      accepted_.erase(accepted);
      return;
    }
    const auto place =
        std::ranges::find_if(connections_, [&](const auto& entry) { return entry.get() == &connection; });
    if (place == connections_.end()) return;
    const auto rank = static_cast<Rank>(place - connections_.begin());
    const Member& member = members_[static_cast<std::size_t>(rank)];
    if (!connection.is_established()) {
      // Refused: the peer's own connection is on its way, and what waits here goes out on that one.
      if (connection.has_reached_peer() && member.tid < context_.self) return;
      if (!connection.is_initiator()) return reconnect(rank);
    }
    begin_grace("lost the connection to rank " + std::to_string(rank) + " (" + to_string(member.tid) + " on " +
                member.host + "): " + reason);
  }

 private:
  /// Throws when the machine has not ended this task within the grace period.
  class GraceWatcher final : public net::Watcher {
   public:
    void ready(std::uint32_t) override { throw RunError(reason); }
    std::string reason;
  };

  void ready(std::uint32_t) override {
    for (;;) {
      sockaddr_in peer{};
      socklen_t length = sizeof peer;
      net::Fd socket(
          ::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&peer), &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
      const bool out_of_descriptors = !socket && (errno == EMFILE || errno == ENFILE);
      // Who says nothing must not keep others out: the oldest of those that have not proven anything goes.
      if ((out_of_descriptors && !accepted_.empty()) || accepted_.size() > 2 * members_.size() + most_strangers) {
        accepted_.pop_front();
      }
      if (!socket) break;
      prepare(socket, peer);
      accepted_.push_back(make_connection(std::move(socket), Connection::Origin::accepted));
    }
    bury();
  }

  std::list<std::unique_ptr<Connection>>::iterator find_accepted(const Connection& connection) {
    return std::ranges::find_if(accepted_, [&](const auto& entry) { return entry.get() == &connection; });
  }

  /// What waits at `old` goes out on `successor`; `old` ends.
  void replace(std::unique_ptr<Connection>& old, Connection& successor) {
    net::PacketQueue waiting = old->take_waiting();
    while (!waiting.empty()) successor.send(waiting.pop());
    old->close();
    graveyard_.push_back(std::move(old));
  }

  /// Whoever connected as this peer could not prove it.
  void reconnect(Rank rank) {
    auto& place = connections_[static_cast<std::size_t>(rank)];
    std::unique_ptr<Connection> impostor = std::move(place);
    if (impostor->has_waiting()) {
      place = connect(rank);
      replace(impostor, *place);
    } else {
      graveyard_.push_back(std::move(impostor));
    }
  }

  std::unique_ptr<Connection> connect(Rank peer) {
    const Member& member = members_[static_cast<std::size_t>(peer)];
    const auto descriptor = member.descriptors.find(name());
    if (descriptor == member.descriptors.end()) {
      throw RunError("rank " + std::to_string(peer) + " cannot be reached directly: it does not listen");
    }
    const sockaddr_in address = net::parse_address(descriptor->second);
    net::Fd socket = net::start_connecting(address);
    prepare(socket, address);
    return make_connection(std::move(socket), Connection::Origin::connecting, member.tid);
  }

  void prepare(const net::Fd& socket, const sockaddr_in& peer) const {
    net::set_no_delay(socket.get());
    const bool near = net::on_one_host(net::local_address(socket.get()), peer);
    if (near && value_of(context_.parameters, "congestion", reno) == reno) {
      net::set_congestion_control(socket.get(), direct_congestion[reno]);
    }
    set_buffer(socket, SO_SNDBUF, value_of(context_.parameters, "sndbuf", near ? near_send_buffer : 0));
    set_buffer(socket, SO_RCVBUF, value_of(context_.parameters, "rcvbuf", 0));
  }

  std::unique_ptr<Connection> make_connection(net::Fd socket, Connection::Origin origin, Tid acceptor = {}) {
    return std::make_unique<Connection>(
        std::move(socket), origin,
        Connection::Options{context_.secret, context_.self, protocol::direct_connection, acceptor}, *context_.poller,
        *context_.handler, *this);
  }

  Rank rank_of(Tid tid) const {
    const auto found = std::ranges::find(members_, tid, &Member::tid);
    return found == members_.end() ? any_source : static_cast<Rank>(found - members_.begin());
  }

  void begin_grace(const std::string& reason) {
    if (grace_ || departing_) return;
    grace_ = net::Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    const itimerspec in_time{{0, 0}, {grace_seconds, 0}};
    ::timerfd_settime(grace_.get(), 0, &in_time, nullptr);
    grace_watcher_.reason = reason;
    context_.poller->add(grace_.get(), EPOLLIN, grace_watcher_);
  }

  /// Destroys connections that are done with, when none of their functions is running.
  void bury() { graveyard_.clear(); }

  TransportContext context_;
  net::Fd listener_;
  std::vector<Member> members_;
  std::vector<std::unique_ptr<Connection>> connections_;  ///< by rank
  std::list<std::unique_ptr<Connection>> accepted_;       ///< whose peer is not proven yet
  std::vector<std::unique_ptr<Connection>> graveyard_;
  GraceWatcher grace_watcher_;
  net::Fd grace_;
  bool departing_ = false;
};

}  // namespace

std::unique_ptr<Transport> make_direct_transport(const TransportContext& context) {
  return std::make_unique<DirectTransport>(context);
}

}  // namespace nasvm
