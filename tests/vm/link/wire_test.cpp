#include "vm/link/wire.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace nasvm::link;

namespace {

const Header sample{.type = DatagramType::data,
                    .answer_at_once = true,
                    .echo_valid = true,
                    .source = 0x0102,
                    .destination = 0x0304,
                    .counter = 0x1112131415161718,
                    .sequence = 0x2122232425262728,
                    .acknowledged = 0x3132333435363738,
                    .window = 0x41424344,
                    .timestamp = 0x51525354,
                    .echo = 0x61626364};

std::vector<std::byte> body_of(const Header& header, std::span<const Range> ranges, std::size_t payload_bytes) {
  std::vector<std::byte> body(header_bytes + ranges.size() * range_bytes + payload_bytes, std::byte{0xEE});
  encode(header, ranges, payload_bytes, body);
  return body;
}

}  // namespace

TEST_CASE("the layout of a datagram is that of docs/link.md", "[link]") {
  const Range range{sample.acknowledged + 0x10, sample.acknowledged + 0x0A0B0C0D};
  const auto body = body_of(sample, {&range, 1}, 3);
  const std::vector<int> expected{
      1,    1,    0x02, 0x01, 0x04, 0x03, 3,    1,     // version, type, hosts, flags, ranges
      0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,  // counter
      0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21,  // sequence
      0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31,  // acknowledged
      0x44, 0x43, 0x42, 0x41, 0x54, 0x53, 0x52, 0x51,  // window, timestamp
      0x64, 0x63, 0x62, 0x61, 3,    0,    0,    0,     // echo, payload bytes
      0x10, 0,    0,    0,    0x0D, 0x0C, 0x0B, 0x0A,  // the range, counted from `acknowledged`
      0xEE, 0xEE, 0xEE};
  REQUIRE(body.size() == expected.size());
  for (std::size_t i = 0; i < body.size(); ++i) {
    CAPTURE(i);
    CHECK(std::to_integer<int>(body[i]) == expected[i]);
  }
}

TEST_CASE("what was encoded is decoded", "[link]") {
  const std::vector<Range> ranges{{sample.acknowledged + 1, sample.acknowledged + 2},
                                  {sample.acknowledged + 5, sample.acknowledged + 5000}};
  const auto body = body_of(sample, ranges, 100);
  const auto datagram = decode(body);
  REQUIRE(datagram);
  CHECK(datagram->header.type == sample.type);
  CHECK(datagram->header.answer_at_once);
  CHECK(datagram->header.echo_valid);
  CHECK(datagram->header.source == sample.source);
  CHECK(datagram->header.destination == sample.destination);
  CHECK(datagram->header.counter == sample.counter);
  CHECK(datagram->header.sequence == sample.sequence);
  CHECK(datagram->header.acknowledged == sample.acknowledged);
  CHECK(datagram->header.window == sample.window);
  CHECK(datagram->header.timestamp == sample.timestamp);
  CHECK(datagram->header.echo == sample.echo);
  REQUIRE(datagram->range_count == 2);
  CHECK(datagram->ranges[1].begin == ranges[1].begin);
  CHECK(datagram->ranges[1].end == ranges[1].end);
  CHECK(datagram->payload.size() == 100);
  CHECK(origin_of(body).counter == sample.counter);
}

TEST_CASE("bodies that contradict themselves are not decoded", "[link]") {
  const auto spoilt = [](std::vector<std::byte> body, std::size_t at, int value) {
    body[at] = static_cast<std::byte>(value);
    return decode(body).has_value();
  };
  const Range range{sample.acknowledged + 1, sample.acknowledged + 2};
  const auto body = body_of(sample, {&range, 1}, 3);
  REQUIRE(decode(body));
  CHECK_FALSE(spoilt(body, 0, 2));              // version
  CHECK_FALSE(spoilt(body, 1, 0));              // type
  CHECK_FALSE(spoilt(body, 1, 4));              // type
  CHECK_FALSE(spoilt(body, 1, 2));              // an acknowledgement with payload
  CHECK_FALSE(spoilt(body, 6, 8));              // a flag of the future
  CHECK_FALSE(spoilt(body, 7, 2));              // more ranges than there is room for
  CHECK_FALSE(spoilt(body, 7, 17));             // more than allowed
  CHECK_FALSE(spoilt(body, 44, 2));             // payload too short
  CHECK_FALSE(spoilt(body, 47, 255));           // and far too long
  CHECK_FALSE(spoilt(body, 48, 0));             // a range that the cumulative acknowledgement contains
  CHECK_FALSE(spoilt(body, 48, 2));             // an empty range
  CHECK_FALSE(decode(body_of(sample, {}, 0)));  // data without payload
  for (std::size_t bytes = 0; bytes < body.size(); ++bytes) CHECK_FALSE(decode(std::span(body).first(bytes)));
}
