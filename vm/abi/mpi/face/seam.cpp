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

template <typename Holder>
Copied call_copy(const UserFunction& function, Holder& holder, int keyval, void* extra_state, void* old_attribute) {
  Copied copied;
  if (reinterpret_cast<std::uintptr_t>(function.function) == duplicating_function)
    return {success, true, old_attribute};
  void* given = handle(kind_of<Holder>, &holder);
  int wanted = 0;
  if (function.language == Language::c) {
    copied.code = as<int(void*, int, void*, void*, void*, int*)>(function)(given, keyval, extra_state, old_attribute,
                                                                           &copied.value, &wanted);
  } else {
    // Extra state and attributes are addresses by value there, handed over by reference.
    int number = fortran_of(kind_of<Holder>, given);
    as<void(int*, int*, void*, void*, void*, int*, int*)>(function)(&number, &keyval, &extra_state, &old_attribute,
                                                                    &copied.value, &wanted, &copied.code);
  }
  copied.wanted = wanted != 0;
  return copied;
}

template <typename Holder>
int call_delete(const UserFunction& function, Holder& holder, int keyval, void* attribute, void* extra_state) {
  void* given = handle(kind_of<Holder>, &holder);
  if (function.language == Language::c) {
    return as<int(void*, int, void*, void*)>(function)(given, keyval, attribute, extra_state);
  }
  int number = fortran_of(kind_of<Holder>, given);
  int code = success;
  as<void(int*, int*, void*, void*, int*)>(function)(&number, &keyval, &attribute, &extra_state, &code);
  return code;
}

template Copied call_copy(const UserFunction&, Communicator&, int, void*, void*);
template Copied call_copy(const UserFunction&, Datatype&, int, void*, void*);
template int call_delete(const UserFunction&, Communicator&, int, void*, void*);
template int call_delete(const UserFunction&, Datatype&, int, void*, void*);

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
