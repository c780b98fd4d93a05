#pragma once
/// \file
/// Info objects: texts under keys, in the order in which the keys were first set (MPI-3.1, chapter 9).

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "vm/abi/mpi/object.hpp"

namespace nasvm::mpi {

using Entries = std::vector<std::pair<std::string, std::string>>;

/// In place of what is under the key, or behind all others.
inline void set_entry(Entries& entries, const std::string& key, const std::string& value) {
  const auto found = std::ranges::find(entries, key, &Entries::value_type::first);
  if (found != entries.end()) found->second = value;
  else entries.emplace_back(key, value);
}

struct Info : Object {
  explicit Info(int number = -1) : Object(Kind::info, number) {}
  Entries entries;
};

}  // namespace nasvm::mpi
