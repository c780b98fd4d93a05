#pragma once
/// \file
/// Channel: a reliable, ordered byte stream in each direction between two daemons, over datagrams that may be
/// lost, doubled, reordered or late.
///
/// Protocol logic alone: no socket, no clock, no authentication. The owner hands in the bodies that arrived and the
/// time, and asks for bodies to send. Both ends start at offset 0 of both streams without a handshake: a machine's
/// secret is made anew for each machine, so nothing of an earlier one can be taken for this one's.
///
/// Sliding window with cumulative and selective acknowledgements (RFC 2018), loss detection by evidence
/// (RFC 9002, section 6.1), tail loss probe and retransmission timeout (RFC 8985, section 7; RFC 6298), congestion
/// window (RFC 5681). docs/link.md tells the whole.
///
/// Memory: the two buffers and at most max_segments small records each way, whatever the peer does. Nothing
/// blocks, throws on bad input from the network, or allocates in steady state. One thread uses a channel.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vm/link/black_hole.hpp"
#include "vm/link/congestion.hpp"
#include "vm/link/receive_window.hpp"
#include "vm/link/rtt_estimator.hpp"
#include "vm/link/send_window.hpp"
#include "vm/link/shared_runs.hpp"
#include "vm/link/shared_wire.hpp"
#include "vm/link/wire.hpp"

namespace nasvm::link {

class Channel {
 public:
  struct Options {
    std::uint16_t local_host = 0;  ///< index of this daemon's host
    std::uint16_t peer_host = 0;
    std::size_t datagram_bytes = 1472;  ///< longest UDP payload for this path, header and tag included
    std::size_t send_buffer_bytes = std::size_t{4} << 20;
    std::size_t receive_buffer_bytes = std::size_t{4} << 20;  ///< below 4 GiB
    std::size_t max_segments = 4096;                          ///< datagrams in flight, and early ranges held
    Duration dead_after = std::chrono::seconds(10);
    Duration keepalive_after = Duration::zero();  ///< ask a silent peer for a sign of life; zero: never
    RttEstimator::Options timing{};
    std::uint64_t first_offset = 0;  ///< where both streams start; the same at both ends
  };

  struct Stats {
    std::uint64_t datagrams_sent = 0;
    std::uint64_t datagrams_received = 0;
    std::uint64_t bytes_sent = 0;             ///< payload, each byte once
    std::uint64_t bytes_retransmitted = 0;    ///< payload sent again
    std::uint64_t bytes_received = 0;         ///< payload of accepted datagrams
    std::uint64_t retransmissions = 0;        ///< datagrams sent again
    std::uint64_t acknowledgements_sent = 0;  ///< without data
    std::uint64_t probes_sent = 0;
    std::uint64_t duplicates = 0;  ///< data that had arrived before
    std::uint64_t refused = 0;     ///< data outside the window
    std::uint64_t malformed = 0;   ///< bodies that no peer of this channel sends
    std::uint64_t losses = 0;      ///< datagrams found lost by evidence
    std::uint64_t timeouts = 0;    ///< tail probes included
    std::uint64_t reductions = 0;  ///< of the congestion window
    std::uint64_t shared = 0;      ///< pieces that left in datagrams for other hosts, too
    std::uint64_t shortened = 0;   ///< times that datagrams became shorter since the path swallowed them
  };

  explicit Channel(const Options& options);

  // --- the stream: out ------------------------------------------------------------------------------------

  /// Copies at most `writable()` bytes into the send buffer and returns how many.
  std::size_t write(std::span<const std::byte> bytes) { return send_.write(bytes); }
  [[nodiscard]] std::size_t writable() const { return send_.writable(); }
  /// Bytes written that have not left once.
  [[nodiscard]] std::size_t unsent() const { return send_.unsent(); }
  /// True when everything written is acknowledged.
  [[nodiscard]] bool idle() const { return send_.idle(); }

  // --- the stream: in -------------------------------------------------------------------------------------

