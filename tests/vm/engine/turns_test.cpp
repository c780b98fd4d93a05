#include "vm/engine/turns.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <exception>

#include "vm/net/poller.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using engine::Turns;

TEST_CASE("the failure of a thread wakes who sleeps with the turn, and is thrown there", "[engine]") {
  net::Poller poller;
  Turns turns(poller);
  turns.take();
  CHECK(poller.wait(std::chrono::nanoseconds(0)) == 0);
  turns.fail(std::make_exception_ptr(RunError("the handler has failed")));
  CHECK(poller.wait(std::chrono::nanoseconds(0)) == 1);
  CHECK(turns.others_want());
  CHECK_THROWS_WITH(turns.pass(), "the handler has failed");
  CHECK_FALSE(turns.others_want());
  turns.give();
  CHECK(poller.wait(std::chrono::nanoseconds(0)) == 0);
}
