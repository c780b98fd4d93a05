#include "harness/commands/mcast/measure.hpp"

#include <sys/syscall.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <ctime>
#include <string>
#include <thread>

#include "harness/commands/mcast/clocks.hpp"
#include "harness/commands/mcast/comm_channel.hpp"
#include "harness/commands/mcast/copies_channel.hpp"
#include "harness/commands/mcast/order.hpp"
#include "harness/commands/mcast/task.hpp"
#include "support/refused_calls.hpp"
#include "support/skip.hpp"
#include "support/thread_machine.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace std::chrono_literals;
using test::run_ranks;

namespace {

Effort few(std::int64_t messages, bool check = false) {
  return {.iterations = messages, .warmup = 1, .window = {}, .check_data = check, .sample_time_s = 1, .buffers = 1};
}

/// A broadcast with troubles that a test wants; counts three packets a message, and of strangers two at the sender
/// and one elsewhere.
class TroubledChannel final : public MulticastChannel {
 public:
  struct Troubles {
    int incomplete_each = 0;            ///< every so many messages lack a byte at the last rank
    bool wrong = false;                 ///< at rank 1
    std::chrono::milliseconds pause{};  ///< of the last rank, behind its copy
    double work_s = 0;                  ///< processor time of this program, there
  };

  TroubledChannel(Comm& comm, const Troubles& troubles) : comm_(comm), inner_(comm), troubles_(troubles) {}

  void send(std::span<const std::byte> message) override {
    inner_.send(message);
    counts_.data_packets += 3;
    counts_.retransmitted += 1;
    counts_.control_packets += 2;
    rejected_ += 2;
  }
  std::int64_t receive(std::span<std::byte> message) override {
    ++messages_;
    ++rejected_;
    const bool is_last = comm_.rank() == comm_.size() - 1;
    inner_.receive(message);
    if (is_last) std::this_thread::sleep_for(troubles_.pause);
    if (is_last) work(troubles_.work_s);
    const bool lacks = troubles_.incomplete_each != 0 && messages_ % troubles_.incomplete_each == 0 && is_last;
    if (lacks || (troubles_.wrong && comm_.rank() == 1)) message.front() ^= std::byte{0xff};
    return steady_ns();
  }
  void close() override {}
  multicast::Counts counts() const override { return counts_; }
  Facts facts() const override { return {1472, 20, {2}, rejected_}; }
  bool may_lose() const override { return troubles_.incomplete_each != 0; }

 private:
  static void work(double seconds) {
    const std::clock_t until = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
    while (std::clock() < until) continue;
  }

  Comm& comm_;
  CommMulticastChannel inner_;
  Troubles troubles_;
  multicast::Counts counts_;
  std::uint64_t rejected_ = 5;  ///< in the set-up
  int messages_ = 0;
};

struct Measured {
  std::vector<McastRecord> records;
  std::vector<std::vector<std::string>> complaints;
};

Measured measured(int tasks, std::uint64_t bytes, const Effort& effort, const TroubledChannel::Troubles& troubles) {
  Measured all{std::vector<McastRecord>(static_cast<std::size_t>(tasks)), {}};
  all.complaints.resize(all.records.size());
  run_ranks(tasks, [&](Comm& comm) {
    TroubledChannel channel(comm, troubles);
    McastMeter meter(comm, channel, effort);
    const auto rank = static_cast<std::size_t>(comm.rank());
    all.records[rank] = meter.measure(bytes);
    all.complaints[rank] = meter.complaints();
  });
  return all;
}

}  // namespace

TEST_CASE("mcast measure: the sender has times, counts of a message, and what is known of the group") {
  const McastRecord record = measured(4, 1000, few(7), {}).records[0];
  CHECK(record.receivers == 3);
  CHECK(record.bytes == 1000);
  CHECK(record.iterations == 7);
  CHECK(record.packet_bytes == 1472);
  CHECK(record.window == 20);
  CHECK(record.unreached == 1);
  CHECK(record.cost.data_packets == 3);
  CHECK(record.cost.retransmitted == 1);
  CHECK(record.cost.control_packets == 2);
  CHECK(record.time.min_s > 0);
  CHECK(record.time.min_s <= record.time.low_s);
  CHECK(record.time.low_s <= record.time.median_s);
  CHECK(record.time.median_s <= record.time.high_s);
  CHECK(record.last.median_s > 0);
  CHECK(record.data == DataCheck::none);
  CHECK(record.incomplete == 0);
}

TEST_CASE("mcast measure: packets of strangers are those of the batch, at all tasks") {
  std::vector<std::uint64_t> rejected;
  run_ranks(4, [&rejected](Comm& comm) {
    TroubledChannel channel(comm, {});
    McastMeter meter(comm, channel, few(7));
    for (const std::uint64_t bytes : {1000, 10}) {
      const McastRecord record = meter.measure(bytes);
      if (comm.rank() == 0) rejected.push_back(record.rejected);
    }
  });
  CHECK(rejected == std::vector<std::uint64_t>(2, 7 * (2 + 3)));
}

TEST_CASE("mcast measure: processor time is that of the calls: a sleep costs none") {
  const McastRecord record = measured(2, 8, few(3), {.pause = 20ms}).records[0];
  CHECK(record.cost.receiver_cpu_s < 0.02);
  CHECK(record.cost.sender_cpu_s >= 0);
}

