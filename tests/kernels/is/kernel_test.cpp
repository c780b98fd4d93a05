#include <catch2/catch.hpp>
#include <vector>

#include "kernels/is/buckets.hpp"
#include "kernels/is/is.hpp"
#include "kernels/is/keys.hpp"
#include "support/thread_machine.hpp"
#include "vm/collective/costs.hpp"
#include "vm/status.hpp"

using namespace nasvm;

namespace {

std::vector<Outcome> run(int tasks, const Problem& problem, test::Memory memory = test::Memory::closed) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(tasks));
  test::run_ranks(
      tasks, [&](Comm& comm) { outcomes[static_cast<std::size_t>(comm.rank())] = is::kernel.run(comm, problem); },
      memory);
  return outcomes;
}

struct Sent {
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
};

/// Every task verifies and says the same. Returns what they sent.
Sent check_verified(int tasks, const Problem& problem, test::Memory memory = test::Memory::closed) {
  INFO("class " << problem.problem_class << " on " << tasks << " tasks " << problem.variant);
  const std::size_t pieces_before = test::created_pieces();
  const std::vector<Outcome> outcomes = run(tasks, problem, memory);
  // Each task has a window.
  if (memory == test::Memory::shared) {
    CHECK(test::created_pieces() - pieces_before >= static_cast<std::size_t>(tasks));
  }
  Sent sent;
  for (const Outcome& outcome : outcomes) {
    CHECK(outcome.verified);
    CHECK(outcome.time_s > 0);
    CHECK(outcome.details == outcomes.front().details);
    sent.bytes += outcome.communication.total().bytes_sent;
    sent.messages += outcome.communication.total().messages_sent;
  }
  return sent;
}

/// Messages are exact; the bytes stay below the bound by about the keys that have no need to move.
void check_moving(int tasks, const Problem& problem, double keys, test::Memory memory = test::Memory::closed) {
  const Sent sent = check_verified(tasks, problem, memory);
  const Traffic bound = is::kernel.traffic(problem, tasks);
  CHECK(bound.exact == (tasks == 1));
  CHECK(sent.messages == bound.messages);
  CHECK(sent.bytes <= bound.volume_bytes);
  const double kept_bytes = tasks == 1 ? 0 : 10 * 4 * keys / tasks;
  const double likely_bytes = static_cast<double>(bound.volume_bytes) - kept_bytes;
  CHECK(static_cast<double>(sent.bytes) == Approx(likely_bytes).epsilon(0.02));
}

void check_histogram(int tasks, const Problem& problem) {
  const Sent sent = check_verified(tasks, problem);
  const Traffic expected = is::kernel.traffic(problem, tasks);
  CHECK(expected.exact);
  CHECK(sent.messages == expected.messages);
  CHECK(sent.bytes == expected.volume_bytes);
}

/// Keys that are not with the owners of their values when these are chosen by exact counts, in ten rankings.
std::uint64_t keys_to_move(const is::Parameters& problem, int tasks) {
  const Range all{0, problem.keys()};
  LargeBuffer<is::Key> keys = is::generate_keys(problem, all, 1);
  std::uint64_t moved = 0;
  for (int iteration = 1; iteration <= is::iterations; ++iteration) {
    is::change_keys(problem, iteration, all, keys.span());
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(problem.max_key()));
    for (const is::Key key : keys) ++counts[key];
    const std::vector<Rank> owners = is::balanced_owners(counts, tasks);
    for (Rank holder = 0; holder < tasks; ++holder) {
      for (const is::Key key : part_of(keys.span(), share(problem.keys(), tasks, holder))) {
        if (owners[key] != holder) ++moved;
      }
    }
  }
  return moved;
}

/// Messages are exact; of the bytes the keys' and ranks', which the formula has as if all moved, are counted here.
void check_paper(int tasks, const Problem& problem) {
  const is::Parameters& parameters = is::parameters(problem.problem_class);
  const Sent sent = check_verified(tasks, problem);
  const Traffic bound = is::kernel.traffic(problem, tasks);
  CHECK(bound.exact == (tasks == 1));
  CHECK(sent.messages == bound.messages);
  const std::uint64_t all_keys = tasks == 1 ? 0 : is::iterations * static_cast<std::uint64_t>(parameters.keys());
  CHECK(sent.bytes == bound.volume_bytes - std::uint64_t{8} * (all_keys - keys_to_move(parameters, tasks)));
}

}  // namespace

TEST_CASE("is: class S verifies on 1 to 17 tasks, with the messages that the formula says") {
  for (int tasks = 1; tasks <= 17; ++tasks) check_moving(tasks, {.problem_class = 'S'}, 1 << 16);
}

TEST_CASE("is: class W verifies, with the messages that the formula says") {
  for (const int tasks : {1, 2, 5}) check_moving(tasks, {.problem_class = 'W'}, 1 << 20);
}

TEST_CASE("is: with windows it verifies, with the messages and the volume of keys that travel") {
  for (const int tasks : {2, 3, 8, 17}) check_moving(tasks, {.problem_class = 'S'}, 1 << 16, test::Memory::shared);
  check_moving(2, {.problem_class = 'W'}, 1 << 20, test::Memory::shared);
  check_moving(3, {.problem_class = 'S', .threads = 2}, 1 << 16, test::Memory::shared);
}

