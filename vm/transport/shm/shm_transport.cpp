#include "vm/transport/shm/shm_transport.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "vm/machine_topology.hpp"
#include "vm/status.hpp"
#include "vm/streaming_copy.hpp"
#include "vm/transport/memory_path.hpp"
#include "vm/transport/shm/doorbell.hpp"
#include "vm/transport/shm/long_messages.hpp"
#include "vm/transport/shm/peer_memory.hpp"
#include "vm/transport/shm/segment.hpp"
#include "vm/transport/shm/shared_piece.hpp"

namespace nasvm {
namespace {

using namespace shm;

/// What the machine suggests; what the user has set holds in its place.
LongMessageChoice choice_for(const TransportContext& context) {
  const Cores cores = context.crowded ? Cores::shared : Cores::own;
  LongMessageChoice choice = choose_long_messages(copy_rates_in_environment(), cores);
  const auto tasks = static_cast<std::size_t>(context.size);
  choice.ring_bytes =
      std::bit_floor(value_of(context.parameters, "ring", std::min(default_ring_bytes(tasks), choice.ring_bytes)));
  choice.announce_from = value_of(context.parameters, "pull", choice.announce_from);
  if (choice.announce_from == 0) choice.announce_from = LongMessageChoice::never;
  if (context.parameters.contains("pull")) choice.fetch_from = 0;
  return choice;
}

/// Unless the user forbids to fetch.
LongMessages chosen_way(const TransportContext& context) {
  return value_of(context.parameters, "pull", 1) != 0 ? LongMessages::fetched : LongMessages::through_ring;
}

class ShmTransport final : public Transport, public MemoryPath, private net::Watcher {
 public:
  explicit ShmTransport(const TransportContext& context)
      : context_(context),
        handler_(*context.handler),
        rank_(static_cast<std::size_t>(context.rank)),
        choice_(choice_for(context)) {
    try {
      allow_readers(context.daemons_on_computer);
      bell_.emplace();
      own_.emplace(static_cast<std::size_t>(context.size), choice_.ring_bytes, bell_->fd(), chosen_way(context));
    } catch (const RunError& error) {
      own_.reset();
      problem_ = error.what();
    }
  }

  ~ShmTransport() override {
    if (peers_.empty() || !own_) return;
    context_.poller->remove(bell_->fd(), *this);
    own_->header().departed.store(1, std::memory_order_seq_cst);
    find_users();
    for (const std::size_t rank : active_) {
      try {
        if (own_->take_waiting(rank)) wake(peers_[rank]);
      } catch (const RunError&) {
        // There is no descriptor for it, and nobody here to be told: it hears of this end from its daemon.
      }
    }
  }

  std::string_view name() const override { return "shm"; }
  std::string descriptor() const override { return own_ ? own_->descriptor() : std::string(); }
  /// By the ring that the peer keeps for us.
  std::size_t max_payload(Rank peer) const override {
    return segment_of(peers_[static_cast<std::size_t>(peer)]).max_payload();
  }
  std::size_t usual_payload(Rank peer, std::uint64_t message_bytes) const override {
    return context_.crowded ? max_payload(peer) : std::min(max_payload(peer), usual_piece(message_bytes));
  }
  MemoryPath* memory_path() override { return this; }
  void expect_departures() override { departing_ = true; }
  void forget(Tid task, bool /*clean*/) override {
    const auto peer = std::ranges::find(peers_, task, &Peer::tid);
    if (peer == peers_.end()) return;
    peer->gone = true;
    (void)flush(*peer);
  }

  void meet(const std::vector<Member>& members) override {
    if (!own_) return;
    peers_.resize(members.size());
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      const auto found = members[rank].descriptors.find(name());
      if (found != members[rank].descriptors.end()) peers_[rank].descriptor = found->second;
      peers_[rank].tid = members[rank].tid;
      peers_[rank].in = own_->reader(rank);
    }
    context_.poller->add(bell_->fd(), EPOLLIN, *this);
  }

  std::string why_not(Rank peer) const override {
    if (!own_) return problem_;
    Peer& entry = peers_[static_cast<std::size_t>(peer)];
    if (static_cast<std::size_t>(peer) == rank_) return {};
    if (entry.descriptor.empty()) return "the peer has no shared memory";
    try {
      (void)segment_of(entry);
      return {};
    } catch (const RunError& error) {
      return error.what();
    }
  }

  bool has_left(Rank peer) const override {
    return own_ && owner_has_left(peers_[static_cast<std::size_t>(peer)].descriptor);
  }

  std::size_t pull_from(Rank peer) const override {
    if (static_cast<std::size_t>(peer) == rank_) return never;
    const PeerSegment& segment = segment_of(peers_[static_cast<std::size_t>(peer)]);
    return segment.can_pull() && segment.preference() == LongMessages::fetched ? choice_.announce_from : never;
  }

