#include "vm/multicast/wire/group_port.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

/// System calls of `receive` for each socket.
constexpr int calls = 4;
/// Messages in each of them: what is for one node is short. What is for all may come in messages of many datagrams;
/// then only as many are taken as stay in the cache until they are read.
constexpr std::size_t most_messages = link::DatagramSocket::batch;
constexpr std::size_t least_messages = 2;
constexpr std::size_t cached_bytes = std::size_t{160} << 10;
/// So many datagrams ahead the next header is fetched: each lies in a part of the buffer that nobody has read.
constexpr std::size_t ahead = 4;

link::DatagramSocket::Options socket_options(const GroupPort::Options& options) {
  return {.receive_buffer_bytes = options.receive_buffer_bytes,
          .send_buffer_bytes = options.send_buffer_bytes,
          .fragments = options.fragments,
          .segments = options.segments && !options.fragments};
}

}  // namespace

GroupPort::GroupPort(const Options& options, const Secret& machine)
    : self_(options.self),
      group_(options.group),
      interface_(interface_of(net::make_address(options.ip, 0))),
      unicast_(net::make_address(options.ip, 0), socket_options(options)) {
  if (self_ < 0 || self_ >= node_limit) throw RunError("a multicast group has at most 65535 nodes");
  if (group_.authentication == Authentication::tag) seal_.emplace(make_gmac(key_of(group_, machine)));
  open_multicast(options);
  reaches_any_ = why_not_.empty();
}

void GroupPort::open_multicast(const Options& options) {
  if (unicast_.address().family() != AF_INET) {
    why_not_ = "multicast needs an IPv4 address, and " + options.ip + " is none";
    return;
  }
  if (interface_.index == 0) {
    why_not_ = "no interface has the address " + options.ip;
    return;
  }
  why_not_ = send_to_groups_by(unicast_.descriptor(), interface_, group_.ttl);
  if (!why_not_.empty()) return;
  try {
    link::DatagramSocket::Options listening = socket_options(options);
    listening.shared = true;
    multicast_.emplace(group_.address, listening);
  } catch (const RunError& error) {
    why_not_ = error.what();
    return;
  }
  ignore_own(multicast_->descriptor(), group_.label(), static_cast<std::uint16_t>(self_));
  why_not_ = join(multicast_->descriptor(), group_.address, interface_);
}

void GroupPort::set_members(std::vector<net::SocketAddress> addresses) {
  members_ = std::move(addresses);
  seen_.assign(seal_ ? members_.size() : 0, {});
}

bool GroupPort::is_addressable(Node node) const {
  if (node < 0 || static_cast<std::size_t>(node) >= members_.size()) return false;
  return members_[static_cast<std::size_t>(node)].family() != AF_UNSPEC;
}

void GroupPort::set_unreached(const std::vector<Node>& nodes) {
  is_set_up_ = true;
  unreached_.clear();
  for (const Node node : nodes) {
    if (node != self_ && is_addressable(node)) unreached_.push_back(node);
  }
  reaches_any_ = why_not_.empty() && unreached_.size() + 1 < members_.size();
}

/// It gets what still waits for its copies as well: it has not heard that either.
void GroupPort::give_copies(Node to) {
  if (std::ranges::find(unreached_, to) != unreached_.end()) return;
  std::vector<Node> nodes = unreached_;
  nodes.push_back(to);
  set_unreached(nodes);
}

std::size_t GroupPort::overhead_bytes() const {
  return envelope_bytes + header_bytes + (seal_ ? GroupSeal::tag_bytes : 0);
}

std::size_t GroupPort::payload_in(std::size_t datagram_bytes) const {
  return datagram_bytes - std::min(datagram_bytes, overhead_bytes());
}

std::size_t GroupPort::longest_payload() const {
  auto mtu = interface_.mtu != 0 ? std::optional(interface_.mtu) : std::nullopt;
  if (mtu && is_by_ipv6()) mtu = *mtu - std::min(*mtu, more_header_bytes_of_ipv6);
  return payload_in(link::DatagramSocket::datagram_bytes(mtu, unicast_.receive_buffer_bytes()));
}

/// What is granted is twice what was asked for, since each datagram costs as much again at worst.
std::size_t GroupPort::room_bytes() const {
  return (multicast_ ? multicast_->receive_buffer_bytes() : unicast_.receive_buffer_bytes()) / 2;
}

