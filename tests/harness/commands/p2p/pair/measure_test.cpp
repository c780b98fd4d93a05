#include "harness/commands/p2p/pair/measure.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "harness/commands/p2p/pair/comm_channel.hpp"
#include "support/thread_machine.hpp"

using namespace nasvm;
using test::run_ranks;

namespace {

Effort few(bool check) {
  return {.iterations = 5, .warmup = 1, .window = 4, .check_data = check, .sample_time_s = 1};
}

/// What both sides say after measuring these sizes over the channel that `wrap` makes of Comm's.
struct Measured {
  std::vector<P2pRecord> records[2];
  std::vector<std::string> complaints[2];
};

template <typename Wrapper>
Measured measured(const Effort& effort, const std::vector<std::uint64_t>& sizes) {
  Measured outcome;
  run_ranks(2, [&](Comm& comm) {
    CommChannel inner(comm, 1 - comm.rank(), 64);
    Wrapper channel(inner, comm.rank());
    Meter meter(channel, comm.rank() == 0 ? Side::leader : Side::follower, effort, sizes.back());
    for (const std::uint64_t bytes : sizes) outcome.records[comm.rank()].push_back(meter.measure(bytes));
    outcome.complaints[comm.rank()] = meter.complaints();
  });
  return outcome;
}

/// Passes everything on.
class Plain : public Channel {
 public:
  Plain(Channel& inner, int rank) : inner_(inner), rank_(rank) {}
  void send(std::span<const std::byte> data) override { inner_.send(data); }
  void recv(std::span<std::byte> data) override { inner_.recv(data); }
  void send_burst(const Burst& out) override { inner_.send_burst(out); }
  void recv_burst(const Burst& in) override { inner_.recv_burst(in); }
  void exchange_bursts(const Burst& out, const Burst& in) override { inner_.exchange_bursts(out, in); }

 protected:
  Channel& inner_;
  int rank_;
};

/// Changes the last byte of what rank 1 gets in a stream.
class SpoilsStreams final : public Plain {
 public:
  using Plain::Plain;
  void recv_burst(const Burst& in) override {
    inner_.recv_burst(in);
    in.message(in.count - 1).back() ^= std::byte{1};
  }
};

/// Changes the first byte of what rank 0 gets in a ping-pong.
class SpoilsEchoes final : public Plain {
 public:
  using Plain::Plain;
  void recv(std::span<std::byte> data) override {
    inner_.recv(data);
    if (rank_ == 0) data.front() ^= std::byte{128};
  }
};

/// Hands messages over in the wrong order.
class Swaps final : public Plain {
 public:
  using Plain::Plain;
  void exchange_bursts(const Burst& out, const Burst& in) override {
    inner_.exchange_bursts(out, in);
    if (in.stride != 0) std::swap_ranges(in.message(0).begin(), in.message(0).end(), in.message(1).begin());
  }
};

}  // namespace

TEST_CASE("measure: the leader has figures of every size, with as many iterations as asked for") {
  const Measured outcome = measured<Plain>(few(false), {0, 1, 1000});
  REQUIRE(outcome.records[0].size() == 3);
  for (const P2pRecord& record : outcome.records[0]) {
    CAPTURE(record.bytes);
    CHECK(record.iterations == 5);
    CHECK(record.windows == 5);
    CHECK(record.window == 4);
    CHECK(record.data == DataCheck::none);
    CHECK(record.latency.min_us > 0);
    CHECK(record.latency.min_us <= record.latency.median_us);
    CHECK(record.latency.median_us <= record.latency.max_us);
    CHECK(record.latency.p99_us == 0);  // of so few
    CHECK(record.messages_per_s > 0);
    CHECK((record.bandwidth.median_mb_s > 0) == (record.bytes > 0));
    CHECK((record.bidirectional.mean_mb_s > 0) == (record.bytes > 0));
  }
  CHECK(outcome.records[0][2].bandwidth.median_mb_s == Approx(outcome.records[0][2].messages_per_s * 1000 / 1e6));
}

