// OwnCores: binding, and claims that exclude each other. Claims belong to the process, so what one holds the same
// test cannot have twice.
#include "vm/cores.hpp"

#include <sched.h>

#include <catch2/catch.hpp>

using namespace nasvm;

namespace {

cpu_set_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  REQUIRE(::sched_getaffinity(0, sizeof set, &set) == 0);
  return set;
}

}  // namespace

TEST_CASE("a claim binds to cores that the task may use, and its release lets go", "[cores]") {
  const cpu_set_t before = affinity();
  const int usable = usable_cores();
  CHECK(usable == CPU_COUNT(&before));
  OwnCores own = OwnCores::claim(0, 1);
  if (own.numbers().empty()) return;  // a program is running here that has them all
  CHECK(CPU_ISSET(own.numbers().front(), &before));
  const cpu_set_t bound = affinity();
  CHECK(CPU_COUNT(&bound) == 1);
  CHECK(CPU_ISSET(own.numbers().front(), &bound));
  own.release();
  CHECK(own.numbers().empty());
  const cpu_set_t after = affinity();
  CHECK(CPU_EQUAL(&before, &after));
}

TEST_CASE("what one has claimed nobody else gets", "[cores]") {
  const cpu_set_t before = affinity();
  OwnCores all = OwnCores::claim(0, usable_cores());
  if (all.numbers().empty()) return;
  CHECK(OwnCores::claim(0, 1).numbers().empty());
  CHECK(OwnCores::claim(1, 1).numbers().empty());
  const auto numbers = all.numbers();
  all.release();
  OwnCores again = OwnCores::claim(0, static_cast<int>(numbers.size()));
  again.release();
  const cpu_set_t after = affinity();
  CHECK(CPU_EQUAL(&before, &after));
}

TEST_CASE("more cores than there are cannot be had, and nothing changes", "[cores]") {
  const cpu_set_t before = affinity();
  CHECK(OwnCores::claim(0, usable_cores() + 1).numbers().empty());
  const cpu_set_t after = affinity();
  CHECK(CPU_EQUAL(&before, &after));
}

TEST_CASE("the search begins where it is told to", "[cores]") {
  const int usable = usable_cores();
  OwnCores first = OwnCores::claim(0, 1);
  const auto numbers = first.numbers();
  first.release();
  OwnCores around = OwnCores::claim(usable, 1);
  const auto numbers_around = around.numbers();
  around.release();
  if (!numbers.empty() && !numbers_around.empty()) CHECK(numbers == numbers_around);
}