GroupEnvelope GroupPort::next_envelope(Purpose purpose) {
  if (counter_ == counter_limit) throw RunError("a multicast group has carried all packets that its key is good for");
  return {.authenticated = seal_.has_value(),
          .of_set_up = purpose == Purpose::set_up,
          .from = static_cast<std::uint16_t>(self_),
          .label = group_.label(),
          .counter = counter_++};
}

/// A whole datagram into `out`, which is as long as it.
void GroupPort::write(const Packet& packet, const GroupEnvelope& envelope, Node to, std::span<std::byte> out) {
  encode(envelope, out);
  write_header(packet, out.subspan(envelope_bytes));
  std::ranges::copy(packet.payload, out.subspan(envelope_bytes + header_bytes).begin());
  if (seal_) seal_->seal(out, envelope_bytes + header_bytes + packet.payload.size(), envelope, to);
}

void GroupPort::send(Node to, const Packet& packet, Purpose purpose) {
  if (!is_addressable(to)) return;
  const std::size_t bytes = overhead_bytes() + packet.payload.size();
  const auto place = place_for(bytes, members_[static_cast<std::size_t>(to)], purpose);
  write(packet, next_envelope(purpose), to, place);
}

void GroupPort::send_to_all(const Packet& packet, Purpose purpose) {
  GroupEnvelope envelope = next_envelope(purpose);
  envelope.to_all = true;
  const std::size_t bytes = overhead_bytes() + packet.payload.size();
  if (reaches_any_) write(packet, envelope, self_, place_for(bytes, group_.address, purpose));
  if (unreached_.empty()) return;
  if (purpose == Purpose::protocol) count_copies(packet);
  if (bytes_for_unreached_ + bytes > link::max_datagram_bytes) send_copies();
  for_unreached_.emplace_back(bytes);
  write(packet, envelope, self_, for_unreached_.back());
  bytes_for_unreached_ += bytes;
}

void GroupPort::count_copies(const Packet& packet) {
  const bool is_data = packet.kind == Packet::Kind::data || packet.kind == Packet::Kind::repair;
  const std::size_t copies = unreached_.size() - (reaches_any_ ? 0U : 1U);
  (is_data ? stats_.further.data_packets : stats_.further.control_packets) += copies;
  if (packet.again) stats_.further.retransmitted += copies;
}

/// Those of one node together, so that they leave as one.
void GroupPort::send_copies() {
  for (const Node node : unreached_) {
    for (const auto& datagram : for_unreached_) {
      const net::SocketAddress& to = members_[static_cast<std::size_t>(node)];
      std::ranges::copy(datagram, place_for(datagram.size(), to, Purpose::protocol).begin());
      ++stats_.copies;
    }
  }
  for_unreached_.clear();
  bytes_for_unreached_ = 0;
}

/// Where the next datagram is to be written, at once: in the socket's queue, or behind what waits for it.
std::span<std::byte> GroupPort::place_for(std::size_t bytes, const net::SocketAddress& to, Purpose purpose) {
  assert(bytes <= link::max_datagram_bytes);
  const bool apart = purpose == Purpose::set_up;
  if (waiting_.empty() && make_room(bytes)) {
    const auto place = unicast_.slot().first(bytes);
    push(bytes, to, apart);
    return place;
  }
  ++stats_.held;
  return waiting_.emplace_back(Waiting{to, std::vector<std::byte>(bytes), apart}).bytes;
}

/// What tries lengths leaves apart: in a message that the system cuts later it would pass where it cannot alone.
void GroupPort::push(std::size_t bytes, const net::SocketAddress& to, bool apart) {
  unicast_.push(bytes, to);
  if (apart) unicast_.keep_apart();
}

/// In the socket's queue, which leaves when it has as much as the system cuts at a time.
bool GroupPort::make_room(std::size_t bytes) {
  if (stuck_) return false;
  const bool full = unicast_.queued_bytes() + bytes > link::max_datagram_bytes || unicast_.slot().empty();
  if (full) empty_queue();
  return !stuck_;
}

void GroupPort::empty_queue() {
  if (unicast_.queued() == 0) return;
  const auto flushed = unicast_.flush();
  stuck_ = flushed.stuck;
  // Until the group is set up, lengths are tried: the longest that all have heard is the group's.
  if (flushed.too_long && is_set_up_) have_ip_cut(flushed.too_long->bytes);
}

