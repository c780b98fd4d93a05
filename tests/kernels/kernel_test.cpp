#include "kernels/kernel.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/support/thread_machine.hpp"
#include "vm/status.hpp"

using namespace nasvm;

namespace {

Outcome nothing(Comm&, const Problem&) { return {}; }

constexpr std::array toy_variants{
    KernelVariant{.name = "first",
                  .description = "",
                  .run = nothing,
                  .memory_bytes = [](const Problem&, int) { return std::uint64_t{1}; },
                  .traffic = [](const Problem&, int) { return Traffic{}; },
                  .work = [](const Problem&, int) { return Work{}; }},
    KernelVariant{.name = "second",
                  .description = "",
                  .run = nothing,
                  .memory_bytes = [](const Problem&, int) { return std::uint64_t{2}; },
                  .traffic =
                      [](const Problem&, int) {
                        return Traffic{2, 2, true};
                      },
                  .work =
                      [](const Problem&, int) {
                        return Work{2, 2, 2};
                      }},
};
constexpr std::array<std::string_view, 3> colours{"red", "green", "blue"};
constexpr std::array toy_parameters{KernelParameter{.name = "colour", .description = "", .values = colours}};
constexpr Kernel toy{
    .name = "toy",
    .title = "TOY",
    .description = "",
    .classes = "S",
    .variants = toy_variants,
    .parameters = toy_parameters,
    .mega_operations = [](const Problem&) { return 0.0; },
    .size_text = [](const Problem&) { return std::string(); },
    .iterations = [](const Problem&) { return 0; },
    .operation_type = "",
};

/// The text of the UsageError that `action` throws.
template <typename Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no complaint";
}

}  // namespace

TEST_CASE("kernel: the variant that the problem names does the work, the first where it names none") {
  CHECK(toy.memory_bytes({}, 1) == 1);
  CHECK(toy.memory_bytes({.variant = "first"}, 1) == 1);
  CHECK(toy.memory_bytes({.variant = "second"}, 1) == 2);
  CHECK(toy.traffic({.variant = "second"}, 1).messages == 2);
  CHECK(toy.work({.variant = "second"}, 1).bytes == 2);
}

TEST_CASE("kernel: an unknown variant is refused with the known ones") {
  CHECK(complaint([] { static_cast<void>(toy.memory_bytes({.variant = "third"}, 1)); }) ==
        "toy has no variant 'third'; it has first and second");
}

TEST_CASE("kernel: a parameter has its first value unless the problem gives it another") {
  const KernelParameter& colour = *toy.parameter("colour");
  CHECK(colour.chosen({}) == 0);
  CHECK(colour.chosen({.parameters = {{"colour", "blue"}}}) == 2);
  CHECK(toy.parameter("balance") == nullptr);
}

TEST_CASE("kernel: an unknown value is refused with the known ones") {
  CHECK(complaint([] {
          static_cast<void>(toy_parameters[0].chosen({.parameters = {{"colour", "odd"}}}));
        }) == "colour 'odd' is not known; it may be red, green and blue");
}

TEST_CASE("kernel: every row of the table is complete, its names are unique") {
  std::set<std::string_view> names;
  for (const Kernel& kernel : kernels()) {
    CAPTURE(kernel.name);
    CHECK(names.insert(kernel.name).second);
    CHECK(find_kernel(kernel.name) == &kernel);
    CHECK_FALSE(kernel.description.empty());
    REQUIRE_FALSE(kernel.variants.empty());
    CHECK(&kernel.variant("") == &kernel.variants.front());
    for (const KernelVariant& variant : kernel.variants) {
      CHECK(&kernel.variant(variant.name) == &variant);
      CHECK((variant.run == nullptr) == (variant.farmed != nullptr));
      CHECK_FALSE(variant.description.empty());
    }
    for (const KernelParameter& parameter : kernel.parameters) {
      CHECK(kernel.parameter(parameter.name) == &parameter);
      CHECK_FALSE(parameter.values.empty());
    }
  }
  CHECK(find_kernel("nonsense") == nullptr);
}

TEST_CASE("no task goes on behind its timed region while another's time still runs, and waiting counts for nothing") {
  std::atomic<bool> slow_one_has_stopped = false;
  test::run_ranks(3, [&](Comm& comm) {
    Outcome outcome;
    const TimedRegion timed(comm);
    if (comm.rank() == 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the others would have gone on long since
      slow_one_has_stopped = true;
    }
    timed.stop(outcome);
    if (!slow_one_has_stopped) throw std::logic_error("went on");
    if (outcome.communication.total().messages_sent != 0) throw std::logic_error("counted the wait");
  });
}
