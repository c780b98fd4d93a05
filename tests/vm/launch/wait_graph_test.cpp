#include "vm/launch/wait_graph.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

namespace {

constexpr Tid a = Tid::task(1, 1), b = Tid::task(1, 2), c = Tid::task(2, 1), d = Tid::task(2, 2);

using Counts = std::vector<protocol::GrantCount>;

protocol::Blocked blocked(Tid tid, const Counts& awaited, const Counts& given = {}) {
  return {.tid = tid, .awaited = awaited, .given = given};
}

std::vector<Tid> cycle_of(const std::vector<protocol::Blocked>& reports) {
  WaitGraph graph;
  for (const auto& report : reports) graph.note(report);
  return graph.cycle();
}

}  // namespace

TEST_CASE("tasks that wait for each other are a cycle, those that wait for them are not", "[wait graph]") {
  CHECK(cycle_of({}).empty());
  CHECK(cycle_of({blocked(a, {{b, 0}})}).empty());
  CHECK(cycle_of({blocked(a, {{b, 0}}), blocked(b, {{a, 0}})}) == std::vector{a, b});
  CHECK(cycle_of({blocked(a, {{b, 0}}), blocked(b, {{c, 0}}), blocked(c, {{b, 0}})}) == std::vector{b, c});
  CHECK(cycle_of({blocked(c, {{a, 0}}), blocked(b, {{c, 0}}), blocked(a, {{b, 0}})}) == std::vector{a, b, c});
  CHECK(cycle_of({blocked(a, {{b, 0}}), blocked(b, {{c, 0}}), blocked(c, {{d, 0}})}).empty());
}

TEST_CASE("a task that one more could help is not stuck, nor is who waits for it", "[wait graph]") {
  CHECK(cycle_of({blocked(a, {{b, 0}, {c, 0}}), blocked(b, {{a, 0}})}).empty());
  CHECK(cycle_of({blocked(a, {{b, 0}, {c, 0}}), blocked(b, {{a, 0}}), blocked(c, {{a, 0}})}).size() == 2);
}

TEST_CASE("a grant on its way is waited for", "[wait graph]") {
  // b has received from a, then blocked itself; a has not heard of it yet.
  WaitGraph graph;
  graph.note(blocked(a, {{b, 4}}));
  graph.note(blocked(b, {{a, 0}}, {{c, 4}, {a, 5}}));
  CHECK(graph.cycle().empty());
  // The grant has come, and was not enough.
  graph.note(blocked(a, {{b, 5}}));
  CHECK(graph.cycle() == std::vector{a, b});
}

TEST_CASE("what a task says takes the place of what it has said before", "[wait graph]") {
  WaitGraph graph;
  graph.note(blocked(a, {{b, 0}}));
  graph.note(blocked(a, {{c, 0}}));
  graph.note(blocked(b, {{a, 0}}));
  CHECK(graph.cycle().empty());
}

TEST_CASE("the end of a task lets go on who waits for it, without a word of theirs", "[wait graph]") {
  WaitGraph graph;
  graph.note(blocked(b, {{a, 0}}));
  graph.note(blocked(c, {{b, 0}}));
  graph.forget(b);
  graph.note(blocked(a, {{c, 0}}));  // which computes
  CHECK(graph.cycle().empty());
  graph.note(blocked(c, {{a, 0}}));
  CHECK(graph.cycle() == std::vector{a, c});
}

TEST_CASE("a report that is out of date is no cycle", "[wait graph]") {
  // a has blocked, gone on by a grant of b's, and computes; b blocks later.
  CHECK(cycle_of({blocked(a, {{b, 2}}), blocked(b, {{a, 0}}, {{a, 3}})}).empty());
}
