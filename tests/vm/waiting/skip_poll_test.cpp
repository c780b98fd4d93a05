#include "vm/waiting/skip_poll.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("looks at everything become rarer while they find nothing, up to the limit", "[waiting]") {
  SkipPoll skip;
  CHECK(skip.for_memory() == SkipPoll::least);
  skip.looked_everywhere(false, SkipPoll::most);
  CHECK(skip.for_memory() == 2 * SkipPoll::least);
  for (int i = 0; i < 40; ++i) skip.looked_everywhere(false, SkipPoll::most_when_mixed);
  CHECK(skip.for_memory() == SkipPoll::most_when_mixed);
  CHECK(skip.for_sockets() == SkipPoll::most_for_sockets);
}

TEST_CASE("looks at everything become more frequent when they find something", "[waiting]") {
  SkipPoll skip;
  for (int i = 0; i < 5; ++i) skip.looked_everywhere(false, SkipPoll::most);
  skip.looked_everywhere(true, SkipPoll::most);
  CHECK(skip.for_memory() == 16 * SkipPoll::least);
  for (int i = 0; i < 40; ++i) skip.looked_everywhere(true, SkipPoll::most);
  CHECK(skip.for_memory() == SkipPoll::least);
}

TEST_CASE("a fixed number of looks stays, for memory and for sockets", "[waiting]") {
  SkipPoll skip(1000);
  skip.looked_everywhere(true, SkipPoll::most);
  skip.looked_everywhere(false, SkipPoll::most);
  CHECK(skip.for_memory() == 1000);
  CHECK(skip.for_sockets() == 1000);
}

TEST_CASE("how rare looks at everything become depends on who is reached through memory, and on the crowd",
          "[waiting]") {
  CHECK(SkipPoll::limit(true, false) == SkipPoll::most);
  CHECK(SkipPoll::limit(true, true) == SkipPoll::most);
  CHECK(SkipPoll::limit(false, false) == SkipPoll::most_when_mixed);
  CHECK(SkipPoll::limit(false, true) == SkipPoll::most_in_crowd);
}

TEST_CASE("who answers others through descriptors looks at them often from then on", "[waiting]") {
  const bool crowded = GENERATE(true, false);
  SkipPoll skip;
  for (int i = 0; i < 40; ++i) skip.looked_everywhere(false, SkipPoll::most);
  const unsigned limit = SkipPoll::limit_for_answers(crowded);
  CHECK(limit == (crowded ? SkipPoll::least : SkipPoll::most_for_sockets));
  skip.keep_within(limit);
  CHECK(skip.for_memory() == limit);
  skip.looked_everywhere(false, limit);
  CHECK(skip.for_memory() == limit);
  SkipPoll fixed(1000);
  fixed.keep_within(limit);
  CHECK(fixed.for_memory() == 1000);
}
