#include "harness/commands/p2p/collective/measure.hpp"

#include <catch2/catch.hpp>

#include "support/thread_machine.hpp"

using namespace nasvm;
using test::run_ranks;

namespace {

Effort few(bool check) {
  return {.iterations = 5, .warmup = 1, .window = {}, .check_data = check, .sample_time_s = 1};
}

std::vector<CollectiveRecord> measured(const Collective& collective, int ranks, std::uint64_t bytes,
                                       const Effort& effort,
                                       std::vector<std::vector<std::string>>* complaints = nullptr) {
  std::vector<CollectiveRecord> records(static_cast<std::size_t>(ranks));
  if (complaints != nullptr) complaints->resize(records.size());
  run_ranks(ranks, [&](Comm& comm) {
    CollectiveMeter meter(comm, effort);
    const auto rank = static_cast<std::size_t>(comm.rank());
    records[rank] = meter.measure(collective, bytes);
    if (complaints != nullptr) (*complaints)[rank] = meter.complaints();
  });
  return records;
}

}  // namespace

TEST_CASE("collective measure: every collective gets figures, the same at all tasks") {
  for (const Collective& collective : collectives()) {
    const std::uint64_t bytes = collective.element_bytes == 0 ? 0 : 64;
    const auto records = measured(collective, 3, bytes, few(true));
    CAPTURE(collective.name);
    CHECK(records[0].collective == collective.name);
    CHECK(records[0].np == 3);
    CHECK(records[0].bytes == bytes);
    CHECK(records[0].iterations == 5);
    CHECK(records[0].data == DataCheck::passed);
    CHECK(records[0].time.min_us > 0);
    CHECK(records[0].time.min_us <= records[0].time.median_us);
    CHECK(records[0].time.median_us <= records[0].time.max_us);
    CHECK(records[0].average_us > 0);
    CHECK(records[0].back_to_back_us > 0);
    CHECK(records[2].time == records[0].time);
    CHECK(records[2].back_to_back_us == records[0].back_to_back_us);
  }
}

TEST_CASE("collective measure: the average over tasks is not above that of the slowest ones") {
  const auto records = measured(*find_collective("allreduce"), 4, 8, few(false));
  CHECK(records[0].average_us <= records[0].time.mean_us * (1 + 1e-9));
}

TEST_CASE("collective measure: without fixed numbers all tasks agree on how many calls there are") {
  Effort effort;
  effort.sample_time_s = 0.001;
  const auto records = measured(*find_collective("barrier"), 3, 0, effort);
  CHECK(records[0].iterations >= 10);
  for (const CollectiveRecord& record : records) CHECK(record.iterations == records[0].iterations);
  CHECK(records[0].data == DataCheck::none);
}

TEST_CASE("collective measure: a result that is wrong at one task is wrong for all, and that task says so") {
  Collective broken = *find_collective("broadcast");
  broken.call = [](Comm& comm, CollectiveBuffers& buffers) {
    comm.broadcast(buffers.in());
    if (comm.rank() == 1) buffers.in().front() ^= std::byte{1};
  };
  std::vector<std::vector<std::string>> complaints;
  const auto records = measured(broken, 3, 8, few(true), &complaints);
  for (const CollectiveRecord& record : records) CHECK(record.data == DataCheck::failed);
  CHECK(complaints[0].empty());
  CHECK(complaints[1] == std::vector<std::string>{"broadcast of 8 bytes: rank 1 got a wrong result"});
}
