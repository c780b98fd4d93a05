#include "vm/pack_buffer.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <complex>
#include <cstring>
#include <limits>

#include "vm/message.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using Bytes = std::vector<std::byte>;

namespace {

PackBuffer received(const PackBuffer& sent) { return PackBuffer(Bytes(sent.bytes().begin(), sent.bytes().end())); }

/// A buffer as a host of the other byte order packs it, made by hand.
class ForeignBuffer {
 public:
  template <typename T>
  ForeignBuffer& item(std::uint8_t type, const std::vector<T>& values, std::size_t element_bytes = sizeof(T)) {
    bytes_.push_back(std::byte{type});
    append(std::uint64_t{values.size()}, sizeof(std::uint64_t));
    for (const T& value : values) append(value, element_bytes);
    return *this;
  }
  [[nodiscard]] PackBuffer buffer() const { return PackBuffer(bytes_); }

 private:
  template <typename T>
  void append(const T& value, std::size_t element_bytes) {
    Bytes raw(sizeof(T));
    std::memcpy(raw.data(), &value, sizeof(T));
    for (std::size_t at = 0; at < raw.size(); at += element_bytes) {
      std::reverse(raw.begin() + static_cast<std::ptrdiff_t>(at),
                   raw.begin() + static_cast<std::ptrdiff_t>(at + element_bytes));
    }
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  }

  Bytes bytes_{std::byte{1 - Envelope::native_order}};
};

}  // namespace

TEMPLATE_TEST_CASE("values of every element type come out as they went in", "[pack]", char, std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float,
                   double, long double) {
  const std::vector<TestType> values{std::numeric_limits<TestType>::lowest(), TestType{0}, TestType{1}, TestType{42},
                                     std::numeric_limits<TestType>::max()};
  PackBuffer sent;
  sent.pack(values).pack_value(TestType{7});
  PackBuffer buffer = received(sent);
  CHECK(buffer.next_count() == values.size());
  std::vector<TestType> found(values.size());
  buffer.unpack(found);
  CHECK(found == values);
  CHECK(buffer.next_count() == 1);
  CHECK(buffer.unpack_value<TestType>() == TestType{7});
  CHECK(buffer.next_count() == 0);
}

TEST_CASE("complex numbers, truth values and bytes are elements too", "[pack]") {
  const std::vector<std::complex<double>> wide{{1.5, -2.5}, {0.25, 1e300}};
  const std::vector<std::complex<float>> narrow{{1.5F, -2.5F}};
  const Bytes bytes{std::byte{0}, std::byte{255}};
  PackBuffer sent;
  sent.pack(wide).pack(narrow).pack_value(true).pack(bytes);
  PackBuffer buffer = received(sent);
  std::vector<std::complex<double>> found_wide(2);
  std::vector<std::complex<float>> found_narrow(1);
  Bytes found_bytes(2);
  buffer.unpack(found_wide);
  buffer.unpack(found_narrow);
  CHECK(buffer.unpack_value<bool>());
  buffer.unpack(found_bytes);
  CHECK(found_wide == wide);
  CHECK(found_narrow == narrow);
  CHECK(found_bytes == bytes);
}