TEST_CASE("is: histograms verify and send what the formula says") {
  for (const int tasks : {1, 2, 3, 7, 8, 17}) check_histogram(tasks, {.problem_class = 'S', .variant = "histogram"});
  check_histogram(3, {.problem_class = 'W', .variant = "histogram"});
}

TEST_CASE("is: the paper's scheme verifies and sends what the formula says on 1 to 17 tasks") {
  for (int tasks = 1; tasks <= 17; ++tasks) check_paper(tasks, {.problem_class = 'S', .variant = "paper"});
}

TEST_CASE("is: the paper's scheme verifies in class W, and in the paper's reduced problem") {
  check_paper(3, {.problem_class = 'W', .variant = "paper"});
  check_paper(4, {.problem_class = 'R', .variant = "paper"});
}

TEST_CASE("is: the paper's scheme has the messages and bytes that its description has") {
  // A ranking: counts to the root, ranges from it; keys, numbers of keys and ranks between all pairs.
  const auto traffic = [](char problem_class, std::uint64_t tasks) {
    return is::kernel.traffic({.problem_class = problem_class, .variant = "paper"}, static_cast<int>(tasks));
  };
  for (const std::uint64_t tasks : {2, 3, 8, 16, 17}) {
    CHECK(traffic('A', tasks).messages == 10 * (2 * (tasks - 1) + 3 * tasks * (tasks - 1)));
    const std::uint64_t of_root = (tasks - 1) * ((std::uint64_t{4} << 19) + 4 * (tasks + 1));
    CHECK(traffic('A', tasks).volume_bytes == 10 * (of_root + 8 * tasks * (tasks - 1) + (std::uint64_t{8} << 23)));
  }
  CHECK(traffic('A', 8).messages == 1820);
  CHECK(traffic('R', 16).messages == 7500);
}

TEST_CASE("is: the tuned variant sends at most 0.51 of the paper's volume") {
  // Table 9: 560 MB on 8 tasks, 150 in the reduced problem on 16, where M is 2^20.
  CHECK(100 * check_verified(8, {.problem_class = 'A'}).bytes <= 51 * (std::uint64_t{560} << 20));
  CHECK(100 * check_verified(16, {.problem_class = 'R'}).bytes <= 51 * (std::uint64_t{150} << 20));
}

TEST_CASE("is: the paper's scheme refuses a class whose ranks need more than 32 bits") {
  const Problem problem{.problem_class = 'E', .variant = "paper"};
  CHECK_THROWS_AS(is::kernel.traffic(problem, 8), UsageError);
  CHECK_THROWS_AS(is::kernel.memory_bytes(problem, 8), UsageError);
  CHECK(is::kernel.memory_bytes({.problem_class = 'D', .variant = "paper"}, 8) > std::uint64_t{12} << 31);
}

TEST_CASE("is: the reduced problem verifies with every variant") {
  for (const char* variant : {"tuned", "histogram", "paper"}) {
    for (const int tasks : {1, 2}) check_verified(tasks, {.problem_class = 'R', .variant = variant});
  }
}

TEST_CASE("is: threads inside a task verify") {
  for (const char* variant : {"tuned", "histogram", "paper"}) {
    for (const int tasks : {1, 3}) check_verified(tasks, {.problem_class = 'S', .threads = 3, .variant = variant});
  }
}

TEST_CASE("is: each thread's keys are messages of their own") {
  check_moving(3, {.problem_class = 'S', .threads = 2}, 1 << 16);
}

TEST_CASE("is: more tasks than the changed keys' positions apart verify") {
  for (const char* variant : {"tuned", "histogram", "paper"})
    check_verified(97, {.problem_class = 'S', .variant = variant});
}

TEST_CASE("is: what it says of itself") {
  CHECK(is::kernel.name == "is");
  CHECK(is::kernel.classes == "SWABCDER");
  CHECK(is::kernel.size_text({.problem_class = 'A'}) == "8388608");
  CHECK(is::kernel.iterations({}) == 10);
  CHECK(is::kernel.mega_operations({.problem_class = 'A'}) == Approx(83.88608));
  const std::uint64_t reduced = collective::allreduce_cost(2, 1029 * sizeof(std::uint32_t)).bytes;
  CHECK(is::kernel.traffic({.problem_class = 'A'}, 2).volume_bytes == 10 * (reduced + 8 + (4U << 23)));
  CHECK(is::kernel.memory_bytes({.problem_class = 'B'}, 1) > 8U << 25);
  CHECK(is::kernel.memory_bytes({.problem_class = 'D'}, 4) > std::uint64_t{10} << 31);
}

TEST_CASE("is: unknown words are the user's mistakes") {
  for (const Problem& problem : {Problem{.problem_class = 'F'}, Problem{.variant = "fast"}}) {
    CHECK_THROWS_AS(test::run_ranks(1, [&](Comm& comm) { (void)is::kernel.run(comm, problem); }), UsageError);
  }
}
