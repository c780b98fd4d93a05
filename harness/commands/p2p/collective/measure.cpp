#include "harness/commands/p2p/collective/measure.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "harness/measuring/pace.hpp"

namespace nasvm {
namespace {

constexpr std::int64_t most_samples = 1 << 16;
constexpr std::int64_t least_iterations = 10;
constexpr double us_per_s = 1e6;

}  // namespace

CollectiveMeter::CollectiveMeter(Comm& comm, const Effort& effort) : comm_(comm), effort_(effort) {
  ticks_.resize(static_cast<std::size_t>(std::max(effort.iterations.value_or(0), most_samples)));
}

CollectiveRecord CollectiveMeter::measure(const Collective& collective, std::uint64_t bytes) {
  Work work{collective, collective.make_buffers(bytes, comm_.size())};
  const auto most = static_cast<std::int64_t>(ticks_.size());
  const std::int64_t iterations = pace(
      effort_, {.first = 1, .least = least_iterations, .most = most},
      [&](std::int64_t calls) { return separate_calls(work, calls); },
      [&](std::int64_t mine) { return agree(mine); });
  (void)separate_calls(work, iterations);
  std::vector<double> seconds;
  for (std::int64_t i = 0; i < iterations; ++i) seconds.push_back(to_seconds(ticks_[static_cast<std::size_t>(i)]));
  const double own_mean_s = std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(iterations);
  const double in_a_row_s = mean_in_a_row(work, iterations);

  CollectiveRecord record;
  record.collective = collective.name;
  record.np = comm_.size();
  record.bytes = bytes;
  record.iterations = iterations;
  comm_.allreduce(seconds, Max{});
  record.time = latency_of(seconds, Sample::whole);
  record.average_us = comm_.allreduce_value(own_mean_s) / comm_.size() * us_per_s;
  record.back_to_back_us = comm_.allreduce_value(in_a_row_s, Max{}) * us_per_s;
  if (effort_.check_data) record.data = check(work, bytes) ? DataCheck::passed : DataCheck::failed;
  return record;
}

/// So many calls, each timed in `ticks_`; returns the seconds that they took together with the barriers.
double CollectiveMeter::separate_calls(Work& work, std::int64_t iterations) {
  const Ticks begin = ticks_now();
  for (std::int64_t i = 0; i < iterations; ++i) {
    comm_.barrier();
    const Ticks before = ticks_now();
    work.collective.call(comm_, work.buffers);
    ticks_[static_cast<std::size_t>(i)] = ticks_now() - before;
  }
  return to_seconds(ticks_now() - begin);
}

/// The seconds that a call takes without anything between it and the next. Where time decides how many there are,
/// batches of `batch` follow each other until it is over: calls have two speeds beside programs of others, and a
/// number found at one of them can be thousands of times too small, or too large, at the other.
double CollectiveMeter::mean_in_a_row(Work& work, std::int64_t batch) {
  std::int64_t calls = 0;
  const auto carry_out = [&] {
    comm_.barrier();
    const Ticks begin = ticks_now();
    for (std::int64_t i = 0; i < batch; ++i) work.collective.call(comm_, work.buffers);
    calls += batch;
    return to_seconds(ticks_now() - begin);
  };
  const double total_s = fill_sample(effort_, carry_out, [this](std::int64_t number) { return agree(number); });
  return total_s / static_cast<double>(calls);
}

/// One more call, of data that can be told apart. Says whether it was right everywhere.
bool CollectiveMeter::check(Work& work, std::uint64_t bytes) {
  work.collective.fill(comm_, work.buffers);
  work.collective.call(comm_, work.buffers);
  const bool right = work.collective.is_right(comm_, work.buffers);
  if (!right) {
    complaints_.push_back(
        fmt::format("{} of {} bytes: rank {} got a wrong result", work.collective.name, bytes, comm_.rank()));
  }
  return comm_.allreduce_value(right ? 1 : 0, Min{}) == 1;
}

/// Rank 0's value, for all.
std::int64_t CollectiveMeter::agree(std::int64_t mine) {
  comm_.broadcast(std::span(&mine, 1));
  return mine;
}

}  // namespace nasvm
