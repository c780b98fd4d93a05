#include "vm/link/datagram_socket.hpp"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

#include "vm/status.hpp"

namespace nasvm::link {
namespace {

constexpr std::size_t ip_and_udp_header_bytes = 28;  ///< of IPv4
constexpr std::size_t more_header_bytes_of_ipv6 = 20;
constexpr std::size_t mtu_everywhere = 1280;  ///< RFC 8200, section 5
/// The peer's buffer is taken to be like ours: both run the same program, and systems differ little in their limits.
constexpr std::size_t datagrams_per_receive_buffer = 24;
/// Not a multiple of a large power of two, so that the slots do not crowd the same lines of the cache.
constexpr std::size_t slot_stride = 65536 + 4096 + 192;
static_assert(slot_stride >= max_datagram_bytes);

[[noreturn]] void fail(const std::string& what, const std::string& advice) {
  throw RunError(what + ": " + std::strerror(errno) + "; " + advice);
}

void set_option(int descriptor, int level, int name, int value, const char* what) {
  if (setsockopt(descriptor, level, name, &value, sizeof value) < 0) {
    fail(std::string("cannot set ") + what + " on a datagram socket", "a current Linux kernel has it");
  }
}

// A privileged daemon may exceed the administrator's limit; any other is cut to it without an error.
void enlarge(int descriptor, int forced_name, int name, std::size_t bytes) {
  const int value = static_cast<int>(bytes);
  if (setsockopt(descriptor, SOL_SOCKET, forced_name, &value, sizeof value) == 0) return;
  set_option(descriptor, SOL_SOCKET, name, value, "the buffer size");
}

int open_socket(int family, const std::string& purpose) {
  const int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) fail("cannot open a datagram socket" + purpose, "check the limit of open files (ulimit -n)");
  return descriptor;
}

}  // namespace

/// Buffers and message headers of one direction, linked once. A message that arrives has a slot; one that leaves has
/// one or several.
struct DatagramSocket::Slots {
  std::unique_ptr<std::byte[]> bytes = std::make_unique_for_overwrite<std::byte[]>(batch * slot_stride);
  std::array<Address, batch> peers{};
  std::array<iovec, batch> pieces{};
  std::array<mmsghdr, batch> messages{};
  std::array<std::size_t, batch> counts{};  ///< of datagrams in a message that leaves
  struct alignas(cmsghdr) Control {
    std::array<std::byte, CMSG_SPACE(sizeof(int))> bytes{};
  };
  std::array<Control, batch> controls{};  ///< the length of the datagrams in a message

  Slots() {
    for (std::size_t i = 0; i < batch; ++i) {
      pieces[i] = {bytes.get() + i * slot_stride, max_datagram_bytes};
      messages[i].msg_hdr.msg_iov = &pieces[i];
      messages[i].msg_hdr.msg_iovlen = 1;
      messages[i].msg_hdr.msg_name = peers[i].get();
      messages[i].msg_hdr.msg_namelen = Address::capacity;
    }
  }
};

DatagramSocket::DatagramSocket(const std::string& ip, std::size_t buffer_bytes)
    : DatagramSocket(net::make_address(ip, 0),
                     {.receive_buffer_bytes = buffer_bytes, .send_buffer_bytes = buffer_bytes}) {}

