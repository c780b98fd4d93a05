#include "vm/multicast/window/hearing.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::multicast;

namespace {

using Nodes = std::vector<Node>;

/// Node 1 answers `patience` questions to all, node 2 none: the next one has number 10 + patience.
Hearing with_a_silent_receiver() {
  Hearing hearing(3);
  hearing.report(1, 5);
  hearing.report(2, 5);
  for (std::uint32_t number = 10; number < 10 + Hearing::patience; ++number) {
    const auto [ask_apart, deaf] = hearing.ask(number);
    CHECK(ask_apart.empty());
    CHECK(deaf.empty());
    hearing.report(1, number);
  }
  return hearing;
}

constexpr std::uint32_t next = 10 + Hearing::patience;

}  // namespace

TEST_CASE("who has answered none of many questions is asked apart", "[multicast]") {
  Hearing hearing = with_a_silent_receiver();
  CHECK(hearing.ask(next).ask_apart == Nodes{2});
  CHECK(hearing.doubts(2));
  CHECK_FALSE(hearing.doubts(1));
}

TEST_CASE("who answers only what it is asked apart does not hear what is for all, and is named once", "[multicast]") {
  Hearing hearing = with_a_silent_receiver();
  CHECK(hearing.ask(next).ask_apart == Nodes{2});
  hearing.report(2, next - 1);
  CHECK(hearing.ask(next + 1).ask_apart == Nodes{2});
  hearing.report(2, next);
  const auto [ask_apart, deaf] = hearing.ask(next + 2);
  CHECK(ask_apart.empty());
  CHECK(deaf == Nodes{2});
  CHECK_FALSE(hearing.doubts(2));
  for (std::uint32_t number = next + 3; number < next + 20; ++number) {
    hearing.report(1, number - 1);
    const auto later = hearing.ask(number);
    CHECK(later.ask_apart.empty());
    CHECK(later.deaf.empty());
  }
}

TEST_CASE("who was slow and reads what is for it alone first is not taken for deaf", "[multicast]") {
  Hearing hearing = with_a_silent_receiver();
  (void)hearing.ask(next);
  hearing.report(2, next - 1);
  CHECK(hearing.ask(next + 1).deaf.empty());
  hearing.report(2, next);      // asked apart,
  hearing.report(2, next + 1);  // and with all others
  CHECK_FALSE(hearing.doubts(2));
  const auto [ask_apart, deaf] = hearing.ask(next + 2);
  CHECK(ask_apart.empty());
  CHECK(deaf.empty());
}

TEST_CASE("who answers nothing at all is asked on, and not taken for deaf", "[multicast]") {
  Hearing hearing = with_a_silent_receiver();
  for (std::uint32_t number = next; number < next + 100; ++number) {
    hearing.report(1, number - 1);
    const auto [ask_apart, deaf] = hearing.ask(number);
    CHECK(ask_apart == Nodes{2});
    CHECK(deaf.empty());
  }
  hearing.lost(2);
  CHECK(hearing.ask(next + 100).ask_apart.empty());
}
