// Groups that go on without members that are lost: over links between threads, and with real tasks over every
// protocol.
#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <thread>

#include "support/packet_recorder.hpp"
#include "support/task_bodies.hpp"
#include "support/thread_machine.hpp"
#include "vm/broadcast/static_group.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using multicast::StaticGroup;
using multicast::Surroundings;

namespace {

struct Died {};

/// Who has ended, as the others hear of it.
class Ends {
 public:
  void add(Rank rank) {
    const std::lock_guard lock(mutex_);
    ended_.push_back({rank, "was killed by a test"});
  }
  /// As one member knows it, whose list `known` is.
  std::span<const Surroundings::Ended> heard(std::vector<Surroundings::Ended>& known) {
    const std::lock_guard lock(mutex_);
    known = ended_;
    return known;
  }

 private:
  std::mutex mutex_;
  std::vector<Surroundings::Ended> ended_;
};

/// A member's surroundings, which dies when it has looked so often whether something has come; negative: never.
Surroundings surroundings_of(Ends& ends, std::vector<Surroundings::Ended>& known, int looks) {
  return {.wait_until =
              [looks](const std::function<bool()>& done, multicast::TimePoint) mutable {
                for (;; std::this_thread::yield()) {
                  if (looks >= 0 && looks-- == 0) throw Died();
                  if (done()) return;
                }
              },
          .outlive = [](std::span<const Rank>) {},
          .ended = [&ends, &known] { return ends.heard(known); }};
}

constexpr int members = 5;

struct Outcome {
  std::vector<int> right = std::vector<int>(members);  ///< messages, by rank
  std::vector<multicast::Loss> named;                  ///< by the root
};

Outcome broadcast_and_lose(const multicast::Row& row, Rank doomed, int looks) {
  const std::vector<std::vector<std::byte>> messages{pattern(1'500'000), pattern(10, 1), pattern(700'000, 2)};
  Ends ends;
  Outcome outcome;
  run_ranks(members, [&](Comm& comm) {
    std::vector<Surroundings::Ended> known;
    const Surroundings here = surroundings_of(ends, known, comm.rank() == doomed ? looks : -1);
    StaticGroup group(here, comm, 0, {&row, {}}, {.on_loss = multicast::OnLoss::go_on});
    try {
      for (const auto& message : messages) {
        std::vector<std::byte> buffer(message.size());
        if (comm.rank() == 0) group.send(message);
        else (void)group.receive(buffer);
        outcome.right[static_cast<std::size_t>(comm.rank())] += comm.rank() == 0 || buffer == message ? 1 : 0;
      }
      group.close();
    } catch (const Died&) {
      ends.add(comm.rank());
    }
    if (comm.rank() == 0) outcome.named = group.losses();
  });
  return outcome;
}

}  // namespace

TEST_CASE("a group over links goes on without members that are lost at any time", "[broadcast]") {
  const Rank doomed = GENERATE(1, 2, 4);
  const int looks = GENERATE(0, 1, 2, 5, 17, 60, 300);
  for (const multicast::Row& row : multicast::protocols()) {
    if (row.carrier != multicast::Carrier::links) continue;
    CAPTURE(row.name, doomed, looks);
    const Outcome outcome = broadcast_and_lose(row, doomed, looks);
    for (Rank rank = 0; rank < members; ++rank) {
      if (rank != doomed) CHECK(outcome.right[static_cast<std::size_t>(rank)] == 3);
    }
    if (looks == 0) CHECK(outcome.right[static_cast<std::size_t>(doomed)] == 0);
    if (looks == 0 && row.name == "tree") CHECK(outcome.named.size() == 1);
    for (const multicast::Loss& loss : outcome.named) {
      CHECK(loss.rank == doomed);
      CHECK(loss.text == "was killed by a test");
    }
  }
}

TEST_CASE("a group over links stands without members that never come", "[broadcast]") {
  const std::vector<std::byte> message = pattern(300'000);
  for (const multicast::Row& row : multicast::protocols()) {
    if (row.carrier != multicast::Carrier::links) continue;
    CAPTURE(row.name);
    Ends ends;
    ends.add(2);
    std::atomic<int> right = 0;
    run_ranks(members, [&](Comm& comm) {
      if (comm.rank() == 2) return;
      std::vector<Surroundings::Ended> known;
      const Surroundings here = surroundings_of(ends, known, -1);
      StaticGroup group(here, comm, 0, {&row, {}}, {.on_loss = multicast::OnLoss::go_on});
      right += group.losses().size() == 1 && group.losses()[0].rank == 2 ? 1 : 0;
      std::vector<std::byte> buffer(message.size());
      if (comm.rank() == 0) group.send(message);
      else (void)group.receive(buffer);
      right += comm.rank() == 0 || buffer == message ? 1 : 0;
      group.close();
    });
    CHECK(right == 2 * (members - 1));
  }
}

TEST_CASE("a group whose root is lost ends with its name", "[broadcast]") {
  for (const multicast::Row& row : multicast::protocols()) {
    if (row.carrier != multicast::Carrier::links) continue;
    CAPTURE(row.name);
    Ends ends;
    std::atomic<int> named = 0;
    run_ranks(3, [&](Comm& comm) {
      std::vector<Surroundings::Ended> known;
      const Surroundings here = surroundings_of(ends, known, -1);
      StaticGroup group(here, comm, 1, {&row, {}}, {.on_loss = multicast::OnLoss::go_on});
      if (comm.rank() == 1) return ends.add(1);
      std::vector<std::byte> buffer(10);
      try {
        (void)group.receive(buffer);
      } catch (const RunError& error) {
        named += std::string(error.what()).find("rank 1, is lost: was killed by a test") != std::string::npos ? 1 : 0;
      }
    });
    CHECK(named == 2);
  }
}

TEST_CASE("tasks that are killed are named and do not stop groups by any protocol", "[broadcast][heavy]") {
  Machine machine({loopback_hosts(4, 4), "local"});
  const auto protocols = static_cast<int>(multicast::protocols().size());
  const std::vector<std::string> reports = machine.run(program_of("outlive members", protocols + 3, "auto"));
  for (int doomed = 1; doomed <= protocols; ++doomed) {
    CHECK_THAT(reports[0], Catch::Contains("rank " + std::to_string(doomed) + ": was killed by signal 9"));
  }
  for (int survivor = protocols + 1; survivor < protocols + 3; ++survivor) {
    CHECK(reports[static_cast<std::size_t>(survivor)] == "has all");
  }
}

TEST_CASE("tasks that are killed while a group is set up are named and do not stop it, by any protocol",
          "[broadcast][heavy]") {
  Machine machine({loopback_hosts(4, 4), "local"});
  const auto protocols = static_cast<int>(multicast::protocols().size());
  const std::vector<std::string> reports = machine.run(program_of("lose members in set-up", protocols + 3, "auto"));
  for (int doomed = 1; doomed <= protocols; ++doomed) {
    CHECK_THAT(reports[0], Catch::Contains("rank " + std::to_string(doomed) + ": was killed by signal 9"));
  }
  for (int survivor = protocols + 1; survivor < protocols + 3; ++survivor) {
    CHECK(reports[static_cast<std::size_t>(survivor)] == "has all");
  }
}

TEST_CASE("a host that is lost is named and does not stop a group", "[broadcast][heavy]") {
  Machine machine({loopback_hosts(4, 1), "local"});
  const std::vector<std::string> reports = machine.run(program_of("outlive a member's host", 4, "auto"));
  CHECK_THAT(reports[0], Catch::Contains("rank 2: ") && Catch::Contains("127.0.0.3"));
  CHECK(reports[3] == "has all");
}
