#include "lab/exchange.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
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

/// What the ranks say of the time, each in a thread. Somebody may take the port before they do: then another one.
std::vector<double> exchange_by_threads(const ExchangePlan& plan) {
  for (int attempt = 1;; ++attempt) {
    const std::uint16_t port = free_port();
    const auto ranks = static_cast<std::size_t>(plan.ranks());
    std::vector<double> seconds(ranks, 0);
    std::vector<std::string> errors(ranks);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          seconds[rank] = exchange(plan, static_cast<int>(rank), port).count();
        } catch (const std::exception& error) {
          errors[rank] = error.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const bool is_taken = std::ranges::any_of(
        errors, [](const std::string& error) { return error.starts_with("exchange: cannot listen"); });
    if (is_taken && attempt < 5) continue;
    for (const std::string& error : errors) CHECK(error == "");
    return seconds;
  }
}

/// Connects to rank 0, which may not be there yet, says that it is rank 1, and closes; gives up when `over`.
void call_and_close(std::uint16_t port, const std::atomic<bool>& over) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  while (!over) {
    const net::Fd fd(::socket(AF_INET, SOCK_STREAM, 0));
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      const int rank = 1;
      (void)::send(fd.get(), &rank, sizeof rank, MSG_NOSIGNAL);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// What rank 0 of two says when the other one has only called.
std::string complaint_when_left(std::uint16_t port) {
  std::string complaint;
  std::atomic<bool> over = false;
  std::thread rank_0([&] {
    try {
      (void)exchange(plan_of("host 127.0.0.1\nhost 127.0.0.2\npair 0 1 8 1\n"), 0, port);
    } catch (const RunError& error) {
      complaint = error.what();
    }
    over = true;
  });
  call_and_close(port, over);
  rank_0.join();
  return complaint;
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
  for (const double one : exchange_by_threads(plan)) CHECK(one > 0);
}

TEST_CASE("exchange: a rank that has closed its connection is named as that") {
  std::string complaint = complaint_when_left(free_port());
  // Somebody may take the port before.
  for (int i = 0; i < 4 && complaint.starts_with("exchange: cannot listen"); ++i) {
    complaint = complaint_when_left(free_port());
  }
  CHECK(complaint == "exchange: a rank has closed its connection");
}
