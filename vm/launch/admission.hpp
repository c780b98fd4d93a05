#pragma once
/// \file
/// Admission of daemons to the console: accepts connections, and keeps them until they have proven the secret.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vm/auth.hpp"
#include "vm/net/connection.hpp"
#include "vm/net/poller.hpp"

namespace nasvm {

class Admission final : public net::Watcher {
 public:
  /// Bound of the unproven connections beyond one for each daemon. When there are more, the oldest is closed, so that
  /// silent strangers keep no daemon out.
  static constexpr std::size_t most_strangers = 64;

  /// Listens on `address`, any port, for `daemons` daemons. `owner` and `handler` belong to all connections, also
  /// after they have been taken away. Throws RunError.
  Admission(const std::string& address, std::size_t daemons, const Secret& secret, net::Poller& poller,
            net::ConnectionOwner& owner, net::PacketHandler& handler);
  ~Admission() override;

  /// Where daemons find it: "127.0.0.1:4000".
  [[nodiscard]] std::string address() const;
  [[nodiscard]] std::size_t strangers() const { return strangers_.size(); }

  /// Hands over a connection that has been established; nullptr when it is none of its own.
  std::unique_ptr<net::Connection> take(const net::Connection& connection);
  /// A connection is lost. False: it is none of its own. It is destroyed by the next `bury`, not in this call, which
  /// may come from the connection itself.
  bool drop(const net::Connection& connection);
  /// Destroys lost connections. Between events.
  void bury() { lost_.clear(); }

  /// Somebody connects.
  void ready(std::uint32_t) override;

 private:
  std::size_t most_connections_;
  Secret secret_;
  net::Poller& poller_;
  net::ConnectionOwner& owner_;
  net::PacketHandler& handler_;
  net::Fd listener_;
  std::vector<std::unique_ptr<net::Connection>> strangers_;  ///< the oldest first
  std::vector<std::unique_ptr<net::Connection>> lost_;
};

}  // namespace nasvm
