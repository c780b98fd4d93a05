#include "harness/commands/mcast/measure.hpp"

#include <ctime>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "harness/commands/mcast/clocks.hpp"
#include "harness/measuring/median_interval.hpp"
#include "harness/measuring/p99.hpp"
#include "harness/measuring/pace.hpp"
#include "harness/measuring/pattern.hpp"
#include "harness/statistics.hpp"

namespace nasvm {
namespace {

constexpr std::int64_t least_messages = 20;
constexpr std::int64_t most_messages = 1 << 14;
constexpr std::uint64_t measured_seed = 1;
constexpr std::uint64_t checked_seed = 2;
constexpr double ns_per_s = 1e9;
/// Of many messages in a row, processor time is that of so many or more: to ask for it is a call of the system, for
/// which others of a common computer wait, within their clocks.
constexpr std::int64_t timed_messages = 32;

/// Processor time of this process, its kernel's part included.
double cpu_now_s() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / ns_per_s;
}

McastTime time_of(std::span<const double> seconds) {
  if (seconds.empty()) return {};
  const Summary summary = summarize(seconds);
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const Interval middle = are_enough_for_median_interval(std::ssize(seconds))
                              ? median_interval(seconds)
                              : Interval{summary.median, unknown, unknown};
  const double p99_s = are_enough_for_p99(std::ssize(seconds)) ? quantile(seconds, 0.99) : unknown;
  return {summary.median, middle.low, middle.high, summary.mean, summary.min, p99_s};
}

}  // namespace

McastMeter::McastMeter(Comm& comm, MulticastChannel& channel, const Effort& effort)
    : comm_(comm),
      channel_(channel),
      effort_(effort),
      one_clock_(have_one_clock(comm)),
      ready_(static_cast<std::size_t>(comm.size())) {}

McastRecord McastMeter::measure(std::uint64_t bytes) {
  prepare(bytes);
  const std::int64_t messages = pace(
      effort_, {.first = 1, .least = least_messages, .most = most_messages},
      [&](std::int64_t number) { return batch(number); }, [&](std::int64_t mine) { return agree(mine); });
  const multicast::Counts before = channel_.counts();
  const std::uint64_t rejected_before = channel_.facts().rejected;
  (void)batch(messages);
  McastRecord record;
  record.bytes = bytes;
  record.receivers = comm_.size() - 1;
  record.iterations = messages;
  take_cost(record, before);
  take_rejected(record, rejected_before);
  take_times(record);
  const MulticastChannel::Facts facts = channel_.facts();
  record.packet_bytes = facts.packet_bytes;
  record.window = facts.window;
  record.unreached = static_cast<int>(facts.unreached.size());
  record.chosen = channel_.chosen(bytes);
  if (effort_.check_data && !channel_.may_lose() && channel_.delivers()) {
    record.data = check(bytes) ? DataCheck::passed : DataCheck::failed;
  }
  return record;
}

void McastMeter::prepare(std::uint64_t bytes) {
  message_.resize(bytes);
  if (is_sender()) fill_pattern(message_, measured_seed);
  if (!channel_.may_lose()) return;
  expected_.resize(bytes);
  fill_pattern(expected_, measured_seed);
}

/// So many messages, each in `passages_`; returns the seconds that they took, and the times between.
double McastMeter::batch(std::int64_t messages) {
  passages_.assign(static_cast<std::size_t>(messages), {});
  const auto stride = static_cast<std::size_t>(std::max<std::int64_t>(1, messages / timed_messages));
  int timed = 0;
  double timed_s = 0;
  const std::int64_t begin_ns = steady_ns();
  for (std::size_t i = 0; i < passages_.size(); ++i) {
    assemble();
    const bool is_timed = i % stride == 0;
    if (is_timed) timed_s -= cpu_now_s();
    pass(passages_[i]);
    if (is_timed) {
      timed_s += cpu_now_s();
      ++timed;
    }
    if (channel_.may_lose() && !is_sender()) passages_[i].complete = message_ == expected_ ? 1 : 0;
  }
  cpu_s_ = timed_s / timed;
  return static_cast<double>(steady_ns() - begin_ns) / ns_per_s;
}