TEST_CASE("texts of any length are packed, and know their length", "[pack]") {
  const std::string long_text(100'000, 'x');
  PackBuffer sent;
  sent.pack_text("").pack_text("rank 3").pack_text(long_text).pack_text(std::string_view("a\0b", 3));
  PackBuffer buffer = received(sent);
  CHECK(buffer.unpack_text().empty());
  CHECK(buffer.unpack_text() == "rank 3");
  CHECK(buffer.unpack_text() == long_text);
  CHECK(buffer.unpack_text() == std::string("a\0b", 3));
}

TEST_CASE("an empty array is an item of its own", "[pack]") {
  PackBuffer sent;
  sent.pack(std::vector<double>{}).pack_value(1);
  PackBuffer buffer = received(sent);
  CHECK_THROWS_AS(buffer.unpack_value<int>(), RunError);
  std::vector<double> none;
  buffer.unpack(none);
  CHECK(buffer.unpack_value<int>() == 1);
}

TEST_CASE("unpacking in another order than packing is an error", "[pack]") {
  PackBuffer sent;
  sent.pack_value(std::int32_t{1}).pack_value(2.0);
  PackBuffer buffer = received(sent);
  CHECK_THROWS_AS(buffer.unpack_value<double>(), RunError);
  CHECK_THROWS_AS(buffer.unpack_value<std::uint32_t>(), RunError);
  CHECK_THROWS_AS(buffer.unpack_value<float>(), RunError);
  CHECK_THROWS_AS(buffer.unpack_value<std::int64_t>(), RunError);
  CHECK_THROWS_AS(buffer.unpack_text(), RunError);
  // An error takes nothing out.
  CHECK(buffer.unpack_value<std::int32_t>() == 1);
  CHECK(buffer.unpack_value<double>() == 2.0);
}

TEST_CASE("unpacking another count than was packed is an error", "[pack]") {
  PackBuffer sent;
  sent.pack(std::vector{1, 2, 3});
  PackBuffer buffer = received(sent);
  std::vector<int> two(2), four(4);
  CHECK_THROWS_AS(buffer.unpack(two), RunError);
  CHECK_THROWS_AS(buffer.unpack(four), RunError);
  std::vector<int> three(3);
  buffer.unpack(three);
  CHECK(three == std::vector{1, 2, 3});
}

TEST_CASE("an error of unpacking names what was wanted, and what is there", "[pack]") {
  PackBuffer sent;
  sent.pack(std::vector{1, 2, 3});
  PackBuffer buffer = received(sent);
  CHECK_THROWS_WITH(buffer.unpack_value<double>(), "unpacking: wanted 1 double, next are 3 int");
  CHECK_THROWS_WITH(buffer.unpack_text(), "unpacking: wanted 3 char, next are 3 int");
  std::vector<int> three(3);
  buffer.unpack(three);
  CHECK_THROWS_WITH(buffer.unpack_value<std::uint16_t>(), "unpacking: wanted 1 unsigned short, and there is no more");
}

TEST_CASE("unpacking past the end is an error", "[pack]") {
  PackBuffer buffer = received(PackBuffer());
  CHECK(buffer.next_count() == 0);
  CHECK_THROWS_AS(buffer.unpack_value<int>(), RunError);
  CHECK_THROWS_AS(buffer.unpack_text(), RunError);
  std::vector<int> none;
  CHECK_THROWS_AS(buffer.unpack(none), RunError);
}

TEST_CASE("a buffer cut short anywhere is an error", "[pack]") {
  PackBuffer sent;
  sent.pack(std::vector{1.0, 2.0}).pack_text("end");
  const auto whole = sent.bytes();
  for (std::size_t length = 1; length < whole.size(); ++length) {
    PackBuffer buffer(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    std::vector<double> values(2);
    CAPTURE(length);
    CHECK_THROWS_AS((buffer.unpack(values), buffer.unpack_text()), RunError);
  }
}

TEST_CASE("a text with an impossible length is an error, not an attempt to make room for it", "[pack]") {
  PackBuffer sent;
  sent.pack_text("abc");
  Bytes damaged(sent.bytes().begin(), sent.bytes().end());
  std::fill(damaged.begin() + 2, damaged.begin() + 10, std::byte{0x7f});
  PackBuffer buffer(damaged);
  CHECK_THROWS_AS(buffer.unpack_text(), RunError);
}

TEST_CASE("bytes that no packer made are refused", "[pack]") {
  CHECK_THROWS_AS(PackBuffer(Bytes{}), RunError);
  CHECK_THROWS_AS(PackBuffer(Bytes{std::byte{2}}), RunError);
  CHECK_NOTHROW(PackBuffer(Bytes{std::byte{0}}));
  CHECK_NOTHROW(PackBuffer(Bytes{std::byte{1}}));
}

TEST_CASE("a buffer from a host of the other byte order is converted", "[pack]") {
  const std::vector<std::complex<double>> numbers{{1.0, -2.0}, {3.5, 1e-300}};
  PackBuffer buffer = ForeignBuffer()
                          .item<std::int32_t>(0x14, {1, -2, 0x01020304})
                          .item<std::uint16_t>(0x22, {0xabcd})
                          .item<double>(0x38, {3.25})
                          .item(0x4f, numbers, sizeof(double))
                          .item<char>(0x11, {'h', 'i'})
                          .item<std::uint64_t>(0x28, {0x0102030405060708})
                          .buffer();
  CHECK(buffer.next_count() == 3);
  std::vector<std::int32_t> integers(3);
  buffer.unpack(integers);
  CHECK(integers == std::vector<std::int32_t>{1, -2, 0x01020304});
  CHECK(buffer.unpack_value<std::uint16_t>() == 0xabcd);
  CHECK(buffer.unpack_value<double>() == 3.25);
  std::vector<std::complex<double>> found(2);
  buffer.unpack(found);
  CHECK(found == numbers);
  CHECK(buffer.unpack_text() == "hi");
  CHECK(buffer.unpack_value<std::uint64_t>() == 0x0102030405060708);
}
