#include "vm/transport/direct/direct_transport.hpp"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "vm/net/acceptor.hpp"
#include "vm/net/address.hpp"
#include "vm/net/connection.hpp"
#include "vm/net/timer.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

using net::Connection;
using Clock = std::chrono::steady_clock;

/// Descriptors of a task beside its connections: standard streams, daemon, poller, listener, timers, libraries, and
/// those that strangers can take.
constexpr rlim_t other_descriptors = 24 + net::Acceptor::most_strangers + 1;

/// Nothing is congested within one host, and methods that measure the path and pace themselves by it (bbr) measure
/// the receiver's scheduling there.
constexpr std::size_t reno = 1;
static_assert(direct_congestion[reno] == "reno");

/// Within one host the send buffer needs to hold only what keeps both sides busy; what is under way then stays in the
/// processors' caches.
constexpr std::uint64_t near_send_buffer = 384 * 1024;

/// How long a task waits, after a connection has broken, for its daemon to say who has died.
constexpr std::chrono::seconds grace{3};

/// 0: as the system tunes it. The system may have a lower limit.
void set_buffer(int socket, int option, std::uint64_t bytes) {
  const auto wanted = static_cast<int>(bytes);
  if (wanted != 0) ::setsockopt(socket, SOL_SOCKET, option, &wanted, sizeof wanted);
}

/// Both ends may connect at once: for a moment there are two sockets for a peer.
rlim_t descriptors_for(int peers) { return 2 * static_cast<rlim_t>(peers) + other_descriptors; }

/// Raises the limit to `wanted`, or as far as the user may. Returns what it is then.
rlim_t raise_descriptor_limit(rlim_t wanted) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = std::min(limit.rlim_max, wanted);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  return limit.rlim_cur;
}

class DirectTransport final : public Transport, public net::ConnectionOwner {
 public:
  DirectTransport(const TransportContext& context, const net::Redial::Options& redial)
      : context_(context),
        redial_(redial),
        // Any peer may connect, or Task::fsend may send to it, whatever carries Comm's messages.
        descriptor_limit_(raise_descriptor_limit(descriptors_for(context.size))),
        acceptor_(context.address, static_cast<std::size_t>(context.size), connection_options(), *context.poller,
                  *this, *context.handler),
        redial_timer_(*context.poller, [this] { redial_due(); }),
        grace_(*context.poller, [this] { fail(); }) {}

  std::string_view name() const override { return "direct"; }
  std::string descriptor() const override { return acceptor_.address(); }
  std::size_t max_payload(Rank) const override { return max_packet_payload; }

  void meet(const std::vector<Member>& members) override {
    members_ = members;
    ways_ = std::vector<Way>(members.size());
    for (Way& way : ways_) way.redial = net::Redial(redial_);
    // Not before: a task that knows its siblings already may connect, and would not be recognised.
    acceptor_.start();
  }

  std::string why_not(Rank peer) const override {
    const auto& descriptors = members_[static_cast<std::size_t>(peer)].descriptors;
    return descriptors.contains(name()) ? std::string() : "the peer does not listen";
  }

  void expect_peers(int peers) override {
    const rlim_t needed = descriptors_for(peers);
    if (descriptor_limit_ >= needed) return;
    throw RunError("transport direct needs " + std::to_string(needed) + " file descriptors for " +
                   std::to_string(peers) + " peers but the limit is " + std::to_string(descriptor_limit_) +
                   ": raise it (ulimit -n) or use transport daemon");
  }

  void send(Rank peer, net::Packet& packet) override {
    Way& way = way_to(peer);
    if (way.connection != nullptr) {
      way.connection->send(packet);
    } else {
      way.waiting.push(packet);
      if (!way.due) connect(peer);
    }
    bury();
  }

  bool poll(Rank awaited) override {
    bool moved = false;
    if (awaited != any_source) {
      const auto& connection = way_to(awaited).connection;
      if (connection != nullptr) moved = connection->poll();
      bury();
    }
    return moved;
  }

  void expect_departures() override { departing_ = true; }

