#include "vm/link/sharing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace nasvm::link {
namespace {

using std::chrono::milliseconds;

/// How long those that are ready wait for the others, all in all for one block.
constexpr int round_trips_of_patience = 3;
constexpr Duration least_patience = milliseconds(2);  ///< a busy host's scheduler takes as long
constexpr Duration most_patience = milliseconds(50);

/// Probes follow each other more and more slowly; while all hear, shared data does as well.
constexpr Duration first_probe_interval = milliseconds(50);
constexpr Duration longest_probe_interval = std::chrono::seconds(2);
/// So long after the last block nobody is probed any more.
constexpr Duration use_lasts = std::chrono::seconds(60);

/// At least half of a datagram of that length is payload.
std::size_t most_members(std::size_t datagram_bytes) {
  return std::min(max_shared_entries, (datagram_bytes - tag_bytes - shared_header_bytes) / 2 / shared_entry_bytes);
}

/// What is left of a datagram behind so much; 0: it is shorter than that.
constexpr std::size_t room_behind(std::size_t overhead, std::size_t datagram_bytes) {
  return datagram_bytes - std::min(datagram_bytes, overhead);
}

}  // namespace

std::string Sharing::Stats::text() const {
  if (sent == 0) return {};
  return fmt::format("{} datagrams left for several hosts at once, in place of {}; {} of them again", sent, copies,
                     repeated);
}

void Sharing::add(std::uint16_t host, Channel& channel) { peers_[host] = {.host = host, .channel = &channel}; }

void Sharing::remove(std::uint16_t host) {
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    const auto current = block++;
    auto& members = current->second.members;
    const auto member = std::ranges::find(members, host, &Peer::host);
    if (member != members.end()) leave(current, member);
  }
  peers_.erase(host);
}

void Sharing::start(std::uint32_t label, std::size_t datagram_bytes) {
  label_ = label;
  datagram_bytes_ = datagram_bytes;
}

// --- blocks -------------------------------------------------------------------------------------------------

std::uint64_t Sharing::open(std::span<const std::uint16_t> hosts, std::size_t bytes) {
  if (!started() || hosts.size() < 2) return 0;
  used_ = true;
  Block block{.bytes = bytes};
  for (const std::uint16_t host : hosts) {
    const auto peer = peers_.find(host);
    if (peer != peers_.end() && peer->second.channel->is_heard()) block.members.push_back(&peer->second);
  }
  const std::size_t most = most_members(datagram_bytes_);
  if (block.members.size() > most) block.members.resize(most);
  if (block.members.size() < 2) return 0;
  blocks_.emplace_hint(blocks_.end(), next_block_, std::move(block));
  return next_block_++;
}

void Sharing::place(std::uint64_t id, std::uint16_t host) {
  const auto block = blocks_.find(id);
  if (block == blocks_.end()) return;
  const auto member = std::ranges::find(block->second.members, host, &Peer::host);
  if (member != block->second.members.end()) (*member)->channel->hold(id, block->second.bytes);
}

/// The rest goes to that member alone. True: to the others as well, the block is no more.
bool Sharing::leave(Blocks::iterator block, std::vector<Peer*>::iterator member) {
  auto& members = block->second.members;
  (*member)->channel->release(block->first);
  members.erase(member);
  if (members.size() >= 2) return false;
  for (const Peer* last : members) last->channel->release(block->first);
  blocks_.erase(block);
  return true;
}

/// Paths may be shorter than the group's, or become so: those with the shortest leave until most_members holds for
/// the rest. True: some have left.
bool Sharing::thin_out(Blocks::iterator block) {
  const auto path_bytes = [](const Peer* peer) { return peer->channel->datagram_bytes(); };
  auto& members = block->second.members;
  for (bool left = false;; left = true) {
    const auto shortest = std::ranges::min_element(members, {}, path_bytes);
    if (members.size() <= most_members(std::min(datagram_bytes_, path_bytes(*shortest)))) return left;
    if (leave(block, shortest)) return true;
  }
}

// --- who is ready -------------------------------------------------------------------------------------------

