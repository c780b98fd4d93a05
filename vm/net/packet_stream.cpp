#include "vm/net/packet_stream.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace nasvm::net {
namespace {

constexpr std::size_t receive_budget = 1 << 20;
constexpr std::size_t most_packets_per_call = 16;

/// Up to this length copying a packet together takes less time than having the kernel gather it.
constexpr std::size_t gathered_here = 512;

/// Fills `pieces` with what the queue has to send, skipping `skip` bytes of its first packet.
std::size_t gather(Packet* packet, std::size_t skip, std::span<iovec> pieces) {
  std::size_t count = 0;
  for (; packet != nullptr && count + 2 <= pieces.size(); packet = packet->next) {
    auto* head = reinterpret_cast<std::byte*>(&packet->envelope);
    const std::size_t payload_bytes = packet->envelope.payload_bytes;
    if (skip < sizeof(Envelope)) pieces[count++] = {head + skip, sizeof(Envelope) - skip};
    const std::size_t payload_skip = skip > sizeof(Envelope) ? skip - sizeof(Envelope) : 0;
    if (payload_bytes > payload_skip) {
      pieces[count++] = {const_cast<std::byte*>(packet->payload) + payload_skip, payload_bytes - payload_skip};
    }
    skip = 0;
  }
  return count;
}

/// A flag that is set until the end of a block, which an exception may bring about.
class Raised {
 public:
  explicit Raised(bool& flag) : flag_(flag) { flag_ = true; }
  ~Raised() { flag_ = false; }
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;

 private:
  bool& flag_;
};

struct OwnedPacket : Packet {
  OwnedPacket(const Envelope& head, std::vector<std::byte> content) : bytes(std::move(content)) {
    envelope = head;
    envelope.payload_bytes = static_cast<std::uint32_t>(bytes.size());
    payload = bytes.data();
    stream_owned = true;
  }

  std::vector<std::byte> bytes;
};

}  // namespace

PacketStream::PacketStream(Fd socket, PacketHandler& handler)
    : socket_(std::move(socket)), handler_(handler), parser_(handler), staging_(staging_bytes) {}

PacketStream::~PacketStream() {
  discard([](Packet&) {});
}

void PacketStream::send_copy(const Envelope& envelope, std::span<const std::byte> payload) {
  send(*new OwnedPacket(envelope, {payload.begin(), payload.end()}));
}

void PacketStream::forget_payloads() {
  while (const std::size_t left = bytes_of_front_if_sent()) {  // which a handler that has thrown has left
    sent_of_front_ -= left;
    (void)free_own(queue_.pop());
  }
  PacketQueue kept;
  bool under_way = sent_of_front_ > 0;
  while (!queue_.empty()) {
    Packet& packet = queue_.pop();
    if (packet.stream_owned) {
      kept.push(packet);
    } else if (under_way) {
      kept.push(*new OwnedPacket(packet.envelope, std::vector<std::byte>(packet.envelope.payload_bytes)));
    }
    under_way = false;
  }
  queue_ = kept;
}

bool PacketStream::free_own(Packet& packet) {
  if (!packet.stream_owned) return false;
  delete static_cast<OwnedPacket*>(&packet);
  return true;
}

void PacketStream::send(Packet& packet) {
  const bool idle = queue_.empty();
  // While packets that have left are released it is not known how many of the queue's have.
  if (may_pass_data(packet.envelope) && !flushing_ && bytes_of_front_if_sent() == 0) {
    queue_.push_ahead_of_data(packet, sent_of_front_ > 0);
  } else {
    queue_.push(packet);
  }
  // When others wait already the socket is full; when a packet's own packet_sent sends the next, flush goes on.
  if (idle && !flushing_ && !answering_) (void)flush();
}

