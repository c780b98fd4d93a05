#include "lab/exchange.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <sstream>
#include <thread>

#include "vm/net/fd.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::lab;
using Catch::Contains;

namespace {

ExchangePlan plan_of(const std::string& text) {
  std::istringstream stream(text);
  return read_exchange_plan(stream);
}

/// One that nobody has now.
std::uint16_t free_port() {
  const net::Fd fd(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t length = sizeof address;
  REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0);
  REQUIRE(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
  return ntohs(address.sin_port);
}

}  // namespace

TEST_CASE("exchange: a plan has hosts and what pairs send") {
  const ExchangePlan plan = plan_of("host a\nhost b\npair 1 0 1000 3\n");
  CHECK(plan.hosts == std::vector<std::string>{"a", "b"});
  CHECK(plan.rounds() == 3);
  const Traffic traffic = plan.traffic[1][0];
  CHECK(traffic.message_bytes(0) + traffic.message_bytes(1) + traffic.message_bytes(2) == 1000);
  CHECK(traffic.message_bytes(0) == 333);
}

TEST_CASE("exchange: a wrong line is named") {
  CHECK_THROWS_WITH(plan_of("host a\npair 0 1 5 5\n"), Contains("'pair 0 1 5 5'"));
  CHECK_THROWS_WITH(plan_of("host a\npair 0\n"), Contains("'pair 0'"));
  CHECK_THROWS_WITH(plan_of("guest a\n"), Contains("'guest a'"));
  CHECK_THROWS_AS(plan_of(""), UsageError);
}

TEST_CASE("exchange: all that is planned arrives, whatever the sizes") {
  // More than sockets hold, nothing, one way only, messages without bytes.
  const ExchangePlan plan = plan_of(
      "host 127.0.0.1\nhost 127.0.0.2\nhost 127.0.0.3\n"
      "pair 0 1 20000000 2\npair 1 0 20000000 2\npair 1 2 7 3\npair 2 0 0 5\npair 0 2 1000000 9\n");
  const std::uint16_t port = free_port();
  std::vector<std::thread> ranks;
  std::vector<double> seconds(3, 0);
  for (int rank = 0; rank < 3; ++rank) {
    ranks.emplace_back([&, rank] { seconds[static_cast<std::size_t>(rank)] = exchange(plan, rank, port).count(); });
  }
  for (std::thread& rank : ranks) rank.join();
  for (const double one : seconds) CHECK(one > 0);
}