/// What the next datagram of a block carries: what fits each member's path, alone as well, for repetitions. 0: some
/// have to leave first.
std::size_t Sharing::piece_bytes(const Block& block) const {
  const std::size_t overhead = tag_bytes + shared_overhead_bytes(block.members.size());
  std::size_t bytes = room_behind(overhead, datagram_bytes_);
  for (const Peer* peer : block.members) {
    const std::size_t most_overhead = std::max(overhead, tag_bytes + header_bytes);
    bytes = std::min(bytes, room_behind(most_overhead, peer->channel->datagram_bytes()));
  }
  return std::min(bytes, block.bytes - block.position);
}

bool Sharing::is_ready(const Peer& peer, std::uint64_t id, const Block& block, std::size_t bytes) {
  const auto held = peer.channel->held();
  return held && held->block == id && held->position == block.position && peer.channel->may_share(bytes);
}

Sharing::View Sharing::view(std::uint64_t id, const Block& block) const {
  View view;
  const std::size_t bytes = piece_bytes(block);
  for (const Peer* peer : block.members) {
    if (!is_ready(*peer, id, block, bytes)) continue;
    ++view.ready;
    view.patience = std::max(view.patience, round_trips_of_patience * peer->channel->round_trip().smoothed());
  }
  view.patience = std::clamp(view.patience, least_patience, most_patience);
  return view;
}

/// Some are ready, and others are not. True: some of the latter have left the block.
bool Sharing::stop_waiting(Blocks::iterator block, Duration patience, TimePoint now) {
  auto& [id, about] = *block;
  if (!about.waiting_since) about.waiting_since = now;
  const bool patient = about.waited + (now - *about.waiting_since) < patience;
  const std::size_t bytes = piece_bytes(about);
  bool left = false;
  for (std::size_t i = about.members.size(); i-- > 0;) {
    Peer& peer = *about.members[i];
    if (is_ready(peer, id, about, bytes)) continue;
    if (patient && !peer.lagging) {
      let_through(id, peer);
      continue;
    }
    peer.lagging = left = true;
    ++stats_.left;
    if (leave(block, about.members.begin() + static_cast<std::ptrdiff_t>(i))) return true;
  }
  return left;
}

/// Two blocks can stand in two streams in either order, and wait for each other: the earlier one is served.
void Sharing::let_through(std::uint64_t waiting, const Peer& peer) {
  const auto held = peer.channel->held();
  if (!held || held->block <= waiting) return;
  const auto later = blocks_.find(held->block);
  leave(later, std::ranges::find(later->second.members, peer.host, &Peer::host));
}

// --- what leaves --------------------------------------------------------------------------------------------

std::optional<std::size_t> Sharing::next_datagram(std::uint16_t host, std::span<std::byte> out, TimePoint now) {
  if (!started()) return std::nullopt;
  Peer& peer = peers_.at(host);
  if (const auto again = repeat(peer, out, now)) return again;
  return advance(peer, out, now);
}

std::optional<std::size_t> Sharing::advance(Peer& peer, std::span<std::byte> out, TimePoint now) {
  while (const auto held = peer.channel->held()) {
    const auto block = blocks_.find(held->block);
    assert(block != blocks_.end());
    if (thin_out(block)) continue;  // perhaps this one has left, or the block is no more
    // Who is not ready waits; for others it is those who are that decide.
    if (!is_ready(peer, held->block, block->second, piece_bytes(block->second))) return std::nullopt;
    const View seen = view(held->block, block->second);
    if (seen.ready == block->second.members.size()) return transmit(block, out, now);
    if (!stop_waiting(block, seen.patience, now)) return std::nullopt;
  }
  return std::nullopt;
}

std::size_t Sharing::transmit(Blocks::iterator block, std::span<std::byte> out, TimePoint now) {
  Block& about = block->second;
  const std::size_t bytes = piece_bytes(about);
  if (about.waiting_since) about.waited += now - *about.waiting_since;
  about.waiting_since.reset();
  about.position += bytes;
  bool ask = false;
  entries_.clear();
  for (Peer* peer : about.members) {
    entries_.push_back({peer->host, peer->channel->share(bytes, now)});
    peer->lagging = false;
    ask = ask || peer->channel->must_wait();
  }
  if (about.position == about.bytes) blocks_.erase(block);
  ++stats_.sent;
  stats_.copies += entries_.size();
  return write(entries_, bytes, ask, out, now);
}

