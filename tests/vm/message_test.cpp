#include "vm/message.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <vector>

using namespace nasvm;

namespace {

Envelope sample() {
  Envelope envelope;
  envelope.kind = PacketKind::data;
  envelope.element_bytes = 8;
  envelope.source = 0x01020304;
  envelope.destination = 0x11121314;
  envelope.context = 0x21222324;
  envelope.tag = -2;
  envelope.sender_id = 0x31323334;
  envelope.credit = 0x51525354;
  envelope.payload_bytes = 0x61626364;
  envelope.message_bytes = 0x7172737475767778;
  envelope.offset = 0x0102030405060708;
  return envelope;
}

/// The envelope as a host of the other byte order writes it: every field of more than one byte is reversed.
Envelope foreign(const Envelope& envelope) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(Envelope)>>(envelope);
  const auto reverse = [&](std::size_t at, std::size_t width) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
  };
  reverse(0, 2);
  for (std::size_t at = 8; at < 40; at += 4) reverse(at, 4);
  reverse(40, 8);
  reverse(48, 8);
  return std::bit_cast<Envelope>(bytes);
}

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

}  // namespace

TEST_CASE("an envelope of this host's byte order is left as it is", "[message]") {
  Envelope envelope = sample();
  REQUIRE(make_native(envelope));
  CHECK(std::memcmp(&envelope, std::array{sample()}.data(), sizeof envelope) == 0);
}

TEST_CASE("an envelope of the other byte order becomes native", "[message]") {
  Envelope envelope = foreign(sample());
  REQUIRE(envelope.mark == 0x564e);
  REQUIRE(make_native(envelope));
  CHECK(envelope.source == 0x01020304);
  CHECK(envelope.destination == 0x11121314);
  CHECK(envelope.context == 0x21222324);
  CHECK(envelope.tag == -2);
  CHECK(envelope.sender_id == 0x31323334);
  CHECK(envelope.credit == 0x51525354);
  CHECK(envelope.payload_bytes == 0x61626364);
  CHECK(envelope.message_bytes == 0x7172737475767778);
  CHECK(envelope.offset == 0x0102030405060708);
  CHECK(envelope.kind == PacketKind::data);
  CHECK(envelope.element_bytes == 8);
}

TEST_CASE("the order of the payload survives the conversion of its envelope", "[message]") {
  Envelope envelope = sample();
  envelope.payload_order = 1 - Envelope::native_order;
  envelope = foreign(envelope);
  REQUIRE(make_native(envelope));
  CHECK(envelope.payload_order != Envelope::native_order);
}

TEST_CASE("what is not an envelope of this version is refused", "[message]") {
  Envelope envelope = sample();
  SECTION("another mark") { envelope.mark = 0x4e57; }
  SECTION("another version") { envelope.version = Envelope::current_version + 1; }
  SECTION("kind zero") { envelope.kind = static_cast<PacketKind>(0); }
  SECTION("a kind beyond the last") {
    envelope.kind = static_cast<PacketKind>(static_cast<int>(PacketKind::invited) + 1);
  }
  Envelope other_order = foreign(envelope);
  CHECK_FALSE(make_native(envelope));
  CHECK_FALSE(make_native(other_order));
}

TEST_CASE("every kind of packet is accepted", "[message]") {
  for (const PacketKind kind : {PacketKind::eager, PacketKind::request, PacketKind::grant, PacketKind::data,
                                PacketKind::credit, PacketKind::control, PacketKind::report, PacketKind::pulled}) {
    Envelope envelope = sample();
    envelope.kind = kind;
    CAPTURE(static_cast<int>(kind));
    CHECK(make_native(envelope));
  }
}

TEST_CASE("elements are swapped one by one, whatever their width", "[message]") {
  const auto swapped = [](std::size_t width) {
    auto data = bytes_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
    swap_elements(data, width);
    return data;
  };
  CHECK(swapped(0) == bytes_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
  CHECK(swapped(1) == bytes_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
  CHECK(swapped(2) == bytes_of({2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15}));
  CHECK(swapped(4) == bytes_of({4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9, 16, 15, 14, 13}));
  CHECK(swapped(8) == bytes_of({8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9}));
  CHECK(swapped(16) == bytes_of({16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}));
}

TEST_CASE("bytes after the last whole element stay", "[message]") {
  auto data = bytes_of({1, 2, 3, 4, 5, 6, 7});
  swap_elements(data, 4);
  CHECK(data == bytes_of({4, 3, 2, 1, 5, 6, 7}));
}

TEST_CASE("a task identifier has a host part and a local part", "[message]") {
  const Tid task = Tid::task(max_hosts, max_tasks_per_host);
  CHECK(task.value == 0x7ffefffe);
  CHECK(task.host() == max_hosts);
  CHECK(task.local() == max_tasks_per_host);
  CHECK_FALSE(task.is_group());
  CHECK_FALSE(task.is_daemon());

  const Tid group = Tid::group(3, 5);
  CHECK(group.value == 0x80030005);
  CHECK(group.host() == 3);
  CHECK(group.local() == 5);
  CHECK(group.is_group());
  CHECK_FALSE(Tid::group(3, 0).is_daemon());

  CHECK(Tid::daemon(2).value == 0x00020000);
  CHECK(Tid::daemon(2).is_daemon());
  CHECK(Tid::console().host() == 0);
  CHECK_FALSE(Tid::console().is_daemon());
  CHECK_FALSE(Tid{}.is_daemon());
  CHECK(Tid::task(1, 9) < Tid::task(2, 1));
}

TEST_CASE("task identifiers are written as people read them", "[message]") {
  CHECK(to_string(Tid::task(2, 5)) == "t2.5");
  CHECK(to_string(Tid::daemon(2)) == "d2");
  CHECK(to_string(Tid::group(2, 5)) == "g2.5");
  CHECK(to_string(Tid::console()) == "console");
}

TEST_CASE("payloads of any length are copied whole, and nothing beside them", "[message]") {
  std::array<std::byte, 80> from{};
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i + 1);
  for (std::size_t bytes = 0; bytes <= 64; ++bytes) {
    std::array<std::byte, 80> to{};
    copy_payload(to.data() + 8, from.data(), bytes);
    const bool right = std::equal(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(bytes), to.begin() + 8);
    const auto untouched = [](std::byte one) { return one == std::byte{0}; };
    CHECK(right);
    CHECK(std::all_of(to.begin(), to.begin() + 8, untouched));
    CHECK(std::all_of(to.begin() + 8 + static_cast<std::ptrdiff_t>(bytes), to.end(), untouched));
  }
}
