#include "vm/link/channel.hpp"

#include <algorithm>
#include <stdexcept>

namespace nasvm::link {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// What a sender may send before it has heard the peer's window.
constexpr std::size_t assumed_window = std::size_t{256} << 10;
/// A shut window is asked after at least this often, so that a lost window update costs little.
constexpr Duration max_window_probe_interval = milliseconds(200);
/// A peer that has been silent for long is asked so often: a question or its answer may be lost, and at 30 % loss of
/// both it takes 30 in a row, for as long as a peer has (docs/link.md), to come to no more than a few in 10^9.
constexpr Duration ask_again_after = milliseconds(200);
/// Timestamps held longer than this tell nothing about the path, and echoing them could wrap.
constexpr Duration max_echo_hold = std::chrono::seconds(10);
/// Two clocks may differ by so much over the time that a timestamp is held.
constexpr Duration most_clock_difference = milliseconds(100);
constexpr int datagrams_per_acknowledgement = 2;
/// Datagrams that wait longer than this for others in the path's queues are too many: all else waits there, too. Far
/// above what a busy host's scheduler takes.
constexpr Duration longest_queueing = milliseconds(200);
/// For paths whose queues were long from the beginning. No network that tasks share takes as long by itself.
constexpr Duration longest_round_trip = milliseconds(500);

std::uint32_t timestamp_of(TimePoint now) {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<microseconds>(now.time_since_epoch()).count());
}

const Channel::Options& checked(const Channel::Options& options) {
  if (options.datagram_bytes < min_datagram_bytes || options.datagram_bytes > max_datagram_bytes) {
    throw std::invalid_argument("a link's datagrams have 200 to 65507 bytes");
  }
  if (options.receive_buffer_bytes > UINT32_MAX) throw std::invalid_argument("a link's window stays below 4 GiB");
  if (options.max_segments == 0) throw std::invalid_argument("a link needs at least one segment");
  return options;
}

}  // namespace

Channel::Channel(const Options& options)
    : options_(checked(options)),
      send_(options.send_buffer_bytes, options.first_offset, options.max_segments),
      receive_(options.receive_buffer_bytes, options.first_offset, options.max_segments),
      round_trip_(options.timing),
      congestion_({.max_bytes = options.send_buffer_bytes}, options.datagram_bytes),
      black_hole_(options.datagram_bytes),
      right_edge_(options.first_offset + std::min(assumed_window, options.receive_buffer_bytes)),
      advertised_edge_(receive_.right_edge()) {}

void Channel::consume(std::size_t bytes) {
  receive_.consume(bytes);
  // Small steps are left to the next acknowledgement, so that the peer is not offered crumbs.
  if (receive_.right_edge() - advertised_edge_ >= std::max<std::size_t>(receive_.capacity() / 4, 1)) {
    acknowledge_now_ = true;
  }
}

void Channel::on_datagram(std::span<const std::byte> body, TimePoint now) {
  const auto datagram = decode(body);
  if (!datagram || !credible(*datagram)) {
    ++stats_.malformed;
    return;
  }
  ++stats_.datagrams_received;
  const bool fresh = datagram->header.counter >= fresh_counter_;
  if (fresh) take_freshness(datagram->header, now);
  take_acknowledgement(*datagram, fresh, now);
  if (datagram->header.type == DatagramType::data) take_payload(datagram->header.sequence, datagram->payload, now);
  if (datagram->header.answer_at_once) acknowledge_now_ = true;
  if (datagram->header.type == DatagramType::probe) asked_ = true;
  if (fresh) note_life(now);
}

/// Of a datagram that came for the first time: one that anybody sends again is no sign of life.
void Channel::note_life(TimePoint now) {
  last_heard_ = now;
  answer_expected_ = send_.outstanding();
}

std::optional<std::size_t> Channel::next_datagram(std::span<std::byte> out, TimePoint now) {
  if (out.size() < options_.datagram_bytes - tag_bytes) throw std::invalid_argument("no room for a whole datagram");
  run_timers(now);
  const bool due = acknowledge_now_ || (unacknowledged_datagrams_ > 0 && acknowledge_by_ <= now);
  // Data carries the cumulative acknowledgement, but has no room for ranges, and may be longer than what arrives.
  if (due && (receive_.has_gaps() || asked_)) return write_acknowledgement(out, now);
  if (const auto choice = choose_what_passes(now)) return write_data(*choice, out, now);
  if (due) return write_acknowledgement(out, now);
  if (probe_now_) return write_probe(out, now);
  return std::nullopt;
}

