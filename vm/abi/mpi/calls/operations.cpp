// MPI-3.1, section 5.9: operations.

#include "mpi_api.hpp"
#include "vm/abi/mpi/failure.hpp"
#include "vm/abi/mpi/operation.hpp"

namespace nasvm::mpi::api {

void op_create(const UserFunction& function, int commute, Op*& op) {
  require(function.function != nullptr, err_arg);
  op = new Op(function, commute != 0);
}

void op_free(Op*& op) {
  require(op != nullptr && !op->is_predefined(), err_op);
  release(op);
}

void op_commutative(Op* op, int* commute) {
  check_operation(op);
  *commute = op->commutative ? 1 : 0;
}

void reduce_local(const void* inbuf, void* inoutbuf, std::ptrdiff_t count, Datatype* datatype, Op* op) {
  check_data(count, datatype);
  check_operation(op, *datatype);
  if (count > 0) combine_local(*op, *datatype, inbuf, inoutbuf, count);
}

}  // namespace nasvm::mpi::api
