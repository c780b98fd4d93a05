#include "vm/link/links.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "vm/status.hpp"

namespace nasvm::link {
namespace {

/// A peer's turn is so many datagrams, and more while they are short: they leave together.
constexpr int datagrams_per_turn = 8;
constexpr std::size_t bytes_per_turn = std::size_t{64} << 10;

}  // namespace

Links::Links(const std::string& ip, std::span<const std::byte, Seal::secret_bytes> secret, std::uint16_t local_host,
             const Channel::Options& options, std::size_t kernel_buffer_bytes)
    : socket_(ip, kernel_buffer_bytes), seal_(secret), options_(options), sharing_(local_host) {
  options_.local_host = local_host;
}

Channel& Links::add_peer(std::uint16_t host, const Address& address) {
  if (channel(host) != nullptr) throw std::invalid_argument("a host has one channel");
  Channel::Options options = options_;
  options.peer_host = host;
  options.datagram_bytes = socket_.path_bytes(address);
  peers_.push_back({host, address, std::make_unique<Channel>(options)});
  index_peers();
  sharing_.add(host, *peers_.back().channel);
  return *peers_.back().channel;
}

void Links::remove_peer(std::uint16_t host) {
  sharing_.remove(host);
  std::erase_if(peers_, [host](const Peer& peer) { return peer.host == host; });
  index_peers();
}

void Links::index_peers() {
  std::ranges::fill(index_of_host_, -1);
  for (std::size_t index = 0; index < peers_.size(); ++index) {
    const std::size_t host = peers_[index].host;
    if (index_of_host_.size() <= host) index_of_host_.resize(host + 1, -1);
    index_of_host_[host] = static_cast<std::int32_t>(index);
  }
}

std::string Links::Stats::text(const std::function<std::string(int host)>& name_of) const {
  std::vector<std::string> facts;
  if (unauthenticated + strangers > 0) {
    facts.push_back(fmt::format("{} datagrams dropped: {} not of this machine, {} of a host that it does not have",
                                unauthenticated + strangers, unauthenticated, strangers));
  }
  for (const Shortened& one : shortened) {
    facts.push_back(
        fmt::format("datagrams to host {} cut to {} bytes: longer ones do not arrive; do the MTUs of the "
                    "hosts' interfaces differ?",
                    name_of(one.host), one.datagram_bytes));
  }
  return fmt::format("{}", fmt::join(facts, "; "));
}

Links::Stats Links::stats() const {
  Stats stats{.unauthenticated = seal_.rejected(), .strangers = strangers_};
  for (const Peer& peer : peers_) {
    if (peer.channel->stats().shortened > 0) stats.shortened.push_back({peer.host, peer.channel->datagram_bytes()});
  }
  return stats;
}

Channel* Links::channel(std::uint16_t host) {
  if (host >= index_of_host_.size() || index_of_host_[host] < 0) return nullptr;
  return peers_[static_cast<std::size_t>(index_of_host_[host])].channel.get();
}

void Links::join(Group group) {
  group_ = std::move(group);
  const std::size_t known = DatagramSocket::datagram_bytes(group_.mtu > 0 ? std::optional(group_.mtu) : std::nullopt,
                                                           group_.ear->receive_buffer_bytes());
  sharing_.start(group_.label, known);
}

// What has been sent to all before something that was sent to this host alone must not seem to be lost, and the other
// way round: the first socket is read again when the second one had something.
bool Links::receive(TimePoint now, int max_batches) {
  look_for_gap(now);
  bool more = drain(socket_, now, max_batches);
  if (!joined()) return more;
  const std::uint64_t before = group_.ear->stats().received;
  more = drain(*group_.ear, now, max_batches) || more;
  if (group_.ear->stats().received != before) more = drain(socket_, now, max_batches) || more;
  return more;
}

bool Links::drain(DatagramSocket& socket, TimePoint now, int max_batches) {
  for (int i = 0; i < max_batches; ++i) {
    const auto batch = socket.receive();
    for (const DatagramSocket::Received& received : batch) {
      if (&socket == &socket_) take(received, now);
      else take_shared(received, now);
    }
    if (batch.size() < DatagramSocket::batch) return false;
  }
  return true;
}

void Links::take(const DatagramSocket::Received& received, TimePoint now) {
  const auto body = seal_.open(received.bytes);
  if (!body) return;
  const Origin origin = origin_of(*body);
  Channel* const from = origin.destination == options_.local_host ? channel(origin.source) : nullptr;
  if (from == nullptr) ++strangers_;
  else from->on_datagram(*body, now);
}

void Links::take_shared(const DatagramSocket::Received& received, TimePoint now) {
  // Where the system does not throw them away, this host's own come back.
  if (received.from == address()) return;
  const auto body = seal_.open(received.bytes);
  if (body && !sharing_.on_datagram(*body, now)) ++strangers_;
}

void Links::transmit(TimePoint now) {
  look_for_gap(now);
  if (!make_room()) return;
  if (joined()) probe(now);
  std::size_t silent = 0;  // peers in a row with nothing to send
  while (silent < peers_.size() && !stuck_) {
    turn_ = (turn_ + 1) % peers_.size();
    silent = transmit_some(peers_[turn_], now) ? 0 : silent + 1;
  }
  if (!stuck_) make_room();
}

// One peer's turn; false when it has nothing (more) to send.
bool Links::transmit_some(Peer& peer, TimePoint now) {
  std::size_t bytes = 0;
  for (int i = 0; i < datagrams_per_turn || bytes < bytes_per_turn; ++i) {
    if (socket_.slot().empty() && !make_room()) return true;
    const auto slot = socket_.slot();
    if (const std::size_t shared = shared_datagram(peer, slot, now); shared > 0) {
      bytes += shared;
      continue;
    }
    const auto body = peer.channel->next_datagram(slot.first(slot.size() - tag_bytes), now);
    if (!body) return false;
    push(slot, *body, peer.address);
    bytes += *body;
  }
  return true;
}

// Length of the body that has been queued for all whom it is for; 0: there is none now.
std::size_t Links::shared_datagram(const Peer& peer, std::span<std::byte> slot, TimePoint now) {
  if (!joined()) return 0;
  const auto body = sharing_.next_datagram(peer.host, slot.first(slot.size() - tag_bytes), now);
  if (body) push(slot, *body, group_.address);
  return body.value_or(0);
}

void Links::probe(TimePoint now) {
  for (const Peer& peer : peers_) peer.channel->tick(now);  // what is lost by now may be lost to several
  const auto slot = socket_.slot();
  if (slot.empty()) return;
  if (const auto body = sharing_.next_probe(slot.first(slot.size() - tag_bytes), now))
    push(slot, *body, group_.address);
}

void Links::push(std::span<std::byte> slot, std::size_t body_bytes, const Address& to) {
  socket_.push(seal_.seal(slot, body_bytes), to);
}

// Hands the queue to the kernel. False when it does not take all.
bool Links::make_room() {
  const auto flushed = socket_.flush();
  stuck_ = flushed.stuck;
  if (flushed.too_long) shorten(flushed.too_long->to, flushed.too_long->bytes);
  return !stuck_;
}

// A datagram of `bytes` was too long for the path to `address`.
void Links::shorten(const Address& address, std::size_t bytes) {
  if (joined() && address == group_.address && bytes <= sharing_.datagram_bytes()) {
    sharing_.set_datagram_bytes(std::max(bytes / 2, min_datagram_bytes));
  }
  for (Peer& peer : peers_) {
    // One that was queued before the last cut says nothing new.
    if (peer.address != address || bytes > peer.channel->datagram_bytes()) continue;
    // When the system has no better figure, halving still ends at a length that passes.
    std::size_t shorter = bytes / 2;
    try {
      if (const std::size_t known = socket_.path_bytes(address); known < bytes) shorter = known;
    } catch (const RunError&) {
      // No route, or no descriptor to ask with, just now: that is no end of the link.
    }
    peer.channel->set_datagram_bytes(shorter);
  }
}

void Links::look_for_gap(TimePoint now) {
  if (!looks_.look(now)) return;
  for (Peer& peer : peers_) peer.channel->note_gap(now);
}

void Links::excuse_silence(TimePoint now) {
  for (Peer& peer : peers_) peer.channel->excuse_silence(now);
}

TimePoint Links::deadline() const {
  if (stuck_) return TimePoint::max();
  TimePoint earliest = sharing_.deadline();
  for (const Peer& peer : peers_) earliest = std::min(earliest, peer.channel->deadline());
  return earliest;
}

}  // namespace nasvm::link