  bool pull(Rank peer, std::uint64_t address, std::span<std::byte> into, Exchange exchange) override {
    PeerSegment& segment = segment_of(peers_[static_cast<std::size_t>(peer)]);
    const bool had_better_send = exchange == Exchange::one_way && is_at_hand(segment.header());
    if (had_better_send && into.size() < choice_.fetch_from) return false;
    const std::atomic<std::uint32_t>& moving = segment.header().moving;
    if (moving.load(std::memory_order_relaxed) != 0) return false;
    if (const std::byte* here = segment.find_on_board(address, into.size()); here != nullptr) {
      // What many read at the same time leaves the caches soon, wherever it is written.
      copy_past_cache_from(choice_.stream_from, into.data(), here, into.size());
    } else if (!read_memory(segment.pid(), address, into)) {
      return false;
    }
    // Looked at after the copy: the peer says it before its memory may change.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return moving.load(std::memory_order_relaxed) == 0;
  }

  void begin_moving() override {
    if (!own_) return;
    own_->header().moving.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void end_moving() override {
    if (own_) own_->header().moving.fetch_sub(1, std::memory_order_release);
  }

  std::span<std::byte> board(std::size_t bytes, int readers) override {
    return own_ && board_pays(bytes, readers, cores_) ? own_->board(bytes) : std::span<std::byte>();
  }

  std::unique_ptr<SharedMemory> create_memory(std::size_t bytes) override {
    return create_shared_piece(bytes, choice_.stream_from);
  }
  std::unique_ptr<SharedMemory> map_memory(Rank creator, std::int64_t number, std::size_t bytes) override {
    return map_shared_piece(segment_of(peers_[static_cast<std::size_t>(creator)]), number, bytes,
                            choice_.stream_from);
  }
  void wake(Rank peer) override { wake(peers_[static_cast<std::size_t>(peer)]); }

  void begin_waiting() override {
    if (own_) own_->header().waiting.store(1, std::memory_order_relaxed);
  }
  void end_waiting() override {
    if (own_) own_->header().waiting.store(0, std::memory_order_relaxed);
  }

  bool send_now(Rank peer, const Envelope& envelope, const std::byte* payload) override {
    Peer& entry = peers_[static_cast<std::size_t>(peer)];
    if (!entry.out || !entry.queue.empty()) return false;
    if (envelope.payload_bytes > ShortRecord::most_bytes &&
        envelope.payload_bytes > usual_payload(peer, envelope.message_bytes)) {
      return false;
    }
    if (!entry.out->try_put(envelope, payload)) return false;
    wake(entry);
    return true;
  }

  bool is_awake(Rank peer) const override {
    const Peer& entry = peers_[static_cast<std::size_t>(peer)];
    return entry.out && entry.segment->header().asleep.load(std::memory_order_relaxed) == 0;
  }

  void send(Rank peer, net::Packet& packet) override {
    Peer& entry = peers_[static_cast<std::size_t>(peer)];
    if (!entry.out) open(entry);
    const bool idle = entry.queue.empty();
    entry.queue.push(packet);
    // When others wait already there is no room; when a packet's own packet_sent sends the next, flush goes on.
    if (idle && !entry.flushing) (void)flush(entry);
  }

  bool poll(Rank awaited) override {
    return awaited == any_source ? poll_all() : poll_peer(peers_[static_cast<std::size_t>(awaited)]);
  }

  bool before_sleep() override {
    if (peers_.empty()) return true;
    own_->header().asleep.store(1, std::memory_order_seq_cst);
    for (const std::size_t rank : active_) {
      if (!peers_[rank].queue.empty()) peers_[rank].out->announce_waiting();
    }
    if (!poll_all()) return true;
    (void)after_sleep();
    return false;
  }

  Ring after_sleep() override {
    if (peers_.empty()) return {};
    own_->header().asleep.store(0, std::memory_order_relaxed);
    return {own_->header().rung.exchange(0, std::memory_order_relaxed),
            own_->header().rung_from.load(std::memory_order_relaxed)};
  }

 private:
  struct Peer {
    Tid tid;
    std::string descriptor;
    std::unique_ptr<PeerSegment> segment;
    std::optional<RingWriter> out;
    RingReader in;
    net::PacketQueue queue;  ///< what the ring has no room for
    bool flushing = false;
    bool gone = false;    ///< it has ended, as the machine says
    bool active = false;  ///< listed in active_
    std::unique_ptr<BellRope> rope;
  };

  /// Does that task wait, awake, for a message of its own to leave? Then it writes into the ring what we take out of
  /// it, at the same time. Else the message would have to wait until it calls Comm again.
  static bool is_at_hand(const SegmentHeader& header) {
    return header.waiting.load(std::memory_order_relaxed) != 0 && header.asleep.load(std::memory_order_relaxed) == 0;
  }

  /// The peer's segment, opened on first use. Throws RunError when that fails.
  PeerSegment& segment_of(Peer& peer) const {
    if (!peer.segment) peer.segment = std::make_unique<PeerSegment>(peer.descriptor, rank_);
    return *peer.segment;
  }

  /// First use of the ring to a peer.
  void open(Peer& peer) {
    peer.out = segment_of(peer).writer(choice_.stream_from);
    note_active(static_cast<std::size_t>(&peer - peers_.data()));
  }

  void note_active(std::size_t rank) {
    if (std::exchange(peers_[rank].active, true)) return;
    active_.push_back(rank);
  }

  /// Wakes a peer that sleeps: after everything that it is to see then.
  void wake(Peer& peer) {
    if (!peer.segment && !find_sleeper(peer)) return;
    auto& asleep = peer.segment->header().asleep;
    if (asleep.load(std::memory_order_seq_cst) == 0) return;
    // May throw: the next packet finds the peer asleep, and wakes it.
    if (!peer.rope) peer.rope = std::make_unique<BellRope>(peer.segment->open_bell());
    if (asleep.exchange(0, std::memory_order_seq_cst) == 0) return;
    peer.segment->header().rung_from.store(::sched_getcpu(), std::memory_order_relaxed);
    peer.segment->header().rung.store(ticks_now(), std::memory_order_relaxed);
    peer.rope->ring();
  }

  /// Opens the segment of one that has sent, and has not been sent anything. False: it has ended, and nobody is to be
  /// woken. Throws RunError when it is there and cannot be opened.
  [[gnu::cold]] bool find_sleeper(Peer& peer) const {
    try {
      peer.segment = std::make_unique<PeerSegment>(peer.descriptor, rank_);
      return true;
    } catch (const RunError&) {
      if (!peer.gone && !owner_has_left(peer.descriptor)) throw;
      return false;
    }
  }

  /// Sends what waits for a peer, as far as there is room. True when something went.
  bool flush(Peer& peer) {
    bool moved = false;
    peer.flushing = true;
    try {
      while (!peer.queue.empty()) {
        net::Packet& packet = *peer.queue.front();
        if (!peer.out->try_put(packet.envelope, packet.payload) && !is_departed(peer)) break;
        moved = true;
        (void)peer.queue.pop();
        handler_.packet_sent(packet);
      }
    } catch (...) {
      peer.flushing = false;
      if (moved) wake(peer);
      throw;
    }
    peer.flushing = false;
    if (moved) wake(peer);
    return moved;
  }

  /// Has the peer left? Then what waits for it is wanted by nobody.
  bool is_departed(Peer& peer) const {
    if (peer.gone) return true;
    return departing_ && peer.segment->header().departed.load(std::memory_order_seq_cst) != 0;
  }

  /// One packet, and what waits. Taken one at a time, so that whoever waits for it goes on at once.
  bool poll_peer(Peer& peer) {
    const bool flushed = !peer.queue.empty() && flush(peer);
    const RingReader::Packet packet = peer.in.front();
    if (!packet) return flushed;
    try {
      handler_.take_packet(*packet.envelope, packet.payload);
    } catch (...) {
      give_back(peer);  // it does not come again
      throw;
    }
    if (peer.in.pop()) wake(peer);
    return true;
  }
  /// As poll_peer does, for where nobody is in a hurry.
  [[gnu::cold]] void give_back(Peer& peer) {
    if (peer.in.pop()) wake(peer);
  }

  bool poll_all() {
    if (peers_.empty()) return false;
    if (own_->header().users.load(std::memory_order_seq_cst) != users_) find_users();
    bool moved = false;
    for (std::size_t i = 0; i < active_.size(); ++i) moved = poll_peer(peers_[active_[i]]) || moved;
    return moved;
  }

  void find_users() {
    users_ = own_->header().users.load(std::memory_order_seq_cst);
    for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
      if (own_->in_use(rank)) note_active(rank);
    }
  }

  void ready(std::uint32_t) override {
    bell_->silence();
    (void)poll_all();
  }

  TransportContext context_;
  net::PacketHandler& handler_;
  std::size_t rank_;
  LongMessageChoice choice_;
  int cores_ = usable_cores();
  std::optional<Doorbell> bell_;
  std::optional<Segment> own_;
  std::string problem_;              ///< why there is no segment
  mutable std::vector<Peer> peers_;  ///< by rank; their segments are opened when they are first asked for
  std::vector<std::size_t> active_;  ///< ranks that we exchange packets with
  std::uint32_t users_ = 0;          ///< of our segment, as far as they are in active_
  bool departing_ = false;
};

}  // namespace

std::unique_ptr<Transport> make_shm_transport(const TransportContext& context) {
  return std::make_unique<ShmTransport>(context);
}

}  // namespace nasvm
