#include <catch2/catch.hpp>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"
#include "vm/comm.hpp"
#include "vm/endpoint.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

Comm::Piece piece(Rank rank, std::vector<int>& values) { return {rank, std::as_writable_bytes(std::span(values))}; }

/// Rank 0 of two, whose messages are sent and have come at once.
class Recorder final : public Endpoint {
 public:
  [[nodiscard]] Rank rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 2; }
  [[nodiscard]] std::string_view method(Rank) const override { return "recorded"; }
  void start(Operation& operation) override {
    (operation.kind == Operation::Kind::send ? sent : received).push_back(operation.element_bytes);
    operation.status = {operation.peer, operation.tag, operation.bytes};
    operation.complete = true;
  }
  void progress() override {}
  void wait_any(std::span<Operation* const>) override {}
  bool probe(Rank, Tag, Context, Status&, bool) override { return false; }
  bool cancel(Operation&) override { return false; }

  std::vector<int> sent, received;  ///< lengths of their elements
};

}  // namespace

TEST_CASE("exchange: pieces of other elements say so, each for itself", "[collective]") {
  Recorder recorder;
  Comm comm(recorder);
  std::vector<int> data{1};
  const auto of = [&](std::uint8_t element_bytes) {
    Comm::Piece made = piece(1, data);
    made.element_bytes = element_bytes;
    return made;
  };
  comm.exchange(std::vector{of(8), of(4), of(0)}, std::vector{of(0), of(1)}, 2);
  CHECK(recorder.sent == std::vector{8, 4, 2});
  CHECK(recorder.received == std::vector{2, 1});
}

TEST_CASE("exchange: every piece arrives at its place, in the order of each pair, those for oneself too",
          "[collective]") {
  for (const int ranks : rank_counts) {
    INFO("ranks " << ranks);
    std::vector<int> wrong(index(ranks), 0);
    run_ranks(ranks, [&](Comm& comm) {
      const Rank right = (comm.rank() + 1) % ranks;
      const Rank left = (comm.rank() + ranks - 1) % ranks;
      std::vector<int> first{comm.rank(), 1}, second{comm.rank(), 2, 2}, own{comm.rank(), 3}, none;
      const std::vector out{piece(right, first), piece(comm.rank(), own), piece(left, none), piece(right, second)};
      std::vector<int> from_first(2), from_second(3), from_self(2), from_nobody;
      std::vector in{piece(left, from_first), piece(right, from_nobody), piece(comm.rank(), from_self),
                     piece(left, from_second)};
      // A task alone is its own neighbour: what it sends itself comes in the order of the pieces.
      if (ranks == 1) in = {piece(0, from_first), piece(0, from_self), piece(0, from_second)};
      comm.exchange(out, in, sizeof(int));
      const bool right_values = from_first == std::vector{left, 1} && from_second == std::vector{left, 2, 2} &&
                                from_self == std::vector{comm.rank(), 3};
      wrong[index(comm.rank())] = right_values ? 0 : 1;
    });
    CHECK(wrong == std::vector<int>(index(ranks), 0));
  }
}

TEST_CASE("exchange: tasks that have no pieces in common need not call it", "[collective]") {
  int got = 0;
  run_ranks(4, [&](Comm& comm) {
    if (comm.rank() > 1) return;
    std::vector<int> value{comm.rank() + 7}, heard(1);
    const std::vector out{piece(1 - comm.rank(), value)};
    const std::vector in{piece(1 - comm.rank(), heard)};
    comm.exchange(out, in, sizeof(int));
    if (comm.rank() == 0) got = heard.front();
  });
  CHECK(got == 8);
}
