// The core's tests have no face: nothing here is called.
#include "vm/abi/mpi/object.hpp"
#include "vm/abi/mpi/seam.hpp"
#include "vm/abi/mpi/status.hpp"

namespace nasvm::mpi {

void forget_fortran(const Object&) {}

namespace seam {

void call_operation(const UserFunction&, const void*, void*, int, Datatype&) {}
void call_error_handler(const UserFunction&, Communicator&, int&) {}
template <typename Holder>
Copied call_copy(const UserFunction&, Holder&, int, void*, void*) {
  return {};
}
template <typename Holder>
int call_delete(const UserFunction&, Holder&, int, void*, void*) {
  return success;
}
template Copied call_copy(const UserFunction&, Communicator&, int, void*, void*);
template Copied call_copy(const UserFunction&, Datatype&, int, void*, void*);
template int call_delete(const UserFunction&, Communicator&, int, void*, void*);
template int call_delete(const UserFunction&, Datatype&, int, void*, void*);
int call_query(const UserFunction&, void*, MessageStatus&) { return success; }
int call_free(const UserFunction&, void*) { return success; }
int call_cancel(const UserFunction&, void*, bool) { return success; }

}  // namespace seam
}  // namespace nasvm::mpi
