// The core's tests have no face: functions of a program get no handles, those of attributes are called without.
#include "vm/abi/mpi/object.hpp"
#include "vm/abi/mpi/seam.hpp"
#include "vm/abi/mpi/status.hpp"

namespace nasvm::mpi {

void forget_fortran(const Object&) {}

namespace seam {

void call_operation(const UserFunction&, const void*, void*, int, Datatype&) {}
template <typename Holder>
void call_error_handler(const UserFunction&, Holder&, int&) {}
template void call_error_handler(const UserFunction&, Communicator&, int&);
template void call_error_handler(const UserFunction&, Session&, int&);
template <typename Holder>
Copied call_copy(const UserFunction& function, Holder&, int keyval, void* extra_state, AttributeValue& old) {
  using Copy = int(void*, int, void*, void*, void*, int*);
  Copied copied;
  void* value = nullptr;
  int wanted = 0;
  copied.code =
      reinterpret_cast<Copy*>(function.function)(nullptr, keyval, extra_state, value_in_c(old), &value, &wanted);
  copied.value = value;
  copied.wanted = wanted != 0;
  return copied;
}
template <typename Holder>
int call_delete(const UserFunction& function, Holder&, int keyval, AttributeValue& value, void* extra_state) {
  using Delete = int(void*, int, void*, void*);
  return reinterpret_cast<Delete*>(function.function)(nullptr, keyval, value_in_c(value), extra_state);
}
template Copied call_copy(const UserFunction&, Communicator&, int, void*, AttributeValue&);
template Copied call_copy(const UserFunction&, Datatype&, int, void*, AttributeValue&);
template int call_delete(const UserFunction&, Communicator&, int, AttributeValue&, void*);
template int call_delete(const UserFunction&, Datatype&, int, AttributeValue&, void*);
void communicators_have_come() {}
int call_query(const UserFunction&, void*, MessageStatus&) { return success; }
int call_free(const UserFunction&, void*) { return success; }
int call_cancel(const UserFunction&, void*, bool) { return success; }

}  // namespace seam
}  // namespace nasvm::mpi
