#pragma once
/// \file
/// The keeper's end of one client's connection: what waits to leave by it, and what is arriving.

#include <cstddef>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vm/keeper/requests.hpp"
#include "vm/net/connection.hpp"

namespace nasvm::keeper {

class Client {
 public:
  explicit Client(std::unique_ptr<net::Connection> connection) : connection_(std::move(connection)) {}

  [[nodiscard]] const net::Connection* connection() const { return connection_.get(); }
  void send(const Message& message);
  /// What a task has written.
  void send_output(std::span<const std::byte> bytes);
  /// A task's report, in pieces.
  void send_report(int rank, std::string_view report);
  /// Bytes of all that have not left yet.
  [[nodiscard]] std::size_t unsent_bytes() const { return unsent_bytes_; }
  /// From PacketHandler::packet_sent: the oldest piece has left.
  void piece_sent();
  /// Ends the connection; what has not left does not.
  void hang_up() { connection_->close(); }

  /// Room for a request that arrives, until it is taken.
  std::span<std::byte> begin_request(std::size_t bytes);
  std::vector<std::byte> take_request() { return std::exchange(request_, {}); }

  bool greeted = false;
  long pid = 0;
  std::string what;

 private:
  struct Piece : net::Packet {
    std::vector<std::byte> bytes;
  };

  void post(const Envelope& envelope, std::span<const std::byte> bytes);
  [[nodiscard]] Envelope envelope_of(PacketKind kind, std::size_t bytes) const;

  std::vector<std::byte> request_;
  std::list<Piece> pieces_;  ///< the oldest first; they outlive the connection
  std::size_t unsent_bytes_ = 0;
  std::unique_ptr<net::Connection> connection_;
};

}  // namespace nasvm::keeper
