#pragma once
/// \file
/// Sharing: the same bytes for several hosts leave once, by IP multicast, as pieces of each one's stream.
///
/// Dunigan and Hall (PVM and IP Multicast, sections 3.2 and 3.3) put multicast beside PVM's acknowledged packets, and
/// it was slower than single sends: a set-up message went before each multicast, and repetitions had a machinery of
/// their own. Here it is a way for what the channels carry anyhow. A *block* is a run of bytes that stands in several
/// channels' streams. Each channel holds it back until all of them have come to it; then it leaves in shared
/// datagrams (vm/link/shared_wire.hpp), which each channel books as sent. Receivers take them as data of their
/// channel, so order, acknowledgements, bounds and the death of hosts are the channel's. What one does not
/// acknowledge it repairs itself, by unicast; what several miss is repeated once for all of them.
///
/// Nobody waits for long: who lags behind the others for a few round trips leaves the block, which then goes to it
/// alone; also the next ones, until it is abreast again. Only peers that say that they hear are served so; probes
/// find out who does.
///
/// Protocol logic alone: no socket, no clock. Nothing blocks. One thread uses it. docs/link.md tells the whole.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "vm/link/channel.hpp"
#include "vm/link/shared_wire.hpp"

namespace nasvm::link {

class Sharing {
 public:
  struct Stats {
    std::uint64_t sent = 0;      ///< shared datagrams with data, each once for all its hosts
    std::uint64_t copies = 0;    ///< pieces that would have left instead, one for each host
    std::uint64_t repeated = 0;  ///< of those that were sent: for a second time
    std::uint64_t probes = 0;
    std::uint64_t received = 0;
    std::uint64_t malformed = 0;
    std::uint64_t left = 0;  ///< hosts that lagged, and got a block alone

    /// "40 datagrams left for several hosts at once, in place of 120; 2 of them again"; nothing when there were none.
    [[nodiscard]] std::string text() const;
  };

  explicit Sharing(std::uint16_t local_host) : local_host_(local_host) {}

  void add(std::uint16_t host, Channel& channel);
  void remove(std::uint16_t host);
  /// There is a group, whose datagrams have at most `datagram_bytes` (UDP payload, tag included), and carry `label`.
  void start(std::uint32_t label, std::size_t datagram_bytes);
  /// The path to the group takes only datagrams of this length.
  void set_datagram_bytes(std::size_t bytes) { datagram_bytes_ = bytes; }
  [[nodiscard]] std::size_t datagram_bytes() const { return datagram_bytes_; }
  [[nodiscard]] bool started() const { return datagram_bytes_ > 0; }

  // --- what is to be sent ---
  /// A block of `bytes` for these hosts; 0 when not at least two of them hear shared datagrams.
  std::uint64_t open(std::span<const std::uint16_t> hosts, std::size_t bytes);
  /// What is written next to the host's channel is the block; nothing changes where it is to go alone.
  void place(std::uint64_t block, std::uint16_t host);

  // --- the network ---
  /// Writes the next shared body in which the host's channel takes part; nothing when there is none now. `out` holds
  /// datagram_bytes() - tag_bytes.
  std::optional<std::size_t> next_datagram(std::uint16_t host, std::span<std::byte> out, TimePoint now);
  /// A body that asks who hears it, when that is due.
  std::optional<std::size_t> next_probe(std::span<std::byte> out, TimePoint now);
  /// Takes an authenticated body. False: it comes from no known host.
  bool on_datagram(std::span<const std::byte> body, TimePoint now);
  /// When to ask again though nothing arrives; TimePoint::min(): at once, TimePoint::max(): never.
  [[nodiscard]] TimePoint deadline() const;

  [[nodiscard]] const Stats& stats() const { return stats_; }

 private:
  struct Peer {
    std::uint16_t host = 0;
    Channel* channel = nullptr;
    bool lagging = false;  ///< has left a block, and has not been abreast since
  };
  struct Block {
    std::size_t bytes = 0;
    std::size_t position = 0;  ///< what is before it has left
    std::vector<Peer*> members{};
    std::optional<TimePoint> waiting_since{};  ///< some are ready, and others are not
    Duration waited{};                         ///< before that
  };
  using Blocks = std::map<std::uint64_t, Block>;
  /// How a block stands.
  struct View {
    std::size_t ready = 0;
    Duration patience{};  ///< of those that are ready
  };

  [[nodiscard]] std::size_t piece_bytes(const Block& block) const;
  [[nodiscard]] static bool is_ready(const Peer& peer, std::uint64_t id, const Block& block, std::size_t bytes);
  [[nodiscard]] View view(std::uint64_t id, const Block& block) const;
  [[nodiscard]] TimePoint deadline_of(const Peer& peer) const;
  std::optional<std::size_t> advance(Peer& peer, std::span<std::byte> out, TimePoint now);
  std::optional<std::size_t> repeat(Peer& peer, std::span<std::byte> out, TimePoint now);
  std::size_t transmit(Blocks::iterator block, std::span<std::byte> out, TimePoint now);
  bool stop_waiting(Blocks::iterator block, Duration patience, TimePoint now);
  void let_through(std::uint64_t waiting, const Peer& peer);
  bool leave(Blocks::iterator block, std::vector<Peer*>::iterator member);
  bool thin_out(Blocks::iterator block);
  std::size_t write(std::span<const SharedEntry> entries, std::size_t bytes, bool answer_at_once,
                    std::span<std::byte> out, TimePoint now);
  void schedule_probes(TimePoint now);
  [[nodiscard]] bool all_hear() const;

  std::uint16_t local_host_;
  std::uint32_t label_ = 0;
  std::size_t datagram_bytes_ = 0;
  std::unordered_map<std::uint16_t, Peer> peers_;
  Blocks blocks_;
  std::uint64_t next_block_ = 1;
  std::uint64_t next_counter_ = 0;
  std::vector<SharedEntry> entries_;  ///< of the datagram that is being made
  std::vector<Peer*> missing_;        ///< those who miss the piece that is being repeated

  bool used_ = false;  ///< since the last look at the clock
  std::optional<TimePoint> used_at_{};
  TimePoint shared_at_{};
  std::optional<TimePoint> probe_at_{};
  Duration probe_interval_{};
  Stats stats_;
};

}  // namespace nasvm::link