  /// In-order bytes that have arrived, one contiguous piece; more may follow it after `consume`. Valid until then.
  [[nodiscard]] std::span<const std::byte> readable() const { return receive_.readable(); }
  /// Frees the first `bytes` of `readable()`; ask for `next_datagram` afterwards, the peer may wait for the room.
  void consume(std::size_t bytes);

  // --- data that other hosts get as well (vm/link/sharing.hpp, which alone calls these) --------------------

  /// The next `bytes` that are written are those of a block; they do not leave alone until it is released.
  void hold(std::uint64_t block, std::size_t bytes) { runs_.add(block, send_.end(), bytes); }
  void release(std::uint64_t block) { runs_.release(block); }
  /// The place in a held block where this stream is about to go on; nothing when it goes on by itself, or not yet.
  [[nodiscard]] std::optional<SharedPiece> held() const;
  /// May `bytes` that have not left before leave now, in a shared datagram?
  [[nodiscard]] bool may_share(std::size_t bytes) const;
  /// Those bytes have left so; returns where they begin.
  std::uint64_t share(std::size_t bytes, TimePoint now);
  /// Nothing more can be shared until an answer comes.
  [[nodiscard]] bool must_wait() const;
  /// The piece that is about to be sent again, if it has left once, and in a shared datagram.
  [[nodiscard]] std::optional<SharedPiece> missing();
  /// Is this piece missing here as well, to be sent again, and may that leave now?
  [[nodiscard]] bool misses(const SharedPiece& piece) const;
  /// It has left again in a shared datagram; returns where it begins.
  std::uint64_t share_again(const SharedPiece& piece, TimePoint now);
  /// Copies bytes that have been shared.
  void load(std::uint64_t begin, std::span<std::byte> out) const { send_.load(begin, out); }
  /// The peer has heard shared datagrams of this host lately, and none has been lost too often.
  [[nodiscard]] bool is_heard() const { return peer_hears_ && !deaf_until_; }
  /// An authentic shared datagram of the peer has come, perhaps with data of this channel.
  void on_shared(const SharedDatagram& datagram, TimePoint now);
  /// What is due by the clock: timers, losses. Part of `next_datagram`.
  void tick(TimePoint now) { run_timers(now); }

  // --- the network ----------------------------------------------------------------------------------------

  /// Takes an authenticated body (without its tag).
  void on_datagram(std::span<const std::byte> body, TimePoint now);
  /// Writes the next body to send and returns its length; nothing when nothing may be sent now. `out` holds at
  /// least datagram_bytes - tag_bytes. Ask until it returns nothing, once for each batch that has arrived, after
  /// consuming: then one acknowledgement answers the whole batch.
  std::optional<std::size_t> next_datagram(std::span<std::byte> out, TimePoint now);
  /// When to ask for `next_datagram` though nothing arrives; TimePoint::min() when there is something at once,
  /// TimePoint::max() when never.
  [[nodiscard]] TimePoint deadline() const;
  /// The path takes datagrams of another length (UDP payload, header and tag included). The channel finds out by
  /// itself when it swallows those that are too long (vm/link/black_hole.hpp).
  void set_datagram_bytes(std::size_t bytes);
  [[nodiscard]] std::size_t datagram_bytes() const { return options_.datagram_bytes; }

  /// The peer owes an answer and has been silent for dead_after.
  [[nodiscard]] bool dead(TimePoint now) const;
  /// This side has been paused (vm/metrics/pause_watch.hpp): it has not asked, so the peer's silence counts from now.
  void excuse_silence(TimePoint now) { last_heard_ = std::max(last_heard_, now); }
  /// This side has not read its socket for long: what it reads from now on may have waited there, and answers to what
  /// left before do not tell how long the path takes.
  void note_gap(TimePoint now) { reading_since_ = now; }

  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] const RttEstimator& round_trip() const { return round_trip_; }
  [[nodiscard]] std::size_t congestion_window() const { return congestion_.window(); }
  [[nodiscard]] std::size_t in_flight() const { return send_.in_flight(); }

