#include "harness/commands/p2p/coupled/measure.hpp"

#include "harness/commands/p2p/coupled/model.hpp"
#include "harness/measuring/pace.hpp"
#include "vm/metrics/clock.hpp"

namespace nasvm {
namespace {

constexpr std::int64_t least_steps = 10;
constexpr std::int64_t most_steps = 1 << 16;
constexpr unsigned never = 1U << 16;  ///< cheap looks for each look at everything: less than one in a step

}  // namespace

CoupledMeasured measure_coupled(Task& task, const Effort& effort, std::span<const std::uint64_t> sizes,
                                bool by_hand) {
  Comm& comm = task.comm();
  const auto meeting = [&](bool begins) {
    if (by_hand) task.set_skip_poll(begins ? 1 : never);
  };
  const auto agree = [&](std::int64_t number) {
    comm.broadcast(std::span(&number, 1));
    return number;
  };
  CoupledMeasured measured;
  for (const std::uint64_t bytes : sizes) {
    CoupledModel model(comm, bytes, meeting);
    std::vector<double> seconds;
    const auto run = [&](std::int64_t steps) {
      seconds.clear();
      const Ticks begin = ticks_now();
      for (std::int64_t i = 0; i < steps; ++i) {
        const Ticks step = ticks_now();
        model.step();
        seconds.push_back(to_seconds(ticks_now() - step));
      }
      return to_seconds(ticks_now() - begin);
    };
    const std::int64_t steps = pace(effort, {.first = 1, .least = least_steps, .most = most_steps}, run, agree);
    comm.barrier();
    run(steps);
    const bool right = comm.allreduce_value(model.complaints().empty() ? 1 : 0, Min{}) == 1;
    CoupledRecord record;
    record.np = comm.size();
    record.bytes = bytes;
    record.iterations = steps;
    record.data = right ? DataCheck::passed : DataCheck::failed;
    record.latency = latency_of(seconds, Sample::whole);
    measured.records.push_back(record);
    measured.complaints.insert(measured.complaints.end(), model.complaints().begin(), model.complaints().end());
  }
  if (by_hand) task.set_skip_poll(0);
  return measured;
}

}  // namespace nasvm
