#include "vm/abi/mpi/predefined.hpp"

#include <array>
#include <deque>

#include "mpi_predefined.hpp"
#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/request.hpp"

namespace nasvm::mpi {
namespace {

/// Never destroyed: programs may still have handles when everything else is gone.
template <typename T, typename... Values>
T& forever(Values&&... values) {
  return *new T(std::forward<Values>(values)...);
}

std::deque<Datatype>& types() {
  static auto& all = []() -> std::deque<Datatype>& {
    auto& list = forever<std::deque<Datatype>>();
    for (std::size_t i = 0; i < std::size(predefined_types); ++i) {
      list.emplace_back(static_cast<int>(i), predefined_types[i].element, std::string(predefined_types[i].name));
    }
    return list;
  }();
  return all;
}

template <typename T>
std::deque<T>& numbered(int count) {
  static auto& all = [count]() -> std::deque<T>& {
    auto& list = forever<std::deque<T>>();
    for (int i = 0; i < count; ++i) list.emplace_back(i);
    return list;
  }();
  return all;
}

}  // namespace

Datatype& predefined_type(int number) { return types()[static_cast<std::size_t>(number)]; }
Op& predefined_operation(int number) { return numbered<Op>(predefined_operations)[static_cast<std::size_t>(number)]; }
ErrorHandler& predefined_handler(int number) {
  return numbered<ErrorHandler>(predefined_handlers)[static_cast<std::size_t>(number)];
}

Group& empty_group() {
  static Group& group = forever<Group>(std::vector<Rank>{}, 1);
  return group;
}

Object* predefined(Kind kind, int number) {
  if (kind == Kind::type) return &predefined_type(number);
  if (number == 0) return nullptr;
  switch (kind) {
    case Kind::comm:
      if (process().phase() == Process::Phase::before) return nullptr;
      return number == 1 ? &process().world() : &process().self();
    case Kind::group:
      return &empty_group();
    case Kind::op:
      return &predefined_operation(number);
    case Kind::info:
      return &environment_info();
    case Kind::errhandler:
      return &predefined_handler(number);
    case Kind::message:
      return &message_from_nobody();
    default:
      return nullptr;
  }
}

}  // namespace nasvm::mpi