TimePoint Channel::deadline() const {
  if (acknowledge_now_ || probe_now_ || more_may_follow()) return TimePoint::min();
  TimePoint earliest = keepalive_at_;
  if (unacknowledged_datagrams_ > 0) earliest = std::min(earliest, acknowledge_by_);
  if (send_.in_flight() > 0) earliest = std::min(earliest, timer_base_ + round_trip_.timeout(backoff_));
  if (loss_check_) earliest = std::min(earliest, *loss_check_);
  if (window_probe_) earliest = std::min(earliest, *window_probe_);
  return earliest;
}

void Channel::set_datagram_bytes(std::size_t bytes) {
  bytes = std::clamp(bytes, min_datagram_bytes, max_datagram_bytes);
  const bool shorter = bytes < options_.datagram_bytes;
  options_.datagram_bytes = bytes;
  congestion_.set_datagram_bytes(bytes);
  black_hole_.set_datagram_bytes(bytes);
  if (shorter) send_.recut(payload_limit());
}

bool Channel::dead(TimePoint now) const {
  return answer_expected_ && now - std::max(last_heard_, answer_expected_since_) > options_.dead_after;
}

// --- what arrives -------------------------------------------------------------------------------------------

// Authentication proves that a daemon of this machine sent it; this, that it makes sense here.
bool Channel::credible(const Datagram& datagram) const {
  const Header& header = datagram.header;
  if (header.source != options_.peer_host || header.destination != options_.local_host) return false;
  if (header.acknowledged < options_.first_offset || header.acknowledged > send_.next()) return false;
  if (header.sequence < options_.first_offset) return false;
  const std::span<const Range> ranges(datagram.ranges.data(), datagram.range_count);
  return std::all_of(ranges.begin(), ranges.end(), [&](const Range& range) { return range.end <= send_.next(); });
}

void Channel::take_freshness(const Header& header, TimePoint now) {
  fresh_counter_ = header.counter + 1;
  peer_hears_ = header.hears_shared;
  take_timestamp(header.timestamp, now);
}

// Shared datagrams are counted apart from the others, so the later one of two is the one with the later timestamp.
void Channel::take_timestamp(std::uint32_t timestamp, TimePoint now) {
  const bool comparable = timestamp_known_ && now - peer_timestamp_at_ <= max_echo_hold;
  if (comparable && static_cast<std::int32_t>(timestamp - peer_timestamp_) < 0) return;
  timestamp_known_ = true;
  peer_timestamp_ = timestamp;
  peer_timestamp_at_ = now;
}

void Channel::take_acknowledgement(const Datagram& datagram, bool fresh, TimePoint now) {
  const Header& header = datagram.header;
  // A window once offered is never taken back, so the furthest edge ever heard holds, even from a late datagram.
  right_edge_ = std::max(right_edge_, header.acknowledged + header.window);
  const std::size_t in_flight_before = send_.in_flight();
  const std::size_t news = send_.acknowledge(header.acknowledged, {datagram.ranges.data(), datagram.range_count}, now,
                                             round_trip_.minimum());
  runs_.forget_before(send_.acknowledged());  // that may have moved without news: over what has come by ranges
  // What only answers has been provoked, but for news of room; data and questions come from a peer that hears
  // nothing, too.
  if (fresh && (news > 0 || header.type == DatagramType::acknowledgement)) black_hole_.answered(now);
  black_hole_.arrived(datagram_of(send_.longest_arrived()));
  // Timeouts of a path that is not known are long, so the first sample need not wait for news.
  if (fresh && header.echo_valid && (news > 0 || !round_trip_.known())) take_echo(header.echo, now);
  if (news == 0) return;
  if (round_trip_.queueing() > longest_queueing || round_trip_.smoothed() > longest_round_trip)
    congestion_.on_acknowledged_late(news);
  else congestion_.on_acknowledged(news, in_flight_before);
  backoff_ = 0;
  tail_probe_ = false;
  timer_base_ = now;
  look_for_losses(now);
}

// What is older than the last gap may have waited here. A negative sample is one so long that timestamps have
// wrapped.
void Channel::take_echo(std::uint32_t echo, TimePoint now) {
  const microseconds sample(static_cast<std::int32_t>(timestamp_of(now) - echo));
  if (sample > now - reading_since_ + most_clock_difference || sample < -most_clock_difference) return;
  round_trip_.add(std::max(sample, microseconds(0)));
}

