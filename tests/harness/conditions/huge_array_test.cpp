#include "harness/conditions/huge_array.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("huge array: all its numbers have the value, and it begins with a huge page") {
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, (std::size_t{2} << 20) / 8 + 3}) {
    CAPTURE(count);
    HugeArray<std::uint64_t> numbers(count, 7);
    CHECK(numbers.span().size() == count);
    CHECK(std::ranges::count(numbers.span(), 7U) == static_cast<std::ptrdiff_t>(count));
    CHECK(reinterpret_cast<std::uintptr_t>(numbers.span().data()) % (std::size_t{2} << 20) == 0);
    const HugeArray<std::uint64_t> moved = std::move(numbers);
    CHECK(moved.span().back() == 7);
  }
}