/// A path has come to take less than when its datagrams got their length. What was too long is lost, as a network
/// loses it; repairs of the same length would be lost, too, for ever.
void GroupPort::have_ip_cut(std::size_t bytes) {
  const int socket = unicast_.descriptor();
  const int never = is_by_ipv6() ? IPV6_PMTUDISC_DONT : IP_PMTUDISC_DONT;
  const int level = is_by_ipv6() ? IPPROTO_IPV6 : IPPROTO_IP;
  const int name = is_by_ipv6() ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER;
  const bool was_cut = std::exchange(is_cut_, true);
  if (!was_cut && ::setsockopt(socket, level, name, &never, sizeof never) == 0) return;
  const std::string way = interface_.name.empty() ? unicast_.address().host() : "interface " + interface_.name;
  throw RunError(way + " takes no datagrams of " + std::to_string(bytes) +
                 " bytes any more: it needs the MTU that it had when the group was set up");
}

bool GroupPort::push_waiting() {
  bool pushed = false;
  for (; !waiting_.empty() && make_room(waiting_.front().bytes.size()); waiting_.pop_front()) {
    const Waiting& next = waiting_.front();
    std::ranges::copy(next.bytes, unicast_.slot().begin());
    push(next.bytes.size(), next.to, next.apart);
    pushed = true;
  }
  return pushed;
}

bool GroupPort::flush() {
  send_copies();
  stuck_ = false;
  do {
    empty_queue();
  } while (push_waiting());
  return !stuck_;
}

bool GroupPort::push(End& end, TimePoint now) {
  // What the end sends may fill the port again, which may be empty when it is asked.
  for (bool had_room = has_room(); flush(); had_room = has_room()) {
    if (had_room) return true;
    end.resume(now);
  }
  return false;
}

std::size_t GroupPort::receive(End& end, TimePoint now, Ready ready) {
  std::size_t count = 0;
  if (ready.unicast) count += receive(unicast_, unicast_messages_, end, now);
  if (ready.multicast && multicast_) count += receive(*multicast_, multicast_messages_, end, now);
  return count;
}

std::size_t GroupPort::receive(link::DatagramSocket& socket, std::size_t& messages, End& end, TimePoint now) {
  std::size_t count = 0;
  for (int call = 0; call < calls; ++call) {
    const auto received = socket.receive(messages);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < received.size(); ++i) {
      if (i + ahead < received.size()) __builtin_prefetch(received[i + ahead].bytes.data());
      bytes += received[i].bytes.size();
      take(received[i], &socket != &unicast_, end, now);
    }
    count += received.size();
    if (bytes > cached_bytes) messages = std::max(least_messages, messages / 2);
    if (socket.drained()) break;
    if (bytes < cached_bytes / 2) messages = std::min(most_messages, 2 * messages);
  }
  return count;
}

void GroupPort::take(const link::DatagramSocket::Received& received, bool to_group, End& end, TimePoint now) {
  const auto envelope = decode_envelope(received.bytes);
  if (!envelope) {
    ++stats_.rejected.foreign;
    return;
  }
  if (const auto reason = check(received, *envelope); reason != nullptr) {
    ++(stats_.rejected.*reason);
    disturbed_ = disturbed_ || (to_group && envelope->label != group_.label());
    return;
  }
  const std::size_t behind = seal_ ? GroupSeal::tag_bytes : 0;
  const auto packet = decode(received.bytes.subspan(envelope_bytes, received.bytes.size() - envelope_bytes - behind));
  if (!packet) {
    ++stats_.rejected.malformed;
    return;
  }
  End* const to = envelope->of_set_up ? set_up_end_.get() : &end;
  if (to != nullptr) to->arrived(envelope->from, *packet, now);
}

/// Why to drop it; nullptr: it is for us. The cheapest questions come first.
std::uint64_t GroupPort::Rejected::*GroupPort::check(const link::DatagramSocket::Received& received,
                                                     const GroupEnvelope& envelope) {
  if (envelope.label != group_.label() || envelope.authenticated != seal_.has_value()) return &Rejected::foreign;
  if (envelope.from >= members_.size() || envelope.from == self_ || members_[envelope.from] != received.from) {
    return &Rejected::strangers;
  }
  if (!seal_) return nullptr;
  const bool long_enough = received.bytes.size() >= envelope_bytes + GroupSeal::tag_bytes;
  if (!long_enough || !seal_->is_genuine(received.bytes, envelope, self_)) return &Rejected::forged;
  return seen_[envelope.from].is_new(envelope.counter) ? nullptr : &Rejected::replayed;
}

std::array<int, 2> GroupPort::descriptors() const {
  return {unicast_.descriptor(), multicast_ ? multicast_->descriptor() : -1};
}

}  // namespace nasvm::multicast