/// Rank 0 goes on when all others have said that they await a message. Of a barrier most of them would have steps
/// left when rank 0 has none, and take the processors of a common computer from the message.
///
/// Nor does anybody say so before rank 0 has all it wanted to know of the message before: its clock has stopped then.
void McastMeter::assemble() {
  std::array<std::byte, 1> over{};
  comm_.broadcast(std::span(over));
  comm_.gather(over, ready_);
}

void McastMeter::pass(Passage& passage) {
  passage.begin_ns = steady_ns();
  if (is_sender()) {
    channel_.send(message_);
    passage.end_ns = steady_ns();
  } else {
    passage.end_ns = channel_.receive(message_);
  }
}

/// Rank 0 gets what all tasks have seen of the last batch. Collective.
McastMeter::Passages McastMeter::collected() {
  std::vector<std::int64_t> ends;
  std::vector<int> complete;
  for (const Passage& passage : passages_) {
    ends.push_back(is_sender() ? passage.begin_ns : passage.end_ns);
    complete.push_back(passage.complete);
  }
  std::vector<int> incomplete(complete.size());
  std::ranges::transform(complete, incomplete.begin(), [](int whole) { return 1 - whole; });
  comm_.reduce(ends, Max{});
  comm_.reduce(complete, Min{});
  comm_.reduce(incomplete, Sum{});
  Passages all;
  if (!is_sender()) return all;
  for (std::size_t i = 0; i < passages_.size(); ++i) {
    all.incomplete += static_cast<std::uint64_t>(incomplete[i]);
    if (complete[i] == 0) continue;
    const auto [begin_ns, end_ns, whole] = passages_[i];
    all.known_s.push_back(static_cast<double>(end_ns - begin_ns) / ns_per_s);
    all.last_s.push_back(static_cast<double>(ends[i] - begin_ns) / ns_per_s);
  }
  return all;
}

void McastMeter::take_times(McastRecord& record) {
  const Passages all = collected();
  if (one_clock_ && channel_.delivers()) record.last = time_of(all.last_s);
  record.time = channel_.may_lose() ? record.last : time_of(all.known_s);
  record.incomplete = all.incomplete;
}

/// Collective.
void McastMeter::take_cost(McastRecord& record, const multicast::Counts& before) {
  const auto messages = static_cast<double>(record.iterations);
  const multicast::Counts now = channel_.counts();
  const double receivers_cpu_s = comm_.allreduce_value(is_sender() ? 0.0 : cpu_s_);
  record.cost = {static_cast<double>(now.data_packets - before.data_packets) / messages,
                 static_cast<double>(now.retransmitted - before.retransmitted) / messages,
                 static_cast<double>(now.control_packets - before.control_packets) / messages, cpu_s_,
                 receivers_cpu_s / std::max(1, record.receivers)};
}

/// Of all tasks: most of what strangers send comes to one of them. Collective.
void McastMeter::take_rejected(McastRecord& record, std::uint64_t before) {
  record.rejected = comm_.allreduce_value(channel_.facts().rejected - before);
}

/// One more message, of data that the others have not. Says whether it was right everywhere. Collective.
bool McastMeter::check(std::uint64_t bytes) {
  if (is_sender()) fill_pattern(message_, checked_seed);
  else spoil_pattern(message_, checked_seed);
  assemble();
  Passage passage;
  pass(passage);
  comm_.barrier();  // comparing shall not hold up those that still receive
  const std::size_t right = first_difference(message_, checked_seed);
  if (right != bytes) {
    complaints_.push_back(fmt::format("{} bytes: byte {} arrived at rank {} as 0x{:02x} instead of 0x{:02x}", bytes,
                                      right, comm_.rank(), std::to_integer<int>(message_[right]),
                                      std::to_integer<int>(pattern_byte(right, checked_seed))));
  }
  return comm_.allreduce_value(right == bytes ? 1 : 0, Min{}) == 1;
}

/// Rank 0's number, for all.
std::int64_t McastMeter::agree(std::int64_t mine) {
  comm_.broadcast(std::span(&mine, 1));
  return mine;
}

}  // namespace nasvm
