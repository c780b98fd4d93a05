#include "harness/commands/p2p/mixed/measure.hpp"

#include <algorithm>
#include <span>

#include "harness/measuring/pace.hpp"

namespace nasvm {
namespace {

constexpr Tag ball_tag = 0;
constexpr Tag stop_tag = 1;
constexpr std::int64_t least_round_trips = 16;
constexpr std::int64_t most_round_trips = 1 << 18;
/// The expensive pair may be so slow that the cheap one is done before it has begun.
constexpr std::size_t least_of_expensive = 4;

}  // namespace

MixedMeter::MixedMeter(Comm& comm, const Effort& effort, std::uint64_t most_bytes) : comm_(comm), effort_(effort) {
  players_[0].peer = mixed_cheap;
  players_[1].peer = mixed_expensive;
  for (Player& player : players_) {
    player.out.resize(most_bytes);
    player.in.resize(most_bytes);
    player.round_trips_s.reserve(static_cast<std::size_t>(std::max(most_round_trips, effort.iterations.value_or(0))));
  }
}

std::array<MixedMeter::Side, 2> MixedMeter::measure(std::uint64_t bytes) {
  const std::int64_t round_trips =
      pace(effort_, {.first = least_round_trips, .least = least_round_trips, .most = most_round_trips},
           [&](std::int64_t count) { return play(bytes, count); });
  (void)play(bytes, round_trips);
  std::array<Side, 2> sides;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::vector<double>& round_trips_s = players_[i].round_trips_s;
    sides[i] = {static_cast<std::int64_t>(round_trips_s.size()), latency_of(round_trips_s, Sample::round_trip)};
  }
  return sides;
}

/// Both ping-pongs until the cheap one has made that many round trips; returns the seconds that took.
double MixedMeter::play(std::uint64_t bytes, std::int64_t round_trips) {
  for (Player& player : players_) player.round_trips_s.clear();
  const auto enough = static_cast<std::size_t>(round_trips);
  const Ticks begin = ticks_now();
  for (Player& player : players_) serve(player, bytes);
  while (players_[0].round_trips_s.size() < enough || players_[1].round_trips_s.size() < least_of_expensive) {
    Player& player = players_[comm_.wait_any(answers_)];
    player.round_trips_s.push_back(to_seconds(ticks_now() - player.begun));
    comm_.wait(player.sent);
    serve(player, bytes);
  }
  const double elapsed_s = to_seconds(ticks_now() - begin);
  comm_.wait_all(answers_);
  for (Player& player : players_) comm_.wait(player.sent);
  return elapsed_s;
}

void MixedMeter::serve(Player& player, std::uint64_t bytes) {
  Request& answer = answers_[static_cast<std::size_t>(&player - players_.data())];
  player.begun = ticks_now();
  answer = comm_.irecv(std::span(player.in).first(bytes), player.peer, ball_tag);
  player.sent = comm_.isend(std::span(player.out).first(bytes), player.peer, ball_tag);
}

void MixedMeter::stop() {
  for (const Player& player : players_) comm_.send(std::span<const std::byte>(), player.peer, stop_tag);
}

void echo(Comm& comm, std::uint64_t most_bytes) {
  std::vector<std::byte> buffer(most_bytes);
  for (;;) {
    const Status ball = comm.recv(buffer, mixed_middle, any_tag);
    if (ball.tag == stop_tag) return;
    comm.send(std::span(buffer).first(ball.bytes), mixed_middle, ball_tag);
  }
}

}  // namespace nasvm
