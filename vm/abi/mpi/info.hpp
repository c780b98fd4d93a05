#pragma once
/// \file
/// Info objects: texts under keys, in the order in which the keys were first set (MPI-3.1, chapter 9).

#include <string>
#include <utility>
#include <vector>

#include "vm/abi/mpi/object.hpp"

namespace nasvm::mpi {

struct Info : Object {
  explicit Info(int number = -1) : Object(Kind::info, number) {}
  std::vector<std::pair<std::string, std::string>> entries;
};

}  // namespace nasvm::mpi
