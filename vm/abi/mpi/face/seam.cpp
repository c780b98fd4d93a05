// What the core asks of this face (seam.hpp): the program's functions, with its handles.

#include "vm/abi/mpi/seam.hpp"

#include "vm/abi/mpi/face/handles.hpp"
#include "vm/abi/mpi/status.hpp"

namespace nasvm::mpi::seam {
namespace {

using namespace face;

template <typename Signature>
Signature* as(const UserFunction& function) {
  return reinterpret_cast<Signature*>(function.function);
}

template <typename Holder>
constexpr Kind kind_of = Kind::comm;
template <>
constexpr Kind kind_of<Datatype> = Kind::type;
template <>
constexpr Kind kind_of<Session> = Kind::session;

}  // namespace

void call_operation(const UserFunction& function, const void* in, void* inout, int count, Datatype& type) {
  void* const type_handle = handle(Kind::type, &type);
  if (function.language == Language::c) {
    void* given = type_handle;
    return as<void(const void*, void*, int*, void**)>(function)(in, inout, &count, &given);
  }
  if (function.language == Language::c_large) {
    void* given = type_handle;
    long long large = count;
    return as<void(const void*, void*, long long*, void**)>(function)(in, inout, &large, &given);
  }
  int given = fortran_of(Kind::type, type_handle);
  as<void(const void*, void*, int*, int*)>(function)(in, inout, &count, &given);
}

template <typename Holder>
void call_error_handler(const UserFunction& function, Holder& holder, int& code) {
  void* given = handle(kind_of<Holder>, &holder);
  if (function.language == Language::c) return as<void(void**, int*, ...)>(function)(&given, &code);
  int number = fortran_of(kind_of<Holder>, given);
  as<void(int*, int*)>(function)(&number, &code);
}

template void call_error_handler(const UserFunction&, Communicator&, int&);
template void call_error_handler(const UserFunction&, Session&, int&);

void communicators_have_come() { fill_predefined_objects(); }

namespace {

// Functions that hand on what they were given copy the value in the form that it has.

AttributeValue copied_by_c(AttributeValue& old, void* value) {
  return value == value_in_c(old) ? old : AttributeValue(value);
}

/// One that has been set as an integer of default size has as few bytes in functions of MPI-1.
AttributeValue copied_by_fortran(const AttributeValue& old, std::ptrdiff_t value) {
  if (value == value_in_fortran(old)) return old;
  if (std::holds_alternative<int>(old)) return static_cast<int>(value);
  return value;
}

}  // namespace

template <typename Holder>
Copied call_copy(const UserFunction& function, Holder& holder, int keyval, void* extra_state, AttributeValue& old) {
  if (reinterpret_cast<std::uintptr_t>(function.function) == duplicating_function) return {success, true, old};
  Copied copied;
  void* given = handle(kind_of<Holder>, &holder);
  int wanted = 0;
  if (function.language == Language::c) {
    void* value = nullptr;
    copied.code = as<int(void*, int, void*, void*, void*, int*)>(function)(given, keyval, extra_state,
                                                                           value_in_c(old), &value, &wanted);
    copied.value = copied_by_c(old, value);
  } else {
    // Extra state and attributes are integers there, handed over by reference.
    int number = fortran_of(kind_of<Holder>, given);
    std::ptrdiff_t old_value = value_in_fortran(old);
    std::ptrdiff_t value = 0;
    as<void(int*, int*, void*, void*, void*, int*, int*)>(function)(&number, &keyval, &extra_state, &old_value,
                                                                    &value, &wanted, &copied.code);
    copied.value = copied_by_fortran(old, value);
  }
  copied.wanted = wanted != 0;
  return copied;
}

template <typename Holder>
int call_delete(const UserFunction& function, Holder& holder, int keyval, AttributeValue& value, void* extra_state) {
  void* given = handle(kind_of<Holder>, &holder);
  if (function.language == Language::c) {
    return as<int(void*, int, void*, void*)>(function)(given, keyval, value_in_c(value), extra_state);
  }
  int number = fortran_of(kind_of<Holder>, given);
  std::ptrdiff_t integer = value_in_fortran(value);
  int code = success;
  as<void(int*, int*, void*, void*, int*)>(function)(&number, &keyval, &integer, &extra_state, &code);
  return code;
}

template Copied call_copy(const UserFunction&, Communicator&, int, void*, AttributeValue&);
template Copied call_copy(const UserFunction&, Datatype&, int, void*, AttributeValue&);
template int call_delete(const UserFunction&, Communicator&, int, AttributeValue&, void*);
template int call_delete(const UserFunction&, Datatype&, int, AttributeValue&, void*);

int call_query(const UserFunction& function, void* extra_state, MessageStatus& status) {
  if (function.language == Language::c) return as<int(void*, MessageStatus*)>(function)(extra_state, &status);
  int code = success;
  as<void(void*, MessageStatus*, int*)>(function)(&extra_state, &status, &code);
  return code;
}

int call_free(const UserFunction& function, void* extra_state) {
  if (function.language == Language::c) return as<int(void*)>(function)(extra_state);
  int code = success;
  as<void(void*, int*)>(function)(&extra_state, &code);
  return code;
}

int call_cancel(const UserFunction& function, void* extra_state, bool complete) {
  int flag = complete ? 1 : 0;
  if (function.language == Language::c) return as<int(void*, int)>(function)(extra_state, flag);
  int code = success;
  as<void(void*, int*, int*)>(function)(&extra_state, &flag, &code);
  return code;
}

}  // namespace nasvm::mpi::seam
