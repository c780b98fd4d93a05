#include "harness/commands/p2p/pair/measure.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/measuring/pace.hpp"
#include "harness/measuring/page_aligned.hpp"
#include "harness/measuring/pattern.hpp"
#include "harness/statistics.hpp"

namespace nasvm {
namespace {

constexpr int usual_window = 64;
constexpr std::uint64_t most_bytes_in_window = std::uint64_t{1} << 24;
constexpr std::uint64_t most_bytes_in_buffers = std::uint64_t{1} << 28;
/// Buffers begin in cache lines of their own.
constexpr std::uint64_t buffer_alignment = 64;
constexpr std::int64_t most_samples = 1 << 17;
constexpr std::int64_t least_iterations = 4;
/// Messages of different content in the check, and the most memory that they take.
constexpr int checked_messages = 8;
constexpr std::uint64_t most_checked_bytes = std::uint64_t{1} << 23;

unsigned seed_of(Side side) { return side == Side::leader ? 1 : 2; }
Side other(Side side) { return side == Side::leader ? Side::follower : Side::leader; }

Bandwidth bandwidth_of(const std::vector<double>& windows_s, double total_s, double bytes_in_window) {
  const double megabytes = bytes_in_window / 1e6;
  return {megabytes / median(windows_s), megabytes * static_cast<double>(windows_s.size()) / total_s};
}

}  // namespace

int window_of(const Effort& effort, std::uint64_t bytes) {
  if (effort.window) return *effort.window;
  const std::uint64_t fitting = bytes == 0 ? usual_window : most_bytes_in_window / bytes;
  return static_cast<int>(std::clamp<std::uint64_t>(fitting, 1, usual_window));
}

namespace {

std::uint64_t stride_of(std::uint64_t bytes) {
  return std::max(buffer_alignment, (bytes + buffer_alignment - 1) / buffer_alignment * buffer_alignment);
}

/// What the buffers of messages of up to that size take.
std::uint64_t buffer_bytes(const Effort& effort, std::uint64_t most_bytes) {
  if (effort.buffers == 1) return most_bytes;
  const auto wanted = static_cast<std::uint64_t>(effort.buffers) * stride_of(most_bytes);
  return std::max(stride_of(most_bytes), std::min(wanted, most_bytes_in_buffers));
}

}  // namespace

int buffers_of(const Effort& effort, std::uint64_t bytes) {
  const std::uint64_t fitting = std::max<std::uint64_t>(1, most_bytes_in_buffers / stride_of(bytes));
  return static_cast<int>(std::min<std::uint64_t>(fitting, static_cast<std::uint64_t>(effort.buffers)));
}

/// The memory of messages, and the present size's bursts in it.
struct Meter::Work {
  PageAligned<std::byte> out_memory;
  PageAligned<std::byte> in_memory;
  std::array<std::byte, 1> answer{};
  Burst out;  ///< a window
  Burst in;

