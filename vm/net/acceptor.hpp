#pragma once
/// \file
/// Accepts connections, and keeps them until they have proven the machine's secret.
///
/// Anybody on the network, and every user of this computer, may connect. Who has not said a hello, which nobody can
/// make without the secret, is a *stranger*: there is room for a few, each may stay for a while, and when there are
/// more the oldest goes. Processes of the machine say hello as soon as they are connected, and connect again when
/// they were pushed out all the same. So a flood of silent connections costs time, but keeps nobody out, and takes a
/// bounded number of descriptors.
///
/// Without descriptors, and without enough strangers to take them from, it rests for a while, and tries again.

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "vm/net/connection.hpp"
#include "vm/net/poller.hpp"
#include "vm/net/timer.hpp"

namespace nasvm::net {

class Acceptor final : public Watcher {
 public:
  using Clock = Timer::Clock;
  static constexpr std::size_t most_strangers = 64;
  static constexpr std::chrono::seconds stranger_patience{5};

  /// Listens on `address`, any port, for about `expected` connections; more of them at once have to connect again
  /// (redial.hpp). `owner` and `handler` belong to all connections, also after they have been taken
  /// away. `patience` is how long a stranger may stay. Throws RunError.
  Acceptor(const std::string& address, std::size_t expected, const Connection::Options& options, Poller& poller,
           ConnectionOwner& owner, PacketHandler& handler, Clock::duration patience = stranger_patience);
  /// The same on a socket that listens already.
  Acceptor(Fd listener, const Connection::Options& options, Poller& poller, ConnectionOwner& owner,
           PacketHandler& handler, Clock::duration patience = stranger_patience);
  ~Acceptor() override;

  /// Lets them in from here on; who has come before waits in the system's queue.
  void start();
  /// Where it listens: "127.0.0.1:4000".
  [[nodiscard]] std::string address() const;

  /// Hands over a connection, from ConnectionOwner::admits on; nullptr when it is none of its own.
  std::unique_ptr<Connection> take(const Connection& connection);
  /// A connection is lost. False: it is none of its own. It is destroyed by the next `bury`, not in this call, which
  /// may come from the connection itself.
  bool drop(const Connection& connection);
  /// Destroys lost connections. Between events.
  void bury() { lost_.clear(); }

  /// Closes the strangers whose time is over. Called by its own timer too.
  void expel(Clock::time_point now);
  /// Those that have not said hello.
  [[nodiscard]] std::size_t strangers() const;

  /// Somebody connects.
  void ready(std::uint32_t) override;

 private:
  struct Guest {
    std::unique_ptr<Connection> connection;
    Clock::time_point arrived;
  };
  using Guests = std::list<Guest>;

  Guests::iterator find(const Connection& connection);
  Guests::iterator oldest_stranger();
  void push_out(Connection& stranger);
  void limit_strangers(std::size_t most);
  void set_timer();
  void make_room();
  void rest();
  void go_on();

  Connection::Options options_;
  Poller& poller_;
  ConnectionOwner& owner_;
  PacketHandler& handler_;
  Clock::duration patience_;
  Fd listener_;
  Timer timer_;
  bool started_ = false;
  bool resting_ = false;
  Guests guests_;  ///< the oldest first
  std::vector<std::unique_ptr<Connection>> lost_;
};

}  // namespace nasvm::net
