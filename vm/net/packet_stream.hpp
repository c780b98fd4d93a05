#pragma once
/// \file
/// Packets over a connected stream socket (TCP or Unix): envelope and payload leave in one `sendmsg`, several
/// packets together where they wait; a payload lands where its handler wants it, in one `recvmsg` with the next
/// envelope. Non-blocking throughout. Used by tasks, daemons and the console alike.

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "vm/message.hpp"
#include "vm/net/fd.hpp"
#include "vm/net/packet.hpp"
#include "vm/net/packet_parser.hpp"

namespace nasvm::net {

class PacketStream {
 public:
  enum class Result { idle, moved, closed, garbage };

  PacketStream(Fd socket, PacketHandler& handler);
  ~PacketStream();
  PacketStream(const PacketStream&) = delete;
  PacketStream& operator=(const PacketStream&) = delete;

  [[nodiscard]] int fd() const { return socket_.get(); }

  /// Sends as much of the queue as the socket takes; the rest waits for `flush`, in order, but data let pass what
  /// may_pass_data says. What a handler sends in answer to a packet waits until all packets of that read have been
  /// handled: then all answers leave together.
  void send(Packet& packet);
  /// Sends a packet that the stream keeps itself; the handler does not hear of it. For rare, short ones.
  void send_copy(const Envelope& envelope, std::span<const std::byte> payload);
  /// idle: nothing (more) could be sent. closed: the peer is gone (see `end`).
  Result flush();
  /// The socket was full: call `flush` when it can be written. May change in every function here.
  [[nodiscard]] bool wants_to_send() const { return !queue_.empty() && !answering_; }
  /// Packets that have been read wait here, because a handler has thrown for one before them: call `receive`. No
  /// event need tell of them but that the socket can be written; while it is full, only the peer's reading does.
  [[nodiscard]] bool has_staged() const { return !unparsed_.empty() && !on_hold() && !answering_; }

  /// Reads what has arrived, up to about a megabyte, and sends the answers. garbage: what came is not a packet. When
  /// a handler throws, what is left is seen by `has_staged` and `wants_to_send`.
  Result receive();
  /// As PacketParser::forget.
  void forget(Tid source) { parser_.forget(source); }
  /// Asks the handler again about a payload on hold, and goes on with what has been read already.
  Result resume();
  [[nodiscard]] bool on_hold() const { return parser_.on_hold(); }
  /// As PacketParser::arriving.
  [[nodiscard]] void* arriving() const { return parser_.arriving(); }

  /// Why it is closed, in words: by the peer in order, or the system's reason.
  [[nodiscard]] std::string end() const;

  /// Gives up what has not been sent: `release` gets every packet of the handler's that waits.
  template <typename Release>
  void discard(Release release_packet) {
    while (!queue_.empty()) {
      Packet& packet = queue_.pop();
      if (!free_own(packet)) release_packet(packet);
    }
  }

  /// Forgets the handler's packets that wait, because their payloads may be gone; the handler does not hear of it.
  /// The rest of one that has left in part follows as zeros, so that what is sent next is understood.
  void forget_payloads();

  /// Takes bytes that were read from the socket before the stream was made (at most a few kilobytes).
  Result preload(std::span<const std::byte> bytes);

 private:
  static constexpr std::size_t staging_bytes = 32 * 1024;

  /// Takes packets out of what has been read until all is used or a payload is on hold, and sends what they are
  /// answered with. False: what came is not a packet.
  bool parse_and_answer();
  ssize_t send_some();
  void release_sent();
  [[nodiscard]] std::size_t bytes_of_front_if_sent() const;
  long read_some();
  /// Frees it when it is one of send_copy; false: it is the handler's.
  static bool free_own(Packet& packet);

  Fd socket_;
  PacketHandler& handler_;
  PacketQueue queue_;
  std::size_t sent_of_front_ = 0;  ///< bytes; more than it has while those behind it that have left are released
  bool flushing_ = false;
  bool answering_ = false;  ///< packets are being handled: what is sent meanwhile waits
  bool broken_ = false;
  int error_ = 0;  ///< of the system, that broke it; 0: the peer has closed it

  PacketParser parser_;
  std::vector<std::byte> staging_;
  std::span<const std::byte> unparsed_;  ///< the part of staging_ that has been read and is still to be parsed
};

}  // namespace nasvm::net
