#pragma once
/// \file
/// One TCP connection between two processes of a machine, from its first byte: connecting, proving the secret to each
/// other, carrying packets.

#include <memory>
#include <string>
#include <utility>

#include "vm/auth.hpp"
#include "vm/net/packet_stream.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::net {

class Connection;

/// Owner of connections: what they report to it.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  /// An accepted connection's peer has said who it is, unproven yet; `lost` comes if it cannot prove it. False: close
  /// the connection.
  virtual bool admits(Connection& connection, Tid peer) = 0;
  /// The handshake is over; packets may be sent.
  virtual void established(Connection& connection) = 0;
  /// It will carry nothing more. The owner may destroy it, but not before this call has returned.
  virtual void lost(Connection& connection, const std::string& reason) = 0;
};

class Connection final : public Watcher {
 public:
  enum class Origin : std::uint8_t { connecting, accepted };
  struct Options {
    Secret secret;
    Tid self;
    std::uint32_t purpose;  ///< the same on both sides (vm/protocol/protocol.hpp)
    Tid acceptor{};         ///< whom an initiator means to reach
  };

  /// `origin`: a socket from start_connecting (this side is the initiator), or one just accepted.
  Connection(Fd socket, Origin origin, const Options& options, Poller& poller, PacketHandler& handler,
             ConnectionOwner& owner);
  ~Connection() override;

  [[nodiscard]] int descriptor() const { return fd_; }
  /// Packets wait until the connection is established.
  void send(Packet& packet);
  /// Only when established.
  void send_copy(const Envelope& envelope, std::span<const std::byte> payload);
  /// Receives without the poller. Who does so again and again takes the socket out of it for that time.
  bool poll();
  [[nodiscard]] bool is_established() const { return stream_ != nullptr; }
  [[nodiscard]] bool is_initiator() const { return initiator_; }
  /// Its peer has shown that it knows the secret, and the owner wants it. True of initiators.
  [[nodiscard]] bool is_admitted() const { return admitted_; }
  /// This side is the initiator, and there was somebody at the other end.
  [[nodiscard]] bool has_reached_peer() const { return initiator_ && !connecting_; }
  [[nodiscard]] Tid peer() const { return Tid{handshake_.peer()}; }
  /// Ends it; the owner does not hear of that.
  void close();
  /// Packets that wait for the handshake, to be sent another way.
  PacketQueue take_waiting() { return std::exchange(waiting_, {}); }

  /// Gives up what has not been sent; `release_packet` gets each packet.
  template <typename Release>
  void discard(Release release_packet) {
    while (!waiting_.empty()) release_packet(waiting_.pop());
    if (stream_ != nullptr) stream_->discard(release_packet);
  }

  /// As PacketParser::arriving.
  [[nodiscard]] void* arriving() const { return stream_ != nullptr ? stream_->arriving() : nullptr; }

  void ready(std::uint32_t events) override;

 private:
  void watch(std::uint32_t events);
  void greet_at_once();
  void greet();
  void shake_hands();
  bool send_handshake();
  void begin_stream(std::span<const std::byte> rest);
  /// Does something with the stream; what a handler that throws has left there is gone on with by the poller.
  template <typename Work>
  auto going_on(const Work& work);
  /// To be called with the result of anything that has read from the stream.
  void check(PacketStream::Result result);
  void fail(const std::string& reason);

  Poller& poller_;
  PacketHandler& handler_;
  ConnectionOwner& owner_;
  Handshake handshake_;
  bool initiator_;
  bool connecting_;
  bool admitted_;
  bool failed_ = false;
  std::uint32_t watched_ = 0;
  int polls_ = 0;  ///< since the socket was last parked
  Fd socket_;      ///< until the stream takes it
  int fd_;
  PacketQueue waiting_;
  std::unique_ptr<PacketStream> stream_;
};

}  // namespace nasvm::net