  /// One that has left in good order may have sent what is still to be read.
  void forget(Tid task, bool clean) override {
    const Rank rank = rank_of(task);
    if (rank == any_source) return;
    Way& way = way_to(rank);
    way.gone = true;
    way.due.reset();
    way.loss.clear();
    if (grace_.is_set()) set_grace();
    give_up_packets(way);
    if (!clean) give_up(way);
  }

  // ConnectionOwner

  /// There is one connection for each peer from here on. When two cross, both sides keep that of the lower tid: the
  /// lower one refuses the other's, the higher one gives its own up.
  bool admits(Connection& connection, Tid peer) override {
    const Rank rank = rank_of(peer);
    if (rank == any_source) return false;
    Way& way = way_to(rank);
    const bool crossing =
        way.connection != nullptr && way.connection->is_initiator() && !way.connection->is_established();
    if (way.connection != nullptr && !(crossing && peer < context_.self)) return false;
    give_up(way);
    way.connection = acceptor_.take(connection);
    way.due.reset();
    prepare(connection.descriptor(), net::peer_address(connection.descriptor()));
    send_waiting(way);
    return true;
  }

  void established(Connection& connection) override {
    Way& way = *find_way(connection);
    way.redial.reset();
    way.due.reset();
  }

  void lost(Connection& connection, const std::string& reason) override {
    if (acceptor_.drop(connection)) return;
    const auto way = find_way(connection);
    if (way == ways_.end()) return;
    const auto rank = static_cast<Rank>(way - ways_.begin());
    if (connection.is_established()) return begin_grace(rank, reason);
    // Pushed out, refused because the peer's own connection is on its way, or somebody who could not prove who he is.
    const bool own = connection.is_initiator();
    give_up(*way);
    if (own || !way->waiting.empty()) try_again(rank, reason);
  }

 private:
  /// How packets get to one peer.
  struct Way {
    std::unique_ptr<Connection> connection;
    net::PacketQueue waiting;  ///< while there is no connection
    net::Redial redial;
    /// Without a connection: when to connect. With one: until when it is to reach the peer.
    std::optional<net::Redial::TimePoint> due;
    std::string loss;                          ///< how it came to be lost; empty: it is not, or that is no failure
    net::Timer::Clock::time_point failure_at;  ///< without a word of the machine until then it is one
    bool gone = false;                         ///< the task has ended, as the machine says
  };

  Way& way_to(Rank rank) { return ways_[static_cast<std::size_t>(rank)]; }
  std::vector<Way>::iterator find_way(const Connection& connection) {
    return std::ranges::find_if(ways_, [&](const Way& way) { return way.connection.get() == &connection; });
  }

  void connect(Rank rank) {
    Way& way = way_to(rank);
    const Member& member = members_[static_cast<std::size_t>(rank)];
    const auto descriptor = member.descriptors.find(name());
    if (descriptor == member.descriptors.end()) {
      throw RunError("rank " + std::to_string(rank) + " cannot be reached directly: it does not listen");
    }
    const net::SocketAddress address = net::parse_address(descriptor->second);
    way.due = way.redial.begin(Clock::now());
    try {
      net::Fd socket = net::start_connecting(address);
      prepare(socket.get(), address);
      way.connection =
          std::make_unique<Connection>(std::move(socket), Connection::Origin::connecting,
                                       connection_options(member.tid), *context_.poller, *context_.handler, *this);
    } catch (const RunError& error) {
      return try_again(rank, error.what());  // no descriptor or port may be free just now
    }
    send_waiting(way);
    set_redial_timer();
  }

  void try_again(Rank rank, const std::string& reason) {
    Way& way = way_to(rank);
    if (way.gone) return;
    way.due = way.redial.fail(Clock::now());
    if (!way.due) return begin_grace(rank, reason);
    set_redial_timer();
  }

  /// Connects to those whose pause is over, and gives up connections that have not come about.
  void redial_due() {
    const auto now = Clock::now();
    for (Rank rank = 0; rank < static_cast<Rank>(ways_.size()); ++rank) {
      Way& way = way_to(rank);
      if (!way.due || *way.due > now) continue;
      way.due.reset();
      if (way.connection == nullptr) {
        connect(rank);
      } else if (!way.connection->has_reached_peer()) {
        give_up(way);
        try_again(rank, "it does not answer");
      }
    }
    bury();
    set_redial_timer();
  }