  void advance(int messages) {
    out.advance(messages);
    in.advance(messages);
  }
  static void exchange(Channel& channel, Work& work) {
    channel.exchange_bursts(work.out, work.in);
    work.advance(work.out.count);
  }
};

/// One iteration of each side. Plain functions: calling one costs about a nanosecond.
struct Meter::Pattern {
  const char* name;
  void (*lead)(Channel&, Work&);
  void (*follow)(Channel&, Work&);
};

const Meter::Pattern Meter::ping_pong{"ping-pong",
                                      [](Channel& channel, Work& work) {
                                        channel.send(work.out.message(0));
                                        channel.recv(work.in.message(0));
                                        work.advance(1);
                                      },
                                      [](Channel& channel, Work& work) {
                                        channel.recv(work.in.message(0));
                                        channel.send(work.out.message(0));
                                        work.advance(1);
                                      }};

const Meter::Pattern Meter::stream{"stream",
                                   [](Channel& channel, Work& work) {
                                     channel.send_burst(work.out);
                                     channel.recv(work.answer);
                                     work.advance(work.out.count);
                                   },
                                   [](Channel& channel, Work& work) {
                                     channel.recv_burst(work.in);
                                     channel.send(work.answer);
                                     work.advance(work.in.count);
                                   }};

const Meter::Pattern Meter::both_ways{"both ways", &Meter::Work::exchange, &Meter::Work::exchange};

Meter::Meter(Channel& channel, Side side, const Effort& effort, std::uint64_t most_bytes)
    : channel_(channel), side_(side), effort_(effort), work_(std::make_unique<Work>()) {
  const std::uint64_t checked = effort.check_data ? std::min(most_checked_bytes, checked_messages * most_bytes) : 0;
  const std::uint64_t needed = std::max(buffer_bytes(effort, most_bytes), checked);
  work_->out_memory.resize(needed);
  work_->in_memory.resize(needed);
  ticks_.resize(static_cast<std::size_t>(effort.iterations.value_or(most_samples)));
}

Meter::~Meter() = default;

void Meter::prepare(std::uint64_t bytes) {
  wrong_ = false;
  const int buffers = buffers_of(effort_, bytes);
  const std::uint64_t stride = buffers == 1 ? 0 : stride_of(bytes);
  work_->out = {work_->out_memory.data(), bytes, stride, window_of(effort_, bytes), buffers};
  work_->in = {work_->in_memory.data(), bytes, stride, work_->out.count, buffers};
  for (int k = 0; k < buffers; ++k) fill_pattern(work_->out.buffer(k), seed_of(side_));
}

P2pRecord Meter::measure(std::uint64_t bytes) {
  prepare(bytes);
  const Samples round_trips = run(ping_pong);
  const Samples windows = run(stream);
  const Samples exchanges = run(both_ways);
  if (effort_.check_data) check_transfers();

  P2pRecord record;
  record.bytes = bytes;
  record.window = work_->out.count;
  record.buffers = work_->out.buffers;
  if (effort_.check_data) record.data = wrong_ ? DataCheck::failed : DataCheck::passed;
  if (side_ == Side::follower) return record;
  const double bytes_in_window = static_cast<double>(bytes) * record.window;
  record.iterations = round_trips.iterations;
  record.windows = windows.iterations;
  record.latency = latency_of(round_trips.seconds, Sample::round_trip);
  record.bandwidth = bandwidth_of(windows.seconds, windows.total_s, bytes_in_window);
  record.bidirectional = bandwidth_of(exchanges.seconds, exchanges.total_s, 2 * bytes_in_window);
  record.messages_per_s = record.window / median(windows.seconds);
  return record;
}

Meter::Samples Meter::run(const Pattern& pattern) {
  for (int k = 0; effort_.check_data && k < work_->in.buffers; ++k) {
    spoil_pattern(work_->in.buffer(k), seed_of(other(side_)));
  }
  Samples samples;
  if (side_ == Side::leader) samples = lead(pattern);
  else follow(pattern);
  if (effort_.check_data) check_last(pattern);
  return samples;
}

Meter::Samples Meter::lead(const Pattern& pattern) {
  const auto most = static_cast<std::int64_t>(ticks_.size());
  const std::int64_t iterations = pace(effort_, {.first = 1, .least = least_iterations, .most = most},
                                       [&](std::int64_t count) { return batch(pattern, count); });
  Samples samples;
  samples.total_s = fill_sample(effort_, [&] {
    const double seconds = batch(pattern, iterations);
    samples.iterations += iterations;
    for (std::int64_t i = 0; i < iterations; ++i) {
      samples.seconds.push_back(to_seconds(ticks_[static_cast<std::size_t>(i)]));
    }
    return seconds;
  });
  announce(0);
  return samples;
}

/// So many iterations, each timed in `ticks_`; returns the seconds that they took together.
double Meter::batch(const Pattern& pattern, std::int64_t iterations) {
  announce(iterations);
  const Ticks begin = ticks_now();
  Ticks before = begin;
  for (std::int64_t i = 0; i < iterations; ++i) {
    pattern.lead(channel_, *work_);
    const Ticks now = ticks_now();
    ticks_[static_cast<std::size_t>(i)] = now - before;
    before = now;
  }
  return to_seconds(before - begin);
}

void Meter::follow(const Pattern& pattern) {
  for (std::int64_t left = hear(); left > 0; left = hear()) {
    for (; left > 0; --left) pattern.follow(channel_, *work_);
  }
}

/// 0 says that the pattern is over.
void Meter::announce(std::int64_t iterations) { channel_.send(std::as_bytes(std::span(&iterations, 1))); }

std::int64_t Meter::hear() {
  std::int64_t iterations = 0;
  channel_.recv(std::as_writable_bytes(std::span(&iterations, 1)));
  return iterations;
}

void Meter::compare(const char* where, std::span<const std::byte> got, unsigned seed) {
  const std::size_t i = first_difference(got, seed);
  if (i == got.size()) return;
  wrong_ = true;
  complaints_.push_back(fmt::format("{} bytes, {}: byte {} arrived as 0x{:02x} instead of 0x{:02x}", got.size(),
                                    where, i, static_cast<unsigned>(got[i]),
                                    static_cast<unsigned>(pattern_byte(i, seed))));
}

/// What the last timed message left in its buffer. The leader receives nothing in a one-way stream.
void Meter::check_last(const Pattern& pattern) {
  if (side_ == Side::leader && &pattern == &stream) return;
  compare(pattern.name, work_->in.last(), seed_of(other(side_)));
}

/// Messages of different content, each into a buffer of its own, both ways at once: none may be lost, doubled, mixed
/// up or cut.
void Meter::check_transfers() {
  const std::uint64_t bytes = work_->out.bytes;
  const std::uint64_t fitting = bytes == 0 ? 1 : work_->out_memory.size() / bytes;
  const int count = static_cast<int>(std::clamp<std::uint64_t>(fitting, 1, checked_messages));
  const Burst out{work_->out_memory.data(), bytes, bytes, count, count};
  const Burst in{work_->in_memory.data(), bytes, bytes, count, count};
  const auto seed = [](Side side, int k) { return seed_of(side) + 2 * static_cast<unsigned>(k + 1); };
  for (int k = 0; k < count; ++k) {
    fill_pattern(out.message(k), seed(side_, k));
    spoil_pattern(in.message(k), seed(other(side_), k));
  }
  channel_.exchange_bursts(out, in);
  const auto before = complaints_.size();
  for (int k = 0; k < count && complaints_.size() == before; ++k) {
    compare("messages of different content", in.message(k), seed(other(side_), k));
  }
}

}  // namespace nasvm