void Channel::take_payload(std::uint64_t sequence, std::span<const std::byte> payload, TimePoint now) {
  if (unacknowledged_datagrams_++ == 0) acknowledge_by_ = now + options_.timing.max_ack_delay;
  if (unacknowledged_datagrams_ >= datagrams_per_acknowledgement || receive_.has_gaps()) acknowledge_now_ = true;
  switch (receive_.accept(sequence, payload)) {
    case ReceiveWindow::Verdict::advanced:
      stats_.bytes_received += payload.size();
      return;
    case ReceiveWindow::Verdict::held:
      stats_.bytes_received += payload.size();
      break;
    case ReceiveWindow::Verdict::duplicate:
      ++stats_.duplicates;
      break;
    case ReceiveWindow::Verdict::refused:
      ++stats_.refused;
      break;
  }
  acknowledge_now_ = true;  // the peer's picture differs from ours
}

void Channel::look_for_losses(TimePoint now) {
  const auto losses = send_.find_losses(now, round_trip_.loss_threshold());
  loss_check_ = losses.next_check;
  if (losses.segments == 0) return;
  stats_.losses += losses.segments;
  if (congestion_.on_loss(losses.latest_order, send_.next_order())) ++stats_.reductions;
}

// --- timers -------------------------------------------------------------------------------------------------

void Channel::run_timers(TimePoint now) {
  if (loss_check_ && *loss_check_ <= now) look_for_losses(now);
  if (send_.in_flight() > 0 && timer_base_ + round_trip_.timeout(backoff_) <= now) on_timeout(now);
  watch_window(now);
  watch_silence(now);
  watch_hearing(now);
}

// The first timeout sends one datagram to provoke evidence; only a second one in a row takes all for lost.
void Channel::on_timeout(TimePoint now) {
  ++stats_.timeouts;
  if (backoff_++ == 0) {
    tail_probe_ = true;
  } else {
    send_.lose_all();
    congestion_.on_timeout(send_.next_order());
  }
  // Is it silence, or does the path swallow what is long? A short question tells.
  if (const auto oldest = send_.oldest_missing(); oldest && black_hole_.is_long(datagram_of(oldest->bytes))) {
    probe_now_ = true;
  }
  timer_base_ = now;
}

/// Is there no room for what is next? What is held leaves in whole pieces only.
bool Channel::is_shut_out() const {
  if (send_.unsent() == 0) return false;
  if (peer_room() == 0) return true;
  const SharedRuns::Run* run = runs_.held_from(send_.next());
  if (run == nullptr || run->begin > send_.next()) return false;
  return peer_room() < std::min<std::uint64_t>({run->end() - send_.next(), send_.unsent(), payload_limit()});
}

// While data waits before a shut window and nothing is on its way, only a probe can learn that it opened.
void Channel::watch_window(TimePoint now) {
  if (!is_shut_out() || send_.outstanding()) {
    window_probe_.reset();
    window_probes_ = 0;
    return;
  }
  if (window_probe_ && *window_probe_ <= now) {
    probe_now_ = true;
    ++window_probes_;
    window_probe_.reset();
  }
  if (!window_probe_) {
    window_probe_ = now + std::min(round_trip_.timeout(std::min(window_probes_, 16)), max_window_probe_interval);
  }
}

void Channel::watch_silence(TimePoint now) {
  if (options_.keepalive_after == Duration::zero()) return;
  if (keepalive_at_ == TimePoint::max()) last_heard_ = std::max(last_heard_, now);
  else if (keepalive_at_ <= now && last_heard_ + options_.keepalive_after <= now) probe_now_ = true;
  if (keepalive_at_ == TimePoint::max() || keepalive_at_ <= now) {
    const TimePoint from_sign = last_heard_ + options_.keepalive_after;
    keepalive_at_ = from_sign > now ? from_sign : now + std::min(options_.keepalive_after, ask_again_after);
  }
}

// --- what leaves --------------------------------------------------------------------------------------------

std::size_t Channel::new_bytes_allowed() const {
  std::size_t wanted = std::min(send_.unsent(), payload_limit());
  if (const SharedRuns::Run* run = runs_.held_from(send_.next())) {
    wanted = std::min<std::uint64_t>(wanted, run->begin - std::min(run->begin, send_.next()));
  }
  const std::size_t bytes = std::min(wanted, peer_room());
  // A piece that the window would truncate waits for more room, unless nothing is on its way that could bring it.
  const bool truncated = bytes < wanted && send_.outstanding();
  return truncated || send_.full() ? 0 : bytes;
}

