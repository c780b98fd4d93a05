#include "support/conformance.hpp"

#include <catch2/catch.hpp>

#include "support/task_bodies.hpp"
#include "support/thread_machine.hpp"
#include "vm/transport/table.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

/// Every transport alone, two orders that leave one out, and the default order of all.
std::vector<std::string> transport_orders() {
  std::vector<std::string> orders{"auto", "shm+direct", "direct+daemon"};
  for (const TransportRow& row : transports()) orders.emplace_back(row.name);
  return orders;
}

}  // namespace

TEST_CASE("the threads of the test machine conform") {
  const int ranks = GENERATE(1, 2, 3, 5, 8);
  REQUIRE_NOTHROW(run_ranks(ranks, [](Comm& comm) { run_checks(comm, conformance_checks()); }));
}

TEST_CASE("every transport conforms on one host", "[heavy]") {
  Machine machine({});
  for (const std::string& order : transport_orders()) {
    for (const int ranks : {1, 2, 3, 5, 8, 16}) {
      INFO(order << ", " << ranks << " ranks");
      REQUIRE_NOTHROW(machine.run(program_of("conformance", ranks, order)));
    }
  }
}

TEST_CASE("every transport conforms across hosts", "[heavy]") {
  Machine machine({two_hosts(2), "local"});
  for (const std::string& order : transport_orders()) {
    for (const int ranks : {2, 3, 4, 8}) {
      INFO(order << ", " << ranks << " ranks");
      REQUIRE_NOTHROW(machine.run(program_of("conformance", ranks, order)));
    }
  }
}

TEST_CASE("every transport carries long messages", "[heavy]") {
  Machine machine({two_hosts(1), "local"});
  for (const std::string& order : transport_orders()) {
    INFO(order);
    REQUIRE_NOTHROW(machine.run(program_of("long messages", 3, order)));
  }
}

TEST_CASE("every transport carries messages beyond 4 GiB", "[large][heavy]") {
  Machine machine({});
  for (const TransportRow& row : transports()) {
    INFO(row.name);
    REQUIRE_NOTHROW(machine.run(program_of("beyond 4 GiB", 2, row.name)));
  }
}
