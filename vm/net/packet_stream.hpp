#pragma once
/// \file
/// Packets over a connected stream socket (TCP or Unix): envelope and payload leave in one `sendmsg`, several
/// packets together where they wait; a payload lands where its handler wants it, in one `recvmsg` with the next
/// envelope. Non-blocking throughout. Used by tasks, daemons and the console alike.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "vm/message.hpp"
#include "vm/net/fd.hpp"

namespace nasvm::net {

/// A packet on its way out. Its owner leaves it and its payload in place until `packet_sent`.
struct Packet {
  Envelope envelope;
  const std::byte* payload = nullptr;  ///< envelope.payload_bytes long
  Packet* next = nullptr;              ///< the stream's own while it is queued
  void* owner = nullptr;               ///< for the handler
  bool stream_owned = false;           ///< made by PacketStream::send_copy
};

/// A queue of packets, first in first out, without allocation.
class PacketQueue {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] Packet* front() const { return first_; }
  void push(Packet& packet) {
    packet.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &packet;
    last_ = &packet;
  }
  Packet& pop() {
    Packet& packet = *first_;
    first_ = packet.next;
    return packet;
  }

 private:
  Packet* first_ = nullptr;
  Packet* last_ = nullptr;
};

/// Where an arriving payload goes.
struct Landing {
  enum class Verdict { take, hold };
  Verdict verdict = Verdict::take;  ///< hold: there is no room now; ask again after PacketStream::resume
  std::byte* data = nullptr;        ///< room for the payload; nullptr: throw it away
  void* token = nullptr;            ///< for the handler
};

class PacketHandler {
 public:
  virtual ~PacketHandler() = default;
  /// An envelope has arrived: where does its payload go?
  virtual Landing begin_packet(const Envelope& envelope) = 0;
  /// The payload of that envelope is complete.
  virtual void end_packet(const Envelope& envelope, const Landing& landing) = 0;
  /// Both at once, for a packet that is in memory as a whole; not for handlers that put payloads on hold.
  virtual void take_packet(const Envelope& envelope, const std::byte* payload) {
    const Landing landing = begin_packet(envelope);
    if (landing.data != nullptr && envelope.payload_bytes != 0) {
      std::memcpy(landing.data, payload, envelope.payload_bytes);
    }
    end_packet(envelope, landing);
  }
  /// A packet has left: it and its payload may be used again.
  virtual void packet_sent(Packet& packet) = 0;
};

class PacketStream {
 public:
  enum class Result { idle, moved, closed, garbage };

  PacketStream(Fd socket, PacketHandler& handler);
  ~PacketStream();
  PacketStream(const PacketStream&) = delete;
  PacketStream& operator=(const PacketStream&) = delete;

  [[nodiscard]] int fd() const { return socket_.get(); }

  /// Sends as much of the queue as the socket takes; the rest waits for `flush`. What a handler sends in answer to a
  /// packet waits until all packets of that read have been handled: then all answers leave together.
  void send(Packet& packet);
  /// Sends a packet that the stream keeps itself; the handler does not hear of it. For rare, short ones.
  void send_copy(const Envelope& envelope, std::span<const std::byte> payload);
  /// idle: nothing (more) could be sent. closed: the peer is gone.
  Result flush();
  /// The socket was full: call `flush` when it can be written. May change in every function here.
  [[nodiscard]] bool wants_to_send() const { return !queue_.empty() && !answering_; }

  /// Reads what has arrived, up to about a megabyte, and sends the answers. garbage: what came is not a packet.
  Result receive();
  /// Asks the handler again about a payload on hold, and goes on with what has been read already.
  Result resume();
  [[nodiscard]] bool on_hold() const { return on_hold_; }

  /// Gives up what has not been sent: `release` gets every packet of the handler's that waits.
  template <typename Release>
  void discard(Release release_packet) {
    while (!queue_.empty()) {
      Packet& packet = queue_.pop();
      if (packet.stream_owned) {
        release(packet);
      } else {
        release_packet(packet);
      }
    }
  }

  /// Takes bytes that were read from the socket before the stream was made (at most a few kilobytes).
  Result preload(std::span<const std::byte> bytes);

 private:
  static constexpr std::size_t staging_bytes = 32 * 1024;

  /// Takes packets out of the staging buffer until it is empty, ends inside a packet or is on hold.
  bool parse();
  /// The same, and sends what its packets are answered with.
  bool parse_and_answer();
  void begin_payload();
  void finish_packet();
  ssize_t send_some();
  long read_some();
  void release(Packet& packet);

  Fd socket_;
  PacketHandler& handler_;
  PacketQueue queue_;
  std::size_t sent_of_front_ = 0;
  bool flushing_ = false;
  bool answering_ = false;  ///< packets are being handled: what is sent meanwhile waits
  bool broken_ = false;

  std::vector<std::byte> staging_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  Envelope envelope_{};
  bool in_payload_ = false;
  bool on_hold_ = false;
  Landing landing_{};
  std::size_t payload_done_ = 0;
};

}  // namespace nasvm::net