std::optional<Channel::Choice> Channel::choose_data() {
  std::optional<Choice> choice;
  if (const auto lost = send_.first_lost()) choice = Choice{*lost, true};
  else if (const std::size_t bytes = new_bytes_allowed(); bytes > 0) choice = Choice{{send_.next(), bytes}, false};
  else if (tail_probe_) {
    if (const auto oldest = send_.oldest_missing()) choice = Choice{*oldest, true};
  }
  if (choice && !tail_probe_ && !congestion_.allows(send_.in_flight(), choice->piece.bytes)) return std::nullopt;
  return choice;
}

/// The same; what the path swallows is cut first.
std::optional<Channel::Choice> Channel::choose_what_passes(TimePoint now) {
  const auto choice = choose_data();
  if (!choice || !choice->again) return choice;
  if (!black_hole_.swallows(datagram_of(choice->piece.bytes), now, round_trip_.timeout(0))) return choice;
  ++stats_.shortened;
  backoff_ = 0;  // that was no silence
  set_datagram_bytes(*black_hole_.shorter());
  return choose_data();
}

bool Channel::more_may_follow() const {
  if (tail_probe_ && send_.outstanding()) return true;
  const std::size_t bytes = send_.any_lost() ? payload_limit() : new_bytes_allowed();
  return bytes > 0 && congestion_.allows(send_.in_flight(), bytes);
}

std::size_t Channel::write_data(const Choice& choice, std::span<std::byte> out, TimePoint now) {
  const auto [begin, bytes] = choice.piece;
  if (choice.again) {
    send_.transmit_again(begin, now);
    ++stats_.retransmissions;
    stats_.bytes_retransmitted += bytes;
  } else {
    send_.transmit_new(bytes, now);
    stats_.bytes_sent += bytes;
  }
  black_hole_.sent(datagram_of(bytes), now);
  tail_probe_ = false;
  timer_base_ = now;
  expect_answer(now);
  Header header = next_header(DatagramType::data, now);
  header.sequence = begin;
  // The last before a halt asks for an answer; the last that there is does not, it can wait for company.
  header.answer_at_once = choice.again || (send_.unsent() > 0 && !more_may_follow());
  const std::size_t at = encode(header, {}, bytes, out);
  send_.load(begin, out.subspan(at, bytes));
  return at + bytes;
}

std::size_t Channel::write_acknowledgement(std::span<std::byte> out, TimePoint now) {
  std::array<Range, max_ranges> ranges;
  const std::size_t count = receive_.report(ranges);
  ++stats_.acknowledgements_sent;
  return encode(next_header(DatagramType::acknowledgement, now), {ranges.data(), count}, 0, out);
}

std::size_t Channel::write_probe(std::span<std::byte> out, TimePoint now) {
  probe_now_ = false;
  ++stats_.probes_sent;
  expect_answer(now);
  Header header = next_header(DatagramType::probe, now);
  header.answer_at_once = true;
  return encode(header, {}, 0, out);
}

// Every datagram acknowledges, so this also settles what was owed; gaps are reported before data is written.
Header Channel::next_header(DatagramType type, TimePoint now) {
  acknowledge_now_ = false;
  asked_ = false;
  unacknowledged_datagrams_ = 0;
  advertised_edge_ = receive_.right_edge();
  ++stats_.datagrams_sent;
  const Duration held = now - peer_timestamp_at_;
  return {
      .type = type,
      .echo_valid = timestamp_known_ && held <= max_echo_hold,
      .hears_shared = hears_shared(now),
      .source = options_.local_host,
      .destination = options_.peer_host,
      .counter = next_counter_++,
      .sequence = send_.next(),
      .acknowledged = receive_.next(),
      .window = static_cast<std::uint32_t>(receive_.right_edge() - receive_.next()),
      .timestamp = timestamp_of(now),
      .echo = peer_timestamp_ + static_cast<std::uint32_t>(std::chrono::duration_cast<microseconds>(held).count())};
}

void Channel::expect_answer(TimePoint now) {
  if (answer_expected_) return;
  answer_expected_ = true;
  answer_expected_since_ = now;
}

}  // namespace nasvm::link
