#include "harness/commands/p2p/coupled/model.hpp"

#include <catch2/catch.hpp>
#include <mutex>

#include "support/thread_machine.hpp"
#include "vm/status.hpp"

using namespace nasvm;

namespace {

struct Seen {
  std::vector<Rank> partners;
  std::vector<std::string> complaints;
  std::vector<bool> meetings;
  PeerCounters traffic;
};

std::vector<Seen> seen_after(int tasks, std::uint64_t halo_bytes, int steps) {
  std::vector<Seen> all(static_cast<std::size_t>(tasks));
  test::run_ranks(tasks, [&](Comm& comm) {
    Seen& mine = all[static_cast<std::size_t>(comm.rank())];
    CoupledModel model(comm, halo_bytes, [&](bool begins) { mine.meetings.push_back(begins); });
    for (int i = 0; i < steps; ++i) model.step();
    mine.partners = model.partners();
    mine.complaints = model.complaints();
    mine.traffic = comm.counters().total();
  });
  return all;
}

}  // namespace

TEST_CASE("coupled model: two thirds of the tasks are the atmosphere, and everybody has a partner") {
  const auto all = seen_after(6, 64, 1);
  CHECK(all[0].partners == std::vector<Rank>{4});
  CHECK(all[1].partners == std::vector<Rank>{5});
  CHECK(all[4].partners == std::vector<Rank>{0, 2});
  CHECK(all[5].partners == std::vector<Rank>{1, 3});
}

TEST_CASE("coupled model: halos go in every step, fields once in two of the atmosphere") {
  const auto all = seen_after(6, 100, 5);
  // Four tasks in a ring, twice a step; a field to one partner.
  CHECK(all[0].traffic.messages_sent == 5 * (2 * 2 + 1));
  CHECK(all[0].traffic.bytes_sent == 5 * (2 * 2 * 100 + 400));
  // Two tasks have one halo between them; fields to two partners.
  CHECK(all[4].traffic.messages_sent == 5 * (1 + 2));
  CHECK(all[4].traffic.bytes_sent == 5 * (100 + 2 * 400));
  for (const Seen& one : all) {
    CHECK(one.complaints.empty());
    CHECK(one.meetings == std::vector<bool>{true, false, true, false, true, false, true, false, true, false});
  }
}

TEST_CASE("coupled model: works for any number of tasks") {
  const int tasks = GENERATE(3, 4, 5, 7);
  for (const Seen& one : seen_after(tasks, coupled_least_bytes, 3)) {
    CHECK(one.complaints.empty());
    CHECK_FALSE(one.partners.empty());
  }
}

TEST_CASE("coupled model: messages of another step or task are complained of") {
  std::vector<std::string> complaints;
  test::run_ranks(3, [&](Comm& comm) {
    CoupledModel model(comm, 16, [](bool) {});
    if (comm.rank() == 2) {  // an ocean that is a step ahead with its first field
      const std::vector<std::int64_t> other{2, 7};
      std::vector<std::byte> field(64);
      std::copy_n(std::as_bytes(std::span(other)).begin(), 16, field.begin());
      for (const Rank air : {0, 1}) comm.send(field, air, 0);
    }
    model.step();
    if (comm.rank() == 0) complaints = model.complaints();
    if (comm.rank() == 2) return;
    std::vector<std::byte> left(64);  // the field that is over
    comm.recv(left, 2, 0);
  });
  REQUIRE(complaints.size() == 1);
  CHECK(complaints[0] == "task 0 got task 2's message of step 7 instead of task 2's of step 1");
}