TEST_CASE("measure: without a number of iterations there are as many as time allows, and never too few") {
  Effort effort;
  effort.sample_time_s = 1e-9;
  CHECK(measured<Plain>(effort, {8}).records[0].at(0).iterations == 4);
  effort.sample_time_s = 2e-3;
  effort.warmup = 0;
  CHECK(measured<Plain>(effort, {8}).records[0].at(0).iterations >= 4);
}

TEST_CASE("measure: windows hold fewer large messages unless the user says how many") {
  CHECK(window_of({}, 0) == 64);
  CHECK(window_of({}, 8) == 64);
  CHECK(window_of({}, 1 << 18) == 64);
  CHECK(window_of({}, 1 << 20) == 16);
  CHECK(window_of({}, std::uint64_t{1} << 26) == 1);
  CHECK(window_of({.iterations = {}, .warmup = {}, .window = 7}, std::uint64_t{1} << 26) == 7);
}

TEST_CASE("measure: data that arrive as sent pass the check at both sides") {
  const Measured outcome = measured<Plain>(few(true), {0, 1, 2, 999, 300'000});
  for (const int rank : {0, 1}) {
    for (const P2pRecord& record : outcome.records[rank]) CHECK(record.data == DataCheck::passed);
    CHECK(outcome.complaints[rank].empty());
  }
}

TEST_CASE("measure: a byte that changes in a stream is found at the receiver") {
  const Measured outcome = measured<SpoilsStreams>(few(true), {100});
  CHECK(outcome.records[1].at(0).data == DataCheck::failed);
  REQUIRE(outcome.complaints[1].size() == 1);
  CHECK(outcome.complaints[1][0].rfind("100 bytes, stream: byte 99 arrived as 0x", 0) == 0);
  CHECK(outcome.complaints[0].empty());
}

TEST_CASE("measure: a byte that changes in an echo is found at the leader") {
  const Measured outcome = measured<SpoilsEchoes>(few(true), {100});
  CHECK(outcome.records[0].at(0).data == DataCheck::failed);
  REQUIRE_FALSE(outcome.complaints[0].empty());
  CHECK(outcome.complaints[0][0].rfind("100 bytes, ping-pong: byte 0 ", 0) == 0);
}

TEST_CASE("measure: messages that come in the wrong order are found") {
  const Measured outcome = measured<Swaps>(few(true), {100});
  CHECK(outcome.records[0].at(0).data == DataCheck::failed);
  REQUIRE(outcome.complaints[0].size() == 1);
  CHECK(outcome.complaints[0][0].find("messages of different content") != std::string::npos);
}

namespace {

/// Notes where the messages of rank 0 lie.
class NotesBuffers final : public Plain {
 public:
  using Plain::Plain;
  static inline std::set<const std::byte*> single, streamed;

  void send(std::span<const std::byte> data) override {
    if (rank_ == 0 && data.size() == 100) single.insert(data.data());
    inner_.send(data);
  }
  void send_burst(const Burst& out) override {
    for (int k = 0; rank_ == 0 && k < out.count; ++k) streamed.insert(out.message(k).data());
    inner_.send_burst(out);
  }
};

}  // namespace

TEST_CASE("measure: messages take turns in as many buffers as asked for") {
  for (const int buffers : {1, 3, 6}) {
    NotesBuffers::single.clear();
    NotesBuffers::streamed.clear();
    Effort effort = few(true);
    effort.buffers = buffers;
    const Measured outcome = measured<NotesBuffers>(effort, {100});
    CAPTURE(buffers);
    CHECK(outcome.records[0].at(0).data == DataCheck::passed);
    CHECK(outcome.records[0].at(0).buffers == buffers);
    CHECK(NotesBuffers::single.size() == static_cast<std::size_t>(buffers));
    CHECK(NotesBuffers::streamed.size() == static_cast<std::size_t>(buffers));
  }
}

TEST_CASE("measure: buffers of long messages are fewer, so that they fit into memory") {
  Effort effort;
  effort.buffers = 64;
  CHECK(buffers_of(effort, 0) == 64);
  CHECK(buffers_of(effort, 1 << 20) == 64);
  CHECK(buffers_of(effort, 64 << 20) == 4);
  CHECK(buffers_of(effort, std::uint64_t{1} << 30) == 1);
}
