// MPI-3.1, section 6.7: attributes.

#include "vm/abi/mpi/attributes.hpp"

#include <array>

#include "mpi_api.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/errors.hpp"
#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi::api {

void comm_create_keyval(const UserFunction& copy, const UserFunction& delete_function, int* keyval,
                        void* extra_state) {
  *keyval = create_keyval(Kind::comm, copy, delete_function, extra_state);
}
void keyval_create(const UserFunction& copy, const UserFunction& delete_function, int* keyval, void* extra_state) {
  comm_create_keyval(copy, delete_function, keyval, extra_state);
}
void comm_free_keyval(int* keyval) {
  free_keyval(Kind::comm, *keyval);
  *keyval = keyval_invalid;
}
void keyval_free(int* keyval) { comm_free_keyval(keyval); }

void comm_set_attr(Communicator* comm, int keyval, void* value) {
  check_comm(comm);
  check_keyval(Kind::comm, keyval);
  set_attribute(*comm, comm->attributes, keyval, value);
}
void attr_put(Communicator* comm, int keyval, void* value) { comm_set_attr(comm, keyval, value); }

void comm_get_attr(Communicator* comm, int keyval, void* value, int* flag) {
  check_comm(comm);
  if (keyval >= tag_ub && keyval < first_user_keyval) {
    static std::array<int, universe_size - tag_ub + 1> values{};
    const auto value_of = [](int known) -> int& { return values[static_cast<std::size_t>(known - tag_ub)]; };
    value_of(tag_ub) = greatest_tag;
    value_of(host_rank) = proc_null;
    value_of(io_rank) = mpi_any_source;
    value_of(universe_size) = process().world().size();
    value_of(last_used_code) = last_error_code();
    *flag = keyval <= universe_size ? 1 : 0;
    if (*flag != 0) *static_cast<void**>(value) = &value_of(keyval);
    return;
  }
  check_keyval(Kind::comm, keyval);
  void** const found = find_attribute(comm->attributes, keyval);
  *flag = found != nullptr ? 1 : 0;
  if (*flag != 0) *static_cast<void**>(value) = *found;
}
void attr_get(Communicator* comm, int keyval, void* value, int* flag) { comm_get_attr(comm, keyval, value, flag); }

void comm_delete_attr(Communicator* comm, int keyval) {
  check_comm(comm);
  check_keyval(Kind::comm, keyval);
  delete_attribute(*comm, comm->attributes, keyval);
}
void attr_delete(Communicator* comm, int keyval) { comm_delete_attr(comm, keyval); }

void type_create_keyval(const UserFunction& copy, const UserFunction& delete_function, int* keyval,
                        void* extra_state) {
  *keyval = create_keyval(Kind::type, copy, delete_function, extra_state);
}
void type_free_keyval(int* keyval) {
  free_keyval(Kind::type, *keyval);
  *keyval = keyval_invalid;
}
void type_set_attr(Datatype* datatype, int keyval, void* value) {
  require(datatype != nullptr, err_type);
  check_keyval(Kind::type, keyval);
  set_attribute(*datatype, datatype->attributes, keyval, value);
}
void type_get_attr(Datatype* datatype, int keyval, void* value, int* flag) {
  require(datatype != nullptr, err_type);
  check_keyval(Kind::type, keyval);
  void** const found = find_attribute(datatype->attributes, keyval);
  *flag = found != nullptr ? 1 : 0;
  if (*flag != 0) *static_cast<void**>(value) = *found;
}
void type_delete_attr(Datatype* datatype, int keyval) {
  require(datatype != nullptr, err_type);
  check_keyval(Kind::type, keyval);
  delete_attribute(*datatype, datatype->attributes, keyval);
}

}  // namespace nasvm::mpi::api