  void set_redial_timer() {
    std::optional<net::Redial::TimePoint> first;
    for (const Way& way : ways_) {
      if (way.due && (!first || *way.due < *first)) first = way.due;
    }
    if (first) redial_timer_.set(*first);
  }

  /// Its connection ends; what waits there will go out on another one.
  void give_up(Way& way) {
    if (way.connection == nullptr) return;
    way.waiting = way.connection->take_waiting();
    way.connection->close();
    graveyard_.push_back(std::move(way.connection));
  }

  /// Their task has ended.
  void give_up_packets(Way& way) {
    const auto release = [this](net::Packet& packet) { context_.handler->packet_sent(packet); };
    while (!way.waiting.empty()) release(way.waiting.pop());
    if (way.connection != nullptr) way.connection->discard(release);
  }

  static void send_waiting(Way& way) {
    net::PacketQueue waiting = std::exchange(way.waiting, {});
    while (!waiting.empty()) way.connection->send(waiting.pop());
  }

  void prepare(int socket, const net::SocketAddress& peer) const {
    const bool near = net::on_one_host(net::local_address(socket), peer);
    if (near && value_of(context_.parameters, "congestion", reno) == reno) {
      net::set_congestion_control(socket, direct_congestion[reno]);
    }
    set_buffer(socket, SO_SNDBUF, value_of(context_.parameters, "sndbuf", near ? near_send_buffer : 0));
    set_buffer(socket, SO_RCVBUF, value_of(context_.parameters, "rcvbuf", 0));
  }

  [[nodiscard]] Connection::Options connection_options(Tid acceptor = {}) const {
    return {context_.secret, context_.self, protocol::direct_connection, acceptor};
  }

  Rank rank_of(Tid tid) const {
    const auto found = std::ranges::find(members_, tid, &Member::tid);
    return found == members_.end() ? any_source : static_cast<Rank>(found - members_.begin());
  }

  /// Throws when the machine has not ended this task within the grace period. Of a peer that cannot be reached at all
  /// also among departures: it cannot have left without what waits for it.
  void begin_grace(Rank rank, const std::string& reason) {
    Way& way = way_to(rank);
    if (way.gone || (departing_ && way.waiting.empty())) return;
    const Member& member = members_[static_cast<std::size_t>(rank)];
    if (way.loss.empty()) way.failure_at = Clock::now() + grace;
    way.loss = "lost the connection to rank " + std::to_string(rank) + " (" + to_string(member.tid) + " on " +
               member.host + "): " + reason;
    set_grace();
  }
  /// Once for each loss: the program may go on, and come to the next one.
  [[noreturn]] void fail() {
    const std::string loss = std::exchange(next_loss()->loss, {});
    set_grace();
    throw RunError(loss);
  }
  void set_grace() {
    const auto next = next_loss();
    if (next->loss.empty()) grace_.stop();
    else grace_.set(next->failure_at);
  }
  /// The one that is a failure first; where there is none, a way that is not lost.
  std::vector<Way>::iterator next_loss() {
    return std::ranges::min_element(ways_, {}, [](const Way& way) {
      return way.loss.empty() ? net::Timer::Clock::time_point::max() : way.failure_at;
    });
  }

  /// Destroys connections that are done with, when none of their functions is running.
  void bury() {
    graveyard_.clear();
    acceptor_.bury();
  }

  TransportContext context_;
  net::Redial::Options redial_;
  rlim_t descriptor_limit_;
  net::Acceptor acceptor_;
  std::vector<Member> members_;
  std::vector<Way> ways_;  ///< by rank
  std::vector<std::unique_ptr<Connection>> graveyard_;
  net::Timer redial_timer_;
  net::Timer grace_;
  bool departing_ = false;
};

}  // namespace

std::unique_ptr<Transport> make_direct_transport(const TransportContext& context) {
  return make_direct_transport(context, net::Redial::Options{});
}

std::unique_ptr<Transport> make_direct_transport(const TransportContext& context,
                                                 const net::Redial::Options& redial) {
  return std::make_unique<DirectTransport>(context, redial);
}

}  // namespace nasvm
