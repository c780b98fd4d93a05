#include "vm/waiting/choice.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using std::chrono::microseconds;

namespace {

WaitingChoice choice_for(const Neighbours& neighbours, Binding binding = Binding::core) {
  return choose_waiting(neighbours, binding, std::nullopt);
}

}  // namespace

TEST_CASE("with a core for each thread tasks poll long, on cores of their own", "[waiting]") {
  const auto choice = choice_for({.usable_cores = 8, .threads = 8, .tasks = 4});
  CHECK(choice.patience.spin == spin_on_own_core);
  CHECK_FALSE(choice.patience.crowded);
  CHECK(choice.own_cores == 2);
}

TEST_CASE("with more threads than cores tasks offer theirs, and are bound to none", "[waiting]") {
  for (const int daemons : {0, 1}) {
    const auto choice = choice_for({.usable_cores = 2, .threads = 3, .tasks = 3, .daemons = daemons});
    CHECK(choice.patience.spin == spin_in_crowd);
    CHECK(choice.patience.crowded);
    CHECK(choice.own_cores == 0);
  }
}

TEST_CASE("where only daemons make it a crowd tasks stay awake for a trip through them", "[waiting]") {
  const auto choice = choice_for({.usable_cores = 2, .threads = 2, .tasks = 2, .daemons = 1});
  CHECK(choice.patience.spin == spin_beside_daemons);
  CHECK(choice.patience.crowded);
  CHECK(choice.own_cores == 0);
}

TEST_CASE("a task alone on its computer, and one that must not be bound, claim no cores", "[waiting]") {
  CHECK(choice_for({.usable_cores = 4, .threads = 4, .tasks = 1}).own_cores == 0);
  CHECK(choice_for({.usable_cores = 4, .threads = 4, .tasks = 4}, Binding::none).own_cores == 0);
}

TEST_CASE("a time to poll that the user has set holds in every case", "[waiting]") {
  for (const int threads : {2, 4, 9}) {
    const Neighbours neighbours{.usable_cores = 4, .threads = threads, .tasks = 2, .daemons = 1};
    const auto choice = choose_waiting(neighbours, Binding::core, microseconds(0));
    CHECK(choice.patience.spin == microseconds(0));
    CHECK_FALSE(choice.patience.stretches);
    CHECK(choice_for(neighbours).patience.stretches);
    CHECK(choice.patience.crowded == choice_for(neighbours).patience.crowded);
  }
}
