// Engine: messages and packets that must not be.
#include "vm/engine/engine.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "support/engine_machine.hpp"
#include "support/packet_recorder.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Machine = EngineMachine;

TEST_CASE("a message longer than its receive is an error that names both", "[engine]") {
  const std::size_t bytes = GENERATE(500U, 5000U);
  const bool posted_first = GENERATE(true, false);
  Machine machine(2, small_limits, {.max_payload = 100});
  Machine::Handle receive;
  const auto run = [&] {
    if (posted_first) receive = machine.receive(1, 0, 7, 499);
    const auto send = machine.send(0, 1, 7, pattern(bytes));
    machine.deliver_all();
    receive = machine.receive(1, 0, 7, 499);
  };
  const std::string expected = std::to_string(bytes) + " bytes from rank 0 (tag 7)";
  CHECK_THROWS_MATCHES(run(), RunError, Catch::Matchers::Predicate<RunError>([&](const RunError& error) {
                         const std::string text = error.what();
                         return text.find(expected) != std::string::npos && text.find("499") != std::string::npos;
                       }));
}

TEST_CASE("a message to oneself longer than its receive is an error", "[engine]") {
  Machine machine(1, small_limits);
  const auto receive = machine.receive(0, 0, 7, 9);
  CHECK_THROWS_AS(machine.send(0, 0, 7, pattern(10)), RunError);
}

TEST_CASE("a packet that lies outside its message is an error", "[engine]") {
  Machine machine(2, small_limits, {.max_payload = 100});
  const auto receive = machine.receive(1, 0, 7, 500);
  SECTION("a piece behind its end") {
    machine.comm.rewrite = [](auto& packet) {
      if (packet.envelope.kind == PacketKind::data) packet.envelope.offset = 450;
    };
  }
  SECTION("a piece at an impossible place") {
    machine.comm.rewrite = [](auto& packet) {
      if (packet.envelope.kind == PacketKind::data) packet.envelope.offset = ~std::uint64_t{0} - 10;
    };
  }
  SECTION("a first piece longer than the message") {
    machine.comm.rewrite = [](auto& packet) { packet.envelope.message_bytes = 10; };
  }
  const auto send = machine.send(0, 1, 7, pattern(500));
  CHECK_THROWS_AS(machine.deliver_all(), RunError);
}

TEST_CASE("packets of strangers and pieces of unknown messages are dropped", "[engine]") {
  Machine machine(2, small_limits);
  Envelope envelope;
  envelope.payload_bytes = 10;
  envelope.message_bytes = 10;
  for (const Tid stranger : {Tid{}, Tid::task(1, 9), Tid::task(99, 1), Tid::daemon(1), Tid::console()}) {
    envelope.source = stranger.value;
    CHECK(machine[1].begin_packet(envelope).data == nullptr);
  }
  envelope.source = Machine::tid_of(0).value;
  envelope.sender_id = 77;
  for (const PacketKind kind : {PacketKind::data, PacketKind::grant, PacketKind::credit}) {
    envelope.kind = kind;
    const net::Landing landing = machine[1].begin_packet(envelope);
    CHECK(landing.data == nullptr);
    machine[1].end_packet(envelope, landing);
  }
  CHECK(machine[1].unexpected_bytes() == 0);
}
