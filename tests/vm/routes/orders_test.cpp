#include "vm/routes/orders.hpp"

#include <catch2/catch.hpp>

#include "vm/status.hpp"

using namespace nasvm;

namespace {

std::vector<std::string_view> names_of(const Order& order) {
  std::vector<std::string_view> names;
  for (const TransportChoice& choice : order) names.push_back(choice.row->name);
  return names;
}

const TransportRow& row_of(std::string_view name) { return *find_transport(name); }

}  // namespace

TEST_CASE("a peer's order is that of all, unless it has its own", "[routes]") {
  Orders orders("direct+daemon");
  orders.set(2, "shm");
  CHECK(names_of(orders.to(0)) == std::vector<std::string_view>{"direct", "daemon"});
  CHECK(names_of(orders.to(2)) == std::vector<std::string_view>{"shm"});
  CHECK_THROWS_AS(orders.set(1, "pigeon"), UsageError);
}

TEST_CASE("a transport's parameters are those of the first order that names it, single peers first", "[routes]") {
  Orders orders("direct:sndbuf=64k+daemon:spin=7");
  orders.set(3, "direct:sndbuf=128k:spin=9");
  CHECK(value_of(orders.parameters_of(row_of("direct")), "sndbuf", 0) == 128 * 1024);
  CHECK(value_of(orders.parameters_of(row_of("daemon")), "spin", 0) == 7);
  CHECK(orders.parameters_of(row_of("shm")).empty());
}

TEST_CASE("a parameter of the whole task is the first value in any order", "[routes]") {
  Orders orders("daemon:spin=7+direct:skip_poll=5");
  CHECK(orders.first_value("spin") == 7U);
  CHECK(orders.first_value("skip_poll") == 5U);
  CHECK_FALSE(orders.first_value("sndbuf").has_value());
  orders.set(3, "direct:spin=9");
  CHECK(orders.first_value("spin") == 9U);
}
