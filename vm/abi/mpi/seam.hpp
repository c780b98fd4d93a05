#pragma once
/// \file
/// What the core asks of the face that it is linked with: calls of the program's own functions, which get handles of
/// that face. Each face defines these.

#include <cstdint>

#include "vm/abi/mpi/attribute_value.hpp"
#include "vm/abi/mpi/constants.hpp"

namespace nasvm::mpi {

struct Communicator;
struct Datatype;
struct MessageStatus;
struct Session;

/// c_large: in C, with counts of MPI_Count.
enum class Language : std::uint8_t { c, c_large, fortran };

/// A function of the program's. What its arguments are depends on where it was handed over, and on the language.
struct UserFunction {
  void (*function)() = nullptr;
  Language language = Language::c;
};

namespace seam {

void call_operation(const UserFunction& function, const void* in, void* inout, int count, Datatype& type);
/// Of communicators and of sessions.
template <typename Holder>
void call_error_handler(const UserFunction& function, Holder& holder, int& code);
extern template void call_error_handler(const UserFunction&, Communicator&, int&);
extern template void call_error_handler(const UserFunction&, Session&, int&);

/// MPI_COMM_WORLD and MPI_COMM_SELF are there from now on.
void communicators_have_come();

/// Attributes: functions of communicators and of datatypes get handles of those, and values as their language has
/// them.
struct Copied {
  int code = success;
  bool wanted = false;
  AttributeValue value;
};
template <typename Holder>
Copied call_copy(const UserFunction& function, Holder& holder, int keyval, void* extra_state, AttributeValue& old);
template <typename Holder>
int call_delete(const UserFunction& function, Holder& holder, int keyval, AttributeValue& value, void* extra_state);
extern template Copied call_copy(const UserFunction&, Communicator&, int, void*, AttributeValue&);
extern template Copied call_copy(const UserFunction&, Datatype&, int, void*, AttributeValue&);
extern template int call_delete(const UserFunction&, Communicator&, int, AttributeValue&, void*);
extern template int call_delete(const UserFunction&, Datatype&, int, AttributeValue&, void*);

/// Generalized requests.
int call_query(const UserFunction& function, void* extra_state, MessageStatus& status);
int call_free(const UserFunction& function, void* extra_state);
int call_cancel(const UserFunction& function, void* extra_state, bool complete);

}  // namespace seam
}  // namespace nasvm::mpi