/// One call to send the front of the queue, and as much behind it as one call takes.
ssize_t PacketStream::send_some() {
  const Packet& front = *queue_.front();
  const std::size_t whole_bytes = sizeof(Envelope) + front.envelope.payload_bytes;
  if (front.next == nullptr && sent_of_front_ == 0 && whole_bytes <= gathered_here) {
    std::array<std::byte, gathered_here> whole;
    std::memcpy(whole.data(), &front.envelope, sizeof(Envelope));
    if (front.envelope.payload_bytes != 0) {
      std::memcpy(&whole[sizeof(Envelope)], front.payload, front.envelope.payload_bytes);
    }
    return ::send(socket_.get(), whole.data(), whole_bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  std::array<iovec, 2 * most_packets_per_call> pieces;
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = gather(queue_.front(), sent_of_front_, pieces);
  return ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// Of the packet at the front, with its envelope, when all of it has left; else 0.
std::size_t PacketStream::bytes_of_front_if_sent() const {
  if (queue_.empty()) return 0;
  const std::size_t bytes = sizeof(Envelope) + queue_.front()->envelope.payload_bytes;
  return sent_of_front_ >= bytes ? bytes : 0;
}

/// Takes packets that have left whole off the queue.
void PacketStream::release_sent() {
  while (const std::size_t left = bytes_of_front_if_sent()) {
    sent_of_front_ -= left;
    Packet& packet = queue_.pop();
    if (!free_own(packet)) handler_.packet_sent(packet);
  }
}

PacketStream::Result PacketStream::flush() {
  if (broken_) return Result::closed;
  Result result = Result::idle;
  const Raised until_it_has_ended(flushing_);
  release_sent();  // those that a handler which has thrown has left
  while (!queue_.empty()) {
    const ssize_t sent = send_some();
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS) {
        broken_ = true;
        error_ = errno;
        result = Result::closed;
      }
      break;
    }
    result = Result::moved;
    sent_of_front_ += static_cast<std::size_t>(sent);
    release_sent();
  }
  return result;
}

PacketStream::Result PacketStream::preload(std::span<const std::byte> bytes) {
  std::ranges::copy(bytes, staging_.begin());
  unparsed_ = std::span(staging_).first(bytes.size());
  return parse_and_answer() ? Result::moved : Result::garbage;
}

bool PacketStream::parse_and_answer() {
  const bool idle = queue_.empty();  // else the socket is full
  bool good = false;
  {
    const Raised until_all_are_handled(answering_);
    good = parser_.take(unparsed_);
  }
  if (idle && !queue_.empty()) (void)flush();
  return good;
}

/// One call to read into the rest of a payload and into the staging buffer, which has been parsed whole.
long PacketStream::read_some() {
  std::array<iovec, 2> pieces;
  std::size_t count = 0;
  const std::span<std::byte> room = parser_.room();
  if (!room.empty()) pieces[count++] = {room.data(), room.size()};
  pieces[count++] = {staging_.data(), staging_bytes};
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = count;
  ssize_t got;
  do {
    got = count == 1 ? ::recv(socket_.get(), pieces[0].iov_base, pieces[0].iov_len, MSG_DONTWAIT)
                     : ::recvmsg(socket_.get(), &message, MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
  if (got <= 0) {
    error_ = got == 0 ? 0 : errno;
    return -1;
  }
  const std::size_t direct = std::min(static_cast<std::size_t>(got), room.size());
  parser_.landed(direct);
  unparsed_ = {staging_.data(), static_cast<std::size_t>(got) - direct};
  return got;
}

PacketStream::Result PacketStream::receive() {
  Result result = Result::idle;
  if (!unparsed_.empty() && !on_hold()) {  // left by a handler that has thrown
    if (!parse_and_answer()) return Result::garbage;
    result = Result::moved;
  }
  for (std::size_t total = 0; total < receive_budget && !on_hold();) {
    const std::size_t asked = staging_bytes + parser_.room().size();
    const long got = read_some();
    if (got < 0) {
      broken_ = true;
      return Result::closed;
    }
    if (got == 0) break;
    result = Result::moved;
    total += static_cast<std::size_t>(got);
    if (!parse_and_answer()) return Result::garbage;
    if (static_cast<std::size_t>(got) < asked) break;  // drained: spare the call that would say so
  }
  return result;
}

PacketStream::Result PacketStream::resume() {
  if (!on_hold()) return Result::idle;
  parser_.resume();
  return parse_and_answer() ? Result::moved : Result::garbage;
}

std::string PacketStream::end() const {
  // A peer that has closed is met by a reader as the end, by a writer as a broken pipe.
  if (error_ == 0 || error_ == EPIPE) return "the connection was closed";
  return std::string("the connection broke: ") + std::strerror(error_);
}

}  // namespace nasvm::net
