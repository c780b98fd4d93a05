#pragma once
/// \file
/// Values that rows and columns of tables stand for.

#include <algorithm>
#include <functional>
#include <iterator>
#include <type_traits>
#include <vector>

namespace nasvm {

/// `get` of every element of a range (a member, or a function), each value once, in the order of its first
/// appearance.
template <typename Range, typename Get>
auto distinct(const Range& range, Get get) {
  std::vector<std::remove_cvref_t<std::invoke_result_t<Get, decltype(*std::begin(range))>>> values;
  for (const auto& element : range) {
    const auto value = std::invoke(get, element);
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

}  // namespace nasvm