 private:
  /// What data could leave now.
  struct Choice {
    SendWindow::Piece piece;
    bool again;
  };

  [[nodiscard]] static std::size_t datagram_of(std::size_t payload) { return payload + header_bytes + tag_bytes; }
  [[nodiscard]] std::size_t payload_limit() const { return options_.datagram_bytes - tag_bytes - header_bytes; }
  [[nodiscard]] std::size_t peer_room() const { return right_edge_ - send_.next(); }
  [[nodiscard]] bool is_shut_out() const;
  [[nodiscard]] bool credible(const Datagram& datagram) const;
  void take_freshness(const Header& header, TimePoint now);
  void note_life(TimePoint now);
  void take_acknowledgement(const Datagram& datagram, bool fresh, TimePoint now);
  void take_payload(std::uint64_t sequence, std::span<const std::byte> payload, TimePoint now);
  void take_timestamp(std::uint32_t timestamp, TimePoint now);
  void take_echo(std::uint32_t echo, TimePoint now);
  void look_for_losses(TimePoint now);

  void run_timers(TimePoint now);
  void on_timeout(TimePoint now);
  void watch_window(TimePoint now);
  void watch_silence(TimePoint now);
  void watch_hearing(TimePoint now);

  [[nodiscard]] std::optional<Choice> choose_data();
  [[nodiscard]] std::optional<Choice> choose_what_passes(TimePoint now);
  [[nodiscard]] std::size_t new_bytes_allowed() const;
  [[nodiscard]] bool more_may_follow() const;
  std::size_t write_data(const Choice& choice, std::span<std::byte> out, TimePoint now);
  std::size_t write_acknowledgement(std::span<std::byte> out, TimePoint now);
  std::size_t write_probe(std::span<std::byte> out, TimePoint now);
  Header next_header(DatagramType type, TimePoint now);
  void expect_answer(TimePoint now);
  void note_shared(TimePoint now);
  [[nodiscard]] bool hears_shared(TimePoint now) const;

  Options options_;
  SendWindow send_;
  ReceiveWindow receive_;
  RttEstimator round_trip_;
  Congestion congestion_;
  BlackHole black_hole_;
  SharedRuns runs_;
  Stats stats_;

  // Sending.
  std::uint64_t right_edge_;  ///< first offset the peer has no room for
  std::uint64_t next_counter_ = 0;
  TimePoint timer_base_{};   ///< last transmission of data or progress of acknowledgements
  int backoff_ = 0;          ///< timeouts in a row
  bool tail_probe_ = false;  ///< one datagram of data may leave beyond the congestion window
  std::optional<TimePoint> loss_check_{};
  std::optional<TimePoint> window_probe_{};  ///< set while the peer's window is shut for what is next
  int window_probes_ = 0;
  bool probe_now_ = false;
  bool peer_hears_ = false;                ///< as it says
  std::optional<TimePoint> deaf_until_{};  ///< until then it is not believed

  // Receiving.
  bool acknowledge_now_ = false;
  bool asked_ = false;  ///< by a probe, which is answered by nothing longer
  int unacknowledged_datagrams_ = 0;
  TimePoint acknowledge_by_{};
  std::uint64_t advertised_edge_ = 0;
  std::uint64_t fresh_counter_ = 0;         ///< one more than the highest counter heard
  std::uint64_t fresh_shared_counter_ = 0;  ///< of shared ones
  std::uint32_t peer_timestamp_ = 0;
  TimePoint peer_timestamp_at_{};
  bool timestamp_known_ = false;
  std::optional<TimePoint> heard_shared_at_{};
  TimePoint reading_since_{};  ///< without a gap

  // Life of the peer.
  bool answer_expected_ = false;
  TimePoint answer_expected_since_{};
  TimePoint last_heard_{};
  TimePoint keepalive_at_ = TimePoint::max();
};

}  // namespace nasvm::link
