#include "vm/abi/mpi/progress.hpp"

#include <catch2/catch.hpp>

#include "support/engine_machine.hpp"
#include "vm/comm.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using mpi::Progress;

namespace {

/// One of two tasks. What it waits for comes when the test says so.
struct FakeEndpoint final : Endpoint {
  [[nodiscard]] Rank rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 2; }
  void start(Operation& operation) override { started = &operation; }
  void progress() override { ++looks; }
  void wait_any(std::span<Operation* const>) override {}
  bool probe(Rank, Tag, Context, Status&, bool) override { return false; }
  bool cancel(Operation&) override { return true; }
  [[nodiscard]] std::string_view method(Rank) const override { return "fake"; }
  void wait_for_memory(std::span<const Rank>, const std::function<bool()>& done) override {
    ++waits;
    while (!done()) on_wait();
  }

  Operation* started = nullptr;
  int looks = 0, waits = 0;
  std::function<void()> on_wait;
};

/// Two tasks of one thread, each with its progress: jobs let one wait for the other without blocking.
struct Pair {
  Pair()
      : machine(2),
        progress{Progress(machine[0]), Progress(machine[1])},
        comms{Comm(progress[0]), Comm(progress[1])} {
    for (std::size_t i = 0; i < 2; ++i) {
      progress[i].keep_apart_collectives_of(comms[i]);
      background[i] = comms[i].in_background();
    }
  }
  /// Moves everything until nothing moves any more.
  void settle() {
    for (int i = 0; i < 50; ++i) {
      machine.deliver_all();
      for (Progress& one : progress) one.progress();
    }
  }

  EngineMachine machine;
  std::array<Progress, 2> progress;
  std::array<Comm, 2> comms;
  std::array<std::unique_ptr<Comm>, 2> background;
};

}  // namespace

TEST_CASE("a job goes on when what it waits for has come", "[mpi]") {
  Pair pair;
  std::array<int, 2> sums{1, 2};
  const auto reduce = [&](std::size_t rank) {
    return pair.progress[rank].begin([&, rank] { pair.background[rank]->allreduce(std::span(&sums[rank], 1)); }, 0);
  };
  const auto first = reduce(0);
  CHECK_FALSE(Progress::is_done(*first));
  CHECK(pair.progress[0].has_jobs());
  const auto second = reduce(1);
  pair.settle();
  CHECK(Progress::is_done(*first));
  CHECK(Progress::is_done(*second));
  CHECK(sums == std::array{3, 3});
  CHECK_FALSE(pair.progress[0].has_jobs());
}

TEST_CASE("jobs of one Comm do not take each other's messages, in whatever order they go on", "[mpi]") {
  Pair pair;
  std::array<std::array<int, 2>, 2> values{{{1, 10}, {2, 20}}};
  std::vector<std::shared_ptr<Progress::Job>> jobs;
  const auto reduce = [&](std::size_t rank, unsigned number) {
    jobs.push_back(pair.progress[rank].begin(
        [&, rank, number] { pair.background[rank]->allreduce(std::span(&values[rank][number], 1)); }, number));
  };
  reduce(0, 0);
  reduce(0, 1);
  reduce(1, 1);
  reduce(1, 0);
  pair.settle();
  for (const auto& job : jobs) CHECK(Progress::is_done(*job));
  CHECK(values == std::array<std::array<int, 2>, 2>{{{3, 30}, {3, 30}}});
}

TEST_CASE("while a job is in a collective, messages outside of it are those of programs", "[mpi]") {
  Pair pair;
  std::array<int, 1> value{-1};
  const auto job = pair.progress[1].begin([&] { pair.background[1]->broadcast(value, 0); }, 1);
  // Of the same Comm, by whoever goes on in between.
  std::array<int, 1> got{-1};
  Request receive = pair.background[1]->irecv(got, 0, 0);
  const std::array seven{7};
  Request sent = pair.comms[0].isend(seven, 1, 0);
  pair.settle();
  CHECK(got == std::array{7});
  const auto other = pair.progress[0].begin(
      [&] {
        std::array<int, 1> told{5};
        pair.background[0]->broadcast(told, 0);
      },
      1);
  pair.settle();
  CHECK(Progress::is_done(*job));
  CHECK(value == std::array{5});
  pair.comms[0].wait(sent);
  pair.background[1]->wait(receive);
}

TEST_CASE("what a job throws is kept for who asks for it", "[mpi]") {
  Pair pair;
  const auto job = pair.progress[0].begin([] { throw RunError("no more memory"); }, 0);
  CHECK(Progress::is_done(*job));
  CHECK_THROWS_WITH(Progress::check(*job), "no more memory");
}

TEST_CASE("messages of jobs are counted, their time is not", "[mpi]") {
  Pair pair;
  std::array<int, 2> sums{1, 2};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    (void)pair.progress[rank].begin([&, rank] { pair.background[rank]->allreduce(std::span(&sums[rank], 1)); }, 0);
  }
  pair.settle();
  CHECK(pair.comms[0].counters().total().messages_sent == 1);
  CHECK(pair.comms[0].counters().calls == 0);
  CHECK(pair.comms[0].counters().communication == 0);
}

TEST_CASE("who waits for memory blocks below, and jobs go on in between", "[mpi]") {
  FakeEndpoint base;
  Progress progress(base);
  Comm comm(progress);
  progress.keep_apart_collectives_of(comm);
  Operation receive;
  bool job_went_on = false;
  const auto job = progress.begin(
      [&] {
        progress.start(receive);
        Operation* const waited[] = {&receive};
        progress.wait_any(waited);
        job_went_on = true;
      },
      0);
  REQUIRE(base.started == &receive);
  receive.complete = false;
  bool done = false;
  base.on_wait = [&] {
    // First the job's message comes, then what is waited for.
    done = receive.complete;
    receive.complete = true;
  };
  constexpr std::array<Rank, 2> writers{0, 1};
  progress.wait_for_memory(writers, [&] { return done; });
  CHECK(job_went_on);
  CHECK(Progress::is_done(*job));
  CHECK(base.waits == 2);
  CHECK(base.looks == 0);
}
