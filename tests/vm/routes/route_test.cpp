#include "vm/routes/route.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "vm/status.hpp"

using namespace nasvm;

namespace {

/// Only these transports are applicable, whoever the peer is.
WhyNot only(std::vector<std::string_view> applicable) {
  return [applicable = std::move(applicable)](const TransportRow& row, Rank peer) {
    return std::ranges::count(applicable, row.name) != 0 ? std::string() : "not to " + std::to_string(peer);
  };
}

}  // namespace

TEST_CASE("the first applicable transport of the order carries the messages", "[routes]") {
  const Orders orders("shm+direct+daemon");
  CHECK(choose_route(orders, 1, only({"shm", "daemon"})).row->name == "shm");
  CHECK(choose_route(orders, 1, only({"daemon", "direct"})).row->name == "direct");
  CHECK(choose_route(orders, 1, only({"daemon"})).row->name == "daemon");
}

TEST_CASE("a peer's own order decides for that peer alone", "[routes]") {
  Orders orders("shm+direct");
  orders.set(2, "daemon+shm");
  CHECK(choose_route(orders, 1, only({"shm", "daemon"})).row->name == "shm");
  CHECK(choose_route(orders, 2, only({"shm", "daemon"})).row->name == "daemon");
}

TEST_CASE("when no transport is applicable every reason is told", "[routes]") {
  const Orders orders("shm+direct");
  CHECK_THROWS_WITH(choose_route(orders, 4, only({"daemon"})),
                    "no transport reaches rank 4: shm: not to 4; direct: not to 4");
  CHECK_THROWS_WITH(choose_route(Orders("shm"), 4, only({"daemon"})),
                    "no transport reaches rank 4: shm: not to 4; auto, or another one behind a plus, would go on to "
                    "what does");
}

TEST_CASE("candidates are the whole order, each with its own reason", "[routes]") {
  const Orders orders("shm+direct+daemon");
  const auto candidates = route_candidates(orders, 1, only({"direct", "daemon"}));
  REQUIRE(candidates.size() == 3);
  CHECK(candidates[0].transport == "shm");
  CHECK(candidates[0].why_not == "not to 1");
  CHECK(candidates[1].why_not.empty());
  CHECK(candidates[2].why_not.empty());
}
