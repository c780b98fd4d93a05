#pragma once
/// \file
/// Values of attributes as C and as Fortran have them (MPI-3.1, section 17.2.7).

#include <cstddef>
#include <list>
#include <variant>

namespace nasvm::mpi {

/// An address that C has set, or an integer that Fortran has: by MPI_ATTR_PUT one of default size.
using AttributeValue = std::variant<void*, int, std::ptrdiff_t>;

/// C gets the address of an integer that Fortran has set.
inline void* value_in_c(AttributeValue& value) {
  if (void** const address = std::get_if<void*>(&value)) return *address;
  if (int* const integer = std::get_if<int>(&value)) return integer;
  return std::get_if<std::ptrdiff_t>(&value);
}

/// Fortran gets an address that C has set as a number.
inline std::ptrdiff_t value_in_fortran(const AttributeValue& value) {
  if (void* const* const address = std::get_if<void*>(&value)) return reinterpret_cast<std::ptrdiff_t>(*address);
  if (const int* const integer = std::get_if<int>(&value)) return *integer;
  return std::get<std::ptrdiff_t>(value);
}

struct Attribute {
  int keyval;
  AttributeValue value;
};
/// In the order in which they were set. Each stays where it is: C may have its address.
using Attributes = std::list<Attribute>;

}  // namespace nasvm::mpi