DatagramSocket::DatagramSocket(const Address& address, const Options& options)
    : outgoing_(std::make_unique<Slots>()), incoming_(std::make_unique<Slots>()), segments_(options.segments) {
  received_.reserve(batch);
  descriptor_ = open_socket(address.family(), "");
  try {
    if (address.family() == AF_INET) {
      const int discovery = options.fragments ? IP_PMTUDISC_DONT : IP_PMTUDISC_DO;
      set_option(descriptor_, IPPROTO_IP, IP_MTU_DISCOVER, discovery, "path discovery");
    } else {
      const int discovery = options.fragments ? IPV6_PMTUDISC_DONT : IPV6_PMTUDISC_DO;
      set_option(descriptor_, IPPROTO_IPV6, IPV6_MTU_DISCOVER, discovery, "path discovery");
    }
    const int on = 1;  // not every system has it
    (void)setsockopt(descriptor_, SOL_UDP, UDP_GRO, &on, sizeof on);
    enlarge(descriptor_, SO_RCVBUFFORCE, SO_RCVBUF, options.receive_buffer_bytes);
    enlarge(descriptor_, SO_SNDBUFFORCE, SO_SNDBUF, options.send_buffer_bytes);
    if (options.shared) set_option(descriptor_, SOL_SOCKET, SO_REUSEADDR, 1, "the sharing of its address");
    if (bind(descriptor_, address.get(), address.size()) < 0) {
      fail("cannot bind a datagram socket to " + (address.port() == 0 ? address.host() : address.text()),
           "the address must belong to this host and be free");
    }
    address_ = net::local_address(descriptor_);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

DatagramSocket::~DatagramSocket() { close(descriptor_); }

std::size_t DatagramSocket::receive_buffer_bytes() const {
  int bytes = 0;
  socklen_t length = sizeof bytes;
  getsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &bytes, &length);
  return static_cast<std::size_t>(bytes);
}

std::byte* DatagramSocket::send_slot(std::size_t index) const { return outgoing_->bytes.get() + index * slot_stride; }

std::span<std::byte> DatagramSocket::slot() {
  if (queued_ == batch || queued_bytes_ >= queue_bytes) return {};
  return {send_slot(queued_), max_datagram_bytes};
}

void DatagramSocket::push(std::size_t bytes, const Address& to) {
  assert(queued_ < batch && bytes <= max_datagram_bytes);
  outgoing_->pieces[queued_].iov_len = bytes;
  outgoing_->peers[queued_] = to;
  queued_bytes_ += bytes;
  ++queued_;
}

std::size_t DatagramSocket::segments_from(std::size_t first) const {
  const std::size_t length = outgoing_->pieces[first].iov_len;
  std::size_t total = length;
  std::size_t next = first + 1;
  if (!segments_ || first < alone_until_ || length == 0) return 1;
  for (; next < queued_ && outgoing_->peers[next] == outgoing_->peers[first]; ++next) {
    const std::size_t more = outgoing_->pieces[next].iov_len;
    if (more > length || more == 0 || total + more > max_datagram_bytes) break;
    total += more;
    if (more < length) return next + 1 - first;  // only the last one may be shorter
  }
  return next - first;
}

unsigned DatagramSocket::gather() {
  unsigned messages = 0;
  for (std::size_t first = flushed_; first < queued_; ++messages) {
    const std::size_t count = segments_from(first);
    msghdr& header = outgoing_->messages[messages].msg_hdr;
    header.msg_iov = &outgoing_->pieces[first];
    header.msg_iovlen = count;
    header.msg_name = outgoing_->peers[first].get();
    header.msg_namelen = outgoing_->peers[first].size();
    header.msg_control = nullptr;
    header.msg_controllen = 0;
    if (count > 1) {
      header.msg_control = outgoing_->controls[messages].bytes.data();
      header.msg_controllen = CMSG_SPACE(sizeof(std::uint16_t));
      cmsghdr* length = CMSG_FIRSTHDR(&header);
      length->cmsg_level = SOL_UDP;
      length->cmsg_type = UDP_SEGMENT;
      length->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
      const auto bytes = static_cast<std::uint16_t>(outgoing_->pieces[first].iov_len);
      std::memcpy(CMSG_DATA(length), &bytes, sizeof bytes);
    }
    outgoing_->counts[messages] = count;
    first += count;
  }
  return messages;
}

DatagramSocket::Flushed DatagramSocket::flush() {
  Flushed flushed;
  while (flushed_ < queued_) {
    const int count = sendmmsg(descriptor_, outgoing_->messages.data(), gather(), 0);
    ++stats_.send_calls;
    if (count > 0) {
      const auto* counts = outgoing_->counts.data();
      const std::size_t datagrams = std::accumulate(counts, counts + count, std::size_t{0});
      flushed.sent += datagrams;
      flushed_ += datagrams;
    } else if (!take_apart(errno) && !drop_after_error(errno, flushed)) {
      break;
    }
  }
  stats_.sent += flushed.sent;
  if (flushed_ == queued_) queued_ = queued_bytes_ = flushed_ = alone_until_ = 0;
  return flushed;
}

bool DatagramSocket::take_apart(int error) {
  const std::size_t count = outgoing_->counts[0];
  const bool too_long = error == EMSGSIZE || error == EINVAL;  // Linux has said either of them
  const bool unable = error == EIO || error == EOPNOTSUPP || error == ENOPROTOOPT;
  if (count == 1 || (!too_long && !unable)) return false;
  if (unable) segments_ = false;
  alone_until_ = std::max(alone_until_, flushed_ + count);
  return true;
}

// The first datagram not handed over met `error`. False: stop for now.
bool DatagramSocket::drop_after_error(int error, Flushed& flushed) {
  switch (error) {
    case EINTR:
      return true;
    case EAGAIN:
    case ENOBUFS:
    case ENOMEM:
      flushed.stuck = true;
      return false;
    case EMSGSIZE:
      flushed.too_long = TooLong{outgoing_->peers[flushed_], outgoing_->pieces[flushed_].iov_len};
      break;
    case ECONNREFUSED:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EHOSTDOWN:
    case ENETDOWN:
    case EPERM:
    case EACCES:  // a rule or route forbids it
      break;
    default:
      fail("cannot send a datagram to " + outgoing_->peers[flushed_].text(), "the link cannot go on");
  }
  ++stats_.unsendable;
  ++flushed_;
  return true;
}

std::span<const DatagramSocket::Received> DatagramSocket::receive(std::size_t messages) {
  received_.clear();
  messages = std::min(messages, batch);
  for (std::size_t i = 0; i < messages; ++i) {
    msghdr& header = incoming_->messages[i].msg_hdr;
    header.msg_namelen = Address::capacity;
    header.msg_control = incoming_->controls[i].bytes.data();
    header.msg_controllen = incoming_->controls[i].bytes.size();
  }
  const int count =
      recvmmsg(descriptor_, incoming_->messages.data(), static_cast<unsigned>(messages), MSG_DONTWAIT, nullptr);
  ++stats_.receive_calls;
  drained_ = count < static_cast<int>(messages);
  if (count < 0) {
    // A refused connection is the echo of an earlier datagram to a daemon that is gone.
    if (errno == EAGAIN || errno == EINTR || errno == ECONNREFUSED) return {};
    fail("cannot receive datagrams on " + address_.text(), "the link cannot go on");
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) take(i);
  stats_.received += received_.size();
  return received_;
}

/// The datagrams of a message that has arrived.
void DatagramSocket::take(std::size_t message) {
  std::span<const std::byte> bytes{incoming_->bytes.get() + message * slot_stride,
                                   incoming_->messages[message].msg_len};
  std::size_t length = bytes.size();
  msghdr& header = incoming_->messages[message].msg_hdr;
  for (cmsghdr* control = CMSG_FIRSTHDR(&header); control != nullptr; control = CMSG_NXTHDR(&header, control)) {
    if (control->cmsg_level != SOL_UDP || control->cmsg_type != UDP_GRO) continue;
    int segment = 0;
    std::memcpy(&segment, CMSG_DATA(control), sizeof segment);
    if (segment > 0) length = static_cast<std::size_t>(segment);
  }
  do {
    const std::size_t next = std::min(length, bytes.size());
    received_.push_back({bytes.first(next), incoming_->peers[message]});
    bytes = bytes.subspan(next);
  } while (!bytes.empty());
}

std::size_t DatagramSocket::path_bytes(const Address& peer) const {
  std::size_t mtu = path_mtu(peer).value_or(mtu_everywhere);
  if (peer.family() == AF_INET6) mtu -= std::min(mtu, more_header_bytes_of_ipv6);
  return datagram_bytes(mtu, receive_buffer_bytes());
}

std::size_t DatagramSocket::datagram_bytes(std::optional<std::size_t> known_mtu, std::size_t receive_buffer_bytes) {
  const std::size_t mtu = known_mtu.value_or(mtu_everywhere);
  const std::size_t longest = mtu - std::min(mtu, ip_and_udp_header_bytes);
  const std::size_t digestible = receive_buffer_bytes / datagrams_per_receive_buffer;
  return std::clamp(std::min(longest, digestible), min_datagram_bytes, max_datagram_bytes);
}

/// Nothing where the system has a path but does not tell its MTU, as some sandboxes do not.
std::optional<std::size_t> DatagramSocket::path_mtu(const Address& peer) const {
  const int helper = open_socket(peer.family(), " to measure a path");
  int mtu = 0;
  socklen_t length = sizeof mtu;
  Address near = address_;
  near.set_port(0);
  const bool there = bind(helper, near.get(), near.size()) == 0 && connect(helper, peer.get(), peer.size()) == 0;
  const bool v6 = peer.family() == AF_INET6;
  const int level = v6 ? IPPROTO_IPV6 : IPPROTO_IP;
  const bool known = there && getsockopt(helper, level, v6 ? IPV6_MTU : IP_MTU, &mtu, &length) == 0 && mtu > 0;
  const int error = std::exchange(errno, 0);
  close(helper);
  errno = error;
  if (!there) fail("no path from " + address_.text() + " to " + peer.text(), "check the addresses in the hostfile");
  return known ? std::optional(static_cast<std::size_t>(mtu)) : std::nullopt;
}

}  // namespace nasvm::link
