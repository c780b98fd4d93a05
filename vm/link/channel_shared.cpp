#include <algorithm>

#include "vm/link/channel.hpp"

// What a channel shares with others: the rest of it is in channel.cpp.

namespace nasvm::link {
namespace {

/// "Lately", when a host says that it hears shared datagrams: longer than the time between probes (sharing.cpp).
constexpr Duration hearing_lasts = std::chrono::seconds(5);
/// Whose shared datagrams are lost so often in a row does not hear them any more, whatever it has said last.
constexpr int most_shared_losses = 16;

}  // namespace

std::optional<SharedPiece> Channel::held() const {
  const SharedRuns::Run* run = runs_.held_from(send_.next());
  if (run == nullptr || run->begin > send_.next()) return std::nullopt;
  return SharedPiece{run->block, send_.next() - run->begin, 0};
}

bool Channel::may_share(std::size_t bytes) const {
  if (send_.unsent() < bytes || peer_room() < bytes || send_.full() || send_.any_lost()) return false;
  return bytes <= payload_limit() && send_.next() < shared_offset_limit &&
         congestion_.allows(send_.in_flight(), bytes);
}

std::uint64_t Channel::share(std::size_t bytes, TimePoint now) {
  const std::uint64_t begin = send_.transmit_new(bytes, now, SendWindow::Way::shared).begin;
  stats_.bytes_sent += bytes;
  note_shared(now);
  return begin;
}

bool Channel::must_wait() const {
  return send_.unsent() > 0 && !may_share(std::min(send_.unsent(), payload_limit()));
}

std::optional<SharedPiece> Channel::missing() {
  auto piece = send_.first_lost();
  if (!piece && tail_probe_) piece = send_.oldest_missing();
  if (!piece || !send_.shared_once(piece->begin)) return std::nullopt;
  const SharedRuns::Run* run = runs_.at(piece->begin);
  if (run == nullptr) return std::nullopt;
  const SharedPiece shared{run->block, piece->begin - run->begin, piece->bytes};
  return misses(shared) ? std::optional(shared) : std::nullopt;
}

bool Channel::misses(const SharedPiece& piece) const {
  if (!send_.any_lost() && !tail_probe_) return false;
  const SharedRuns::Run* run = runs_.find(piece.block);
  if (run == nullptr) return false;
  const std::uint64_t begin = run->begin + piece.position;
  const auto here = send_.shared_once(begin);
  if (!here || here->bytes != piece.bytes || piece.bytes > payload_limit()) return false;
  return tail_probe_ || (send_.is_lost(begin) && congestion_.allows(send_.in_flight(), piece.bytes));
}

std::uint64_t Channel::share_again(const SharedPiece& piece, TimePoint now) {
  const std::uint64_t begin = runs_.find(piece.block)->begin + piece.position;
  send_.transmit_again(begin, now);
  ++stats_.retransmissions;
  stats_.bytes_retransmitted += piece.bytes;
  note_shared(now);
  return begin;
}

void Channel::note_shared(TimePoint now) {
  ++stats_.shared;
  tail_probe_ = false;
  timer_base_ = now;
  expect_answer(now);
}

void Channel::on_shared(const SharedDatagram& datagram, TimePoint now) {
  ++stats_.datagrams_received;
  const bool fresh = datagram.header.counter >= fresh_shared_counter_;
  if (fresh) {
    fresh_shared_counter_ = datagram.header.counter + 1;
    heard_shared_at_ = now;
    take_timestamp(datagram.header.timestamp, now);
  }
  if (datagram.offset && *datagram.offset < options_.first_offset) ++stats_.malformed;
  else if (datagram.offset) take_payload(*datagram.offset, datagram.payload, now);
  // Of those that are not asked for data only who hears a probe answers.
  if (datagram.header.answer_at_once && (datagram.offset || datagram.payload.empty())) acknowledge_now_ = true;
  if (fresh) note_life(now);
}

bool Channel::hears_shared(TimePoint now) const {
  return heard_shared_at_ && now - *heard_shared_at_ <= hearing_lasts;
}

// What it says of its hearing is as old as what it has heard last: it has not noticed yet.
void Channel::watch_hearing(TimePoint now) {
  if (deaf_until_ && *deaf_until_ <= now) deaf_until_.reset();
  if (send_.shared_lost_in_a_row() < most_shared_losses) return;
  send_.forget_shared_losses();
  deaf_until_ = now + hearing_lasts;
}

}  // namespace nasvm::link
