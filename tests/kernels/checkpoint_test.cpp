/// \file
/// Every kernel that makes checkpoints goes on from them, with any number of tasks, and finds what it would have
/// found.

#include "kernels/checkpoint.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"
#include "support/thread_machine.hpp"
#include "vm/status.hpp"

using namespace nasvm;

namespace {

/// What all tasks keep, in memory.
struct Kept {
  int iteration = 0;
  std::string layout;
  std::vector<std::byte> array;
  std::vector<int> written;  ///< how often each byte of the array was, in the last checkpoint
  std::vector<std::byte> numbers;
  std::mutex mutex{};
};

class InMemory final : public Checkpoints {
 public:
  /// Saves after iteration number `at` alone; 0: never.
  InMemory(Comm& comm, Kept& kept, int at) : comm_(comm), kept_(kept), at_(at) {}

  [[nodiscard]] bool is_due(int iteration, int) const override { return iteration == at_; }
  void save(int iteration, const KernelState& state) override {
    if (comm_.rank() == 0) {
      kept_.iteration = iteration;
      kept_.layout = state.layout;
      kept_.array.assign(state.array_bytes, std::byte{0});
      kept_.written.assign(state.array_bytes, 0);
      kept_.numbers.assign(state.numbers.begin(), state.numbers.end());
    }
    comm_.barrier();
    const std::lock_guard lock(kept_.mutex);
    for (const StatePiece& piece : state.pieces) {
      std::ranges::copy(piece.bytes, kept_.array.begin() + static_cast<std::ptrdiff_t>(piece.position));
      for (std::size_t i = 0; i < piece.bytes.size(); ++i) ++kept_.written[piece.position + i];
    }
  }
  [[nodiscard]] bool can_restore() const override { return at_ == 0; }
  int restore(const KernelState& state) override {
    const std::lock_guard lock(kept_.mutex);
    if (state.layout != kept_.layout || state.array_bytes != kept_.array.size() ||
        state.numbers.size() != kept_.numbers.size()) {
      throw RunError("another state");
    }
    for (const StatePiece& piece : state.pieces) {
      std::copy_n(kept_.array.begin() + static_cast<std::ptrdiff_t>(piece.position), piece.bytes.size(),
                  piece.bytes.begin());
    }
    std::ranges::copy(kept_.numbers, state.numbers.begin());
    return kept_.iteration;
  }

 private:
  Comm& comm_;
  Kept& kept_;
  int at_;
};

std::vector<Outcome> run(const Kernel& kernel, Problem problem, int tasks, Kept& kept, int at) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(tasks));
  test::run_ranks(tasks, [&](Comm& comm) {
    InMemory checkpoints(comm, kept, at);
    Problem own = problem;
    own.checkpoints = &checkpoints;
    outcomes[static_cast<std::size_t>(comm.rank())] = kernel.run(comm, own);
  });
  return outcomes;
}

void check_restarts(const Kernel& kernel, const std::string& variant, int saving,
                    const std::vector<int>& restarting) {
  Problem problem;
  problem.variant = variant;
  Kept kept;
  const std::vector<Outcome> first = run(kernel, problem, saving, kept, 3);
  for (const Outcome& outcome : first) CHECK(outcome.verified);
  REQUIRE(kept.iteration == 3);
  // The tasks' pieces are the whole array, each byte once.
  CHECK(std::ranges::count(kept.written, 1) == static_cast<std::ptrdiff_t>(kept.written.size()));
  for (const int tasks : restarting) {
    INFO(kernel.name << ' ' << variant << ", saved by " << saving << " tasks, restarted by " << tasks);
    for (const Outcome& outcome : run(kernel, problem, tasks, kept, 0)) {
      CHECK(outcome.verified);
      CHECK(outcome.first_iteration == 4);
      CHECK(outcome.details.front().second.substr(0, 10) == first.front().details.front().second.substr(0, 10));
    }
  }
  // It is the kept state that goes on.
  std::ranges::fill(kept.array, std::byte{0});
  for (const Outcome& outcome : run(kernel, problem, 2, kept, 0)) CHECK_FALSE(outcome.verified);
}

}  // namespace

TEST_CASE("checkpoints: every variant of every kernel that has them goes on with other numbers of tasks") {
  int variants = 0;
  for (const Kernel& kernel : kernels()) {
    for (const KernelVariant& variant : kernel.variants) {
      if (!variant.checkpoints) continue;
      ++variants;
      for (const int saving : {1, 3, 4}) check_restarts(kernel, std::string(variant.name), saving, {1, 2, 3, 5});
    }
  }
  CHECK(variants == 8);  // three of IS, three of FT, two of MG
}

TEST_CASE("checkpoints: one spoilt key of IS fails the verification, whether it is in the range of keys or not") {
  const Kernel& kernel = *find_kernel("is");
  for (const char* variant : {"tuned", "histogram", "paper"}) {
    INFO(variant);
    Problem problem;
    problem.variant = variant;
    problem.threads = 2;
    Kept kept;
    (void)run(kernel, problem, 2, kept, 3);
    const std::vector<std::byte> right = kept.array;
    for (const std::uint32_t spoilt_bits : {1U, ~0U}) {
      kept.array = right;
      std::byte* const last_key = kept.array.data() + kept.array.size() - sizeof(std::uint32_t);
      std::uint32_t key = 0;
      std::memcpy(&key, last_key, sizeof key);
      key ^= spoilt_bits;
      std::memcpy(last_key, &key, sizeof key);
      for (const Outcome& outcome : run(kernel, problem, 3, kept, 0)) {
        CHECK_FALSE(outcome.verified);
        CHECK(outcome.details.front().second == "50 of 50");
        CHECK(outcome.details.back().second == "2 of 3");
      }
    }
    kept.array = right;
    for (const Outcome& outcome : run(kernel, problem, 3, kept, 0)) CHECK(outcome.verified);
    std::ranges::fill(kept.numbers, std::byte{0x7f});
    for (const Outcome& outcome : run(kernel, problem, 3, kept, 0)) CHECK_FALSE(outcome.verified);
  }
}

TEST_CASE("checkpoints: tasks that own nothing take part") {
  check_restarts(*find_kernel("mg"), "tuned", 33, {35, 2});
  check_restarts(*find_kernel("mg"), "paper", 33, {35, 2});
  check_restarts(*find_kernel("ft"), "tuned", 17, {65});
}

TEST_CASE("checkpoints: what a region counts is the same with them") {
  Problem problem;
  for (const char* name : {"is", "ft", "mg"}) {
    const Kernel& kernel = *find_kernel(name);
    Kept kept;
    const Traffic expected = kernel.traffic(problem, 3);
    std::uint64_t messages = 0;
    for (const Outcome& outcome : run(kernel, problem, 3, kept, 2)) {
      messages += outcome.communication.total().messages_sent;
    }
    CHECK(kept.iteration == 2);
    CHECK(messages == expected.messages);
  }
}
