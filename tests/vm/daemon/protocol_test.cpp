#include "vm/daemon/protocol.hpp"

#include <catch2/catch.hpp>

#include "vm/status.hpp"

using namespace nasvm;
using protocol::Json;

namespace {

Json parse_text(std::string_view text) { return protocol::parse(std::as_bytes(std::span(text))); }

/// Keeps what is sent.
struct Recorder {
  void send_copy(const Envelope& to, std::span<const std::byte> bytes) {
    envelope = to;
    text.assign(bytes.begin(), bytes.end());
  }
  Envelope envelope;
  std::vector<std::byte> text;
};

}  // namespace

TEST_CASE("a control message is a packet with a text that can be read again", "[protocol]") {
  Recorder stream;
  const Json message{{"type", "ready"}, {"tid", 7}, {"text", "a \"quoted\" line\n"}};
  protocol::send(stream, Tid::daemon(2), Tid::console(), message);
  CHECK(stream.envelope.kind == PacketKind::control);
  CHECK(stream.envelope.source == Tid::daemon(2).value);
  CHECK(stream.envelope.destination == Tid::console().value);
  CHECK(stream.envelope.payload_bytes == stream.text.size());
  CHECK(stream.envelope.message_bytes == stream.text.size());
  CHECK(stream.envelope.element_bytes == 1);
  CHECK(protocol::parse(stream.text) == message);
}

TEST_CASE("what is not an object with a type is refused", "[protocol]") {
  CHECK(parse_text(R"({"type": "ping"})")["type"] == "ping");
  for (const char* wrong : {"", "{", "nonsense", "[]", "3", "null", "\"ping\"", "{}", R"({"kind": "ping"})",
                            R"({"type": 3})", R"({"type": null})", R"({"type": "ping"} and more)", "\xff\xfe"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_text(wrong), RunError);
  }
}

TEST_CASE("members survive their journey", "[protocol]") {
  const std::vector<Member> members{{Tid::task(1, 1), "left", {{"direct", "127.0.0.1:4000"}, {"daemon", ""}}},
                                    {Tid::task(0x7ffe, 0xfffe), "right", {}}};
  const auto found = protocol::members_from_json(Json::parse(protocol::to_json(members).dump()));
  REQUIRE(found.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(found[i].tid == members[i].tid);
    CHECK(found[i].host == members[i].host);
    CHECK(found[i].descriptors == members[i].descriptors);
  }
  CHECK(protocol::members_from_json(protocol::to_json({})).empty());
}

TEST_CASE("connections of different purposes are told apart", "[protocol]") {
  CHECK(protocol::control_connection != protocol::direct_connection);
}