/// A piece that several miss leaves again for all of them, once; afterwards each of them gets it alone.
std::optional<std::size_t> Sharing::repeat(Peer& peer, std::span<std::byte> out, TimePoint now) {
  const auto piece = peer.channel->missing();
  if (!piece) return std::nullopt;
  missing_.clear();
  for (auto& [host, some] : peers_) {
    if (some.channel->misses(*piece)) missing_.push_back(&some);
  }
  const std::size_t length = shared_overhead_bytes(missing_.size()) + piece->bytes + tag_bytes;
  if (missing_.size() < 2 || missing_.size() > max_shared_entries || length > datagram_bytes_) return std::nullopt;
  entries_.clear();
  for (const Peer* some : missing_) entries_.push_back({some->host, some->channel->share_again(*piece, now)});
  ++stats_.sent;
  ++stats_.repeated;
  stats_.copies += entries_.size();
  return write(entries_, piece->bytes, true, out, now);
}

/// The payload is the same in all streams.
std::size_t Sharing::write(std::span<const SharedEntry> entries, std::size_t bytes, bool answer_at_once,
                           std::span<std::byte> out, TimePoint now) {
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  const SharedHeader header{.answer_at_once = answer_at_once,
                            .source = local_host_,
                            .label = label_,
                            .counter = next_counter_++,
                            .timestamp = static_cast<std::uint32_t>(microseconds.count())};
  const std::size_t at = encode(header, entries, bytes, out);
  if (entries.empty()) return at;
  peers_.at(entries.front().host).channel->load(entries.front().offset, out.subspan(at, bytes));
  shared_at_ = now;
  return at + bytes;
}

// --- who hears ----------------------------------------------------------------------------------------------

bool Sharing::all_hear() const {
  return std::ranges::all_of(peers_, [](const auto& entry) { return entry.second.channel->is_heard(); });
}

void Sharing::schedule_probes(TimePoint now) {
  if (used_ && !used_at_) {
    probe_at_ = now;
    probe_interval_ = first_probe_interval;
  }
  if (used_) used_at_ = now;
  used_ = false;
  if (!used_at_ || now - *used_at_ <= use_lasts) return;
  used_at_.reset();
  probe_at_.reset();
}

std::optional<std::size_t> Sharing::next_probe(std::span<std::byte> out, TimePoint now) {
  schedule_probes(now);
  if (!probe_at_ || *probe_at_ > now) return std::nullopt;
  const bool heard = all_hear();
  if (heard && now - shared_at_ < longest_probe_interval) {
    probe_at_ = shared_at_ + longest_probe_interval;
    return std::nullopt;
  }
  probe_at_ = now + probe_interval_;
  probe_interval_ = std::min(2 * probe_interval_, longest_probe_interval);
  ++stats_.probes;
  return write({}, 0, !heard, out, now);
}

bool Sharing::on_datagram(std::span<const std::byte> body, TimePoint now) {
  const auto datagram = decode_shared(body, local_host_);
  if (!datagram) {
    ++stats_.malformed;
    return true;
  }
  const auto peer = peers_.find(datagram->header.source);
  if (peer == peers_.end()) return false;
  ++stats_.received;
  peer->second.channel->on_shared(*datagram, now);
  return true;
}

TimePoint Sharing::deadline_of(const Peer& peer) const {
  const auto held = peer.channel->held();
  if (!held) return TimePoint::max();
  const Block& block = blocks_.at(held->block);
  if (!is_ready(peer, held->block, block, piece_bytes(block))) return TimePoint::max();
  const View seen = view(held->block, block);
  if (seen.ready == block.members.size() || !block.waiting_since) return TimePoint::min();
  return *block.waiting_since + seen.patience - block.waited;
}

TimePoint Sharing::deadline() const {
  if (!started()) return TimePoint::max();
  if (used_) return TimePoint::min();
  TimePoint earliest = probe_at_.value_or(TimePoint::max());
  for (const auto& [host, peer] : peers_) earliest = std::min(earliest, deadline_of(peer));
  return earliest;
}

}  // namespace nasvm::link