TEST_CASE("mcast measure: of many messages some stand for all in the processor time of one") {
  for (const std::int64_t messages : {63, 64, 100}) {
    CHECK(measured(2, 8, few(messages), {.work_s = 0.001}).records[0].cost.receiver_cpu_s >= 0.000'99);
  }
}

TEST_CASE("mcast measure: the last receiver is the slowest one") {
  const McastRecord record = measured(3, 8, few(3), {.pause = 30ms}).records[0];
  CHECK(record.last.min_s >= 0.03);
}

TEST_CASE("mcast measure: without a fixed number all tasks agree on how many messages there are, 20 at least") {
  Effort effort;
  effort.sample_time_s = 0.001;
  const Measured all = measured(3, 8, effort, {});
  CHECK(all.records[0].iterations >= 20);
  for (const McastRecord& record : all.records) CHECK(record.iterations == all.records[0].iterations);
}

TEST_CASE("mcast measure: data are compared when asked for, and what is wrong is told where it is") {
  CHECK(measured(3, 100, few(2, true), {}).records[0].data == DataCheck::passed);
  const Measured wrong = measured(3, 100, few(2, true), {.wrong = true});
  CHECK(wrong.records[0].data == DataCheck::failed);
  CHECK(wrong.complaints[0].empty());
  REQUIRE(wrong.complaints[1].size() == 1);
  CHECK_THAT(wrong.complaints[1][0], Catch::Matchers::Contains("100 bytes: byte 0 arrived at rank 1 as 0x"));
  CHECK(measured(2, 0, few(2, true), {}).records[0].data == DataCheck::passed);
}

TEST_CASE("mcast measure: what may lose counts incomplete receptions, and is timed by the others") {
  const McastRecord record = measured(3, 100, few(10, true), {.incomplete_each = 2}).records[0];
  CHECK(record.incomplete == 5);
  CHECK(record.data == DataCheck::none);
  CHECK(record.time.median_s == record.last.median_s);
  CHECK(record.time.median_s > 0);
  const McastRecord hopeless = measured(3, 100, few(4), {.incomplete_each = 1}).records[0];
  CHECK(hopeless.incomplete == 4);
  CHECK(std::isnan(hopeless.time.median_s));
}

TEST_CASE("mcast measure: of fewer than six messages there is no interval") {
  const McastTime five = measured(2, 8, few(5), {}).records[0].time;
  CHECK(five.median_s > 0);
  CHECK(std::isnan(five.low_s));
  CHECK(std::isnan(five.high_s));
  CHECK_FALSE(std::isnan(measured(2, 8, few(6), {}).records[0].time.low_s));
}

TEST_CASE("mcast measure: tasks of one computer have one clock") {
  run_ranks(3, [](Comm& comm) { CHECK(have_one_clock(comm)); });
}

TEST_CASE("mcast task: a message system's broadcast is measured at all sizes") {
  std::vector<std::string> reports(3);
  McastOrder order;
  order.sizes = {0, 1000};
  order.effort = few(3, true);
  run_ranks(3, [&](Comm& comm) {
    reports[static_cast<std::size_t>(comm.rank())] = measure_mcast(text_of_record(order), comm);
  });
  const auto sender = record_of_text<McastReport>(reports[0]);
  REQUIRE(sender.records.size() == 2);
  CHECK(sender.records[1].bytes == 1000);
  CHECK(sender.records[1].time.median_s > 0);
  CHECK(sender.records[1].data == DataCheck::passed);
  CHECK_FALSE(sender.records[1].authenticated);
  CHECK(record_of_text<McastReport>(reports[2]).records.empty());
}

TEST_CASE("mcast: the yardstick copies says where the system allows no threads more") {
  if (std::thread::hardware_concurrency() < 2) return test::skip("one core wants no other thread");
  bool is_filtered = false;
  std::string complaint;
  run_ranks(3, [&](Comm& comm) {
    if (comm.rank() != 0) return;
    // The filters are of this thread alone.
    is_filtered = test::refuse_call(SYS_clone3, EAGAIN) && test::refuse_call(SYS_clone, EAGAIN);
    if (!is_filtered) return;
    try {
      const CopiesChannel channel(comm);
    } catch (const RunError& error) {
      complaint = error.what();
    }
  });
  if (!is_filtered) return test::skip("this system forbids filters of system calls");
  CHECK_THAT(complaint, Catch::StartsWith("copies: cannot start 1 thread: "));
}

TEST_CASE("mcast: the yardstick copies sends nothing, checks nothing, and leaves the receivers' memory alone") {
  run_ranks(3, [](Comm& comm) {
    CopiesChannel channel(comm);
    const std::vector<std::byte> sent(100'000, std::byte{1});
    std::vector<std::byte> received(sent.size());
    for (int message = 0; message < 3; ++message) {
      const std::uint64_t before = comm.counters().total().messages_sent;
      if (comm.rank() == 0) channel.send(sent);
      else channel.receive(received);
      CHECK(comm.counters().total().messages_sent == before);
    }
    CHECK(received == std::vector<std::byte>(sent.size()));
    McastMeter meter(comm, channel, few(2, true));
    const McastRecord record = meter.measure(1000);
    CHECK(record.data == DataCheck::none);
    CHECK(meter.complaints().empty());
    if (comm.rank() == 0) CHECK(record.time.median_s > 0);
  });
}
