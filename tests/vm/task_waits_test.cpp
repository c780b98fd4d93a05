#include "vm/task_waits.hpp"

#include <catch2/catch.hpp>

#include "vm/collective/tags.hpp"
#include "vm/engine/peers.hpp"

using namespace nasvm;
using Kind = Operation::Kind;

namespace {

constexpr Context comm_context = 2, collective_context = 3;

std::string told(const TaskWaits& waits) {
  return text_of(waits, [](Rank peer) { return "rank " + std::to_string(peer); });
}

}  // namespace

TEST_CASE("task waits: receives and sends are told with their peers and tags, the first of them", "[task]") {
  TaskWaits waits{.pending = {{Kind::receive, 1, 6, comm_context, 8}}};
  CHECK(told(waits) == "waits for a message from rank 1 with tag 6");
  waits.pending.push_back({Kind::send, 2, 7, comm_context, 3000});
  CHECK(told(waits) ==
        "waits for a message from rank 1 with tag 6, until rank 2 takes a message of 3000 bytes with tag 7");
  waits.pending.push_back({Kind::receive, 3, 6, comm_context, 8});
  waits.pending.push_back({Kind::receive, 4, 6, comm_context, 8});
  CHECK_THAT(told(waits), Catch::EndsWith("with tag 7 and 2 more"));
  CHECK(told({.pending = {{Kind::receive, any_source, any_tag, packed_context, 8}}}) ==
        "waits for a packed message from any rank with any tag");
  CHECK(told({.pending = {{Kind::receive, 0, 1, unpacked_context, 8}}}) ==
        "waits for an unpacked message from rank 0 with tag 1");
}

TEST_CASE("task waits: a collective is told by its name, and finish as such", "[task]") {
  TaskWaits waits{.pending = {{Kind::receive, 1, collective::barrier_tag, collective_context, 0}}};
  CHECK(told(waits) == "waits for rank 1 in a barrier");
  waits.finishing = true;
  CHECK(told(waits) == "waits for rank 1 in finish");
  CHECK(told({.pending = {{Kind::send, 2, collective::broadcast_tag, collective_context, 9}}}) ==
        "waits for rank 2 in a broadcast");
  CHECK(told({.in_memory = true}) == "waits for others in a collective");
  CHECK(told({.in_memory = true, .finishing = true}) == "waits for others in finish");
}

TEST_CASE("task waits: what has come instead is told where somebody may have meant it", "[task]") {
  TaskWaits waits{.pending = {{Kind::receive, 1, 6, comm_context, 8}},
                  .unread = {{Kind::receive, 2, 5, comm_context, 8}}};
  CHECK(told(waits) == "waits for a message from rank 1 with tag 6");
  waits.unread.push_back({Kind::receive, 1, 5, packed_context, 8});
  CHECK(told(waits) ==
        "waits for a message from rank 1 with tag 6 (a packed message from rank 1 with tag 5 has come, and is not "
        "received)");
  waits.unread.front() = {Kind::receive, 1, collective::allreduce_tag, collective_context, 8};
  CHECK_THAT(told(waits), Catch::EndsWith("(a part of an allreduce from rank 1 has come, and is not received)"));
}

TEST_CASE("task waits: a multicast is told where no message is waited for", "[task]") {
  TaskWaits waits{.in_multicast = true};
  CHECK(told(waits) == "waits in a multicast");
  waits.pending.push_back({Kind::receive, 1, 6, comm_context, 8});
  CHECK(told(waits) == "waits for a message from rank 1 with tag 6");
}

TEST_CASE("task waits: what the console is asked for, or nothing", "[task]") {
  CHECK(told({.asked = "barrier of group workers"}) == "waits for the machine's answer to barrier of group workers");
  CHECK(told({}) == "waits for no message");
}
