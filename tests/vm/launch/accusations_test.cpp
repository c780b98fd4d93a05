#include "vm/launch/accusations.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <utility>

using namespace nasvm;
using namespace std::chrono_literals;

namespace {

constexpr Accusations::TimePoint begin{1000s};
constexpr auto enough = Accusations::patience;

/// What daemons say of each other, and which of them the console hears.
struct Fixture {
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

  explicit Fixture(const Pairs& said) {
    for (const auto& [accuser, accused] : said) note(accuser, accused);
  }
  void note(std::size_t accuser, std::size_t accused, Accusations::TimePoint now = begin) {
    accusations.note({accuser, accused, std::to_string(accuser) + " does not hear " + std::to_string(accused), now});
  }
  std::optional<Accusations::Ruling> rule(Accusations::TimePoint now) {
    return accusations.rule(now, [this](std::size_t host) { return !silent.contains(host); });
  }
  /// All that are lost, in that order.
  std::vector<std::size_t> lost(Accusations::TimePoint now = begin + enough) {
    std::vector<std::size_t> hosts;
    while (const auto ruling = rule(now)) hosts.push_back(ruling->lost);
    return hosts;
  }

  Accusations accusations;
  std::set<std::size_t> silent{};
};

using Hosts = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a host that hears no other is lost, and none of those that it accuses", "[accusations]") {
  for (const std::size_t deaf : {0U, 2U}) {
    CAPTURE(deaf);
    Fixture fixture({});
    for (std::size_t other = 0; other < 4; ++other) {
      if (other != deaf) fixture.note(deaf, other);
    }
    const auto ruling = fixture.rule(begin + enough);
    REQUIRE(ruling.has_value());
    CHECK(ruling->lost == deaf);
    CHECK(ruling->because.size() == 3);
    CHECK(fixture.lost().empty());
  }
}

TEST_CASE("a host that no other hears is lost", "[accusations]") {
  CHECK(Fixture({{1, 0}, {2, 0}, {3, 0}}).lost() == Hosts{0});
  CHECK(Fixture({{1, 0}, {2, 0}, {0, 1}, {0, 2}}).lost() == Hosts{0});  // nor it them
}

TEST_CASE("of two hosts that do not hear each other the later one is lost, whoever says so", "[accusations]") {
  CHECK(Fixture({{0, 1}}).lost() == Hosts{1});
  CHECK(Fixture({{1, 0}}).lost() == Hosts{1});
  CHECK(Fixture({{1, 2}, {2, 1}}).lost() == Hosts{2});
}

TEST_CASE("two hosts that hear nobody are both lost", "[accusations]") {
  CHECK(Fixture({{1, 0}, {1, 2}, {1, 3}, {3, 0}, {3, 1}, {3, 2}}).lost() == Hosts{3, 1});
}

TEST_CASE("a host that answers may be heard again of until the time for that is over", "[accusations]") {
  Fixture fixture({{2, 0}});
  CHECK(fixture.lost(begin + enough - 1ms).empty());
  fixture.note(2, 1, begin + enough - 1ms);
  CHECK(fixture.lost() == Hosts{2});
}

TEST_CASE("a host that does not answer the console either is lost at once, the accuser is not", "[accusations]") {
  Fixture fixture({{0, 1}, {0, 2}});
  fixture.silent = {1};
  CHECK(fixture.lost(begin) == Hosts{1});
  fixture.silent = {};
  CHECK(fixture.lost() == Hosts{2});
}

TEST_CASE("what concerns a host that has gone is forgotten", "[accusations]") {
  Fixture fixture({{2, 0}, {2, 1}, {3, 1}});
  fixture.accusations.forget(2);
  CHECK(fixture.lost() == Hosts{3});
}

TEST_CASE("what is said twice counts once", "[accusations]") {
  Fixture fixture({{1, 0}, {1, 0}, {1, 0}});
  CHECK(fixture.rule(begin + enough)->because.size() == 1);
}

TEST_CASE("who has been accused a moment ago is judged when the time for that is over", "[accusations]") {
  Fixture fixture({{2, 1}});
  fixture.note(0, 1, begin + enough);
  fixture.note(4, 3, begin + enough);
  CHECK(fixture.lost() == Hosts{1});
  CHECK(fixture.lost(begin + 2 * enough) == Hosts{4});
}
