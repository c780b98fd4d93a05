// MPI-3.1, section 6.7: attributes.

#include "vm/abi/mpi/attributes.hpp"

#include <array>

#include "mpi_api.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/errors.hpp"
#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi {
namespace {

/// What communicators have from the start (MPI-3.1, section 8.1.2); C gets addresses of these integers, too.
AttributeValue* predefined_attribute(int keyval) {
  if (keyval > universe_size) return nullptr;
  static auto values = [] {
    std::array<AttributeValue, universe_size - tag_ub + 1> zeros;
    zeros.fill(0);
    return zeros;
  }();
  const auto value_of = [](int known) -> AttributeValue& { return values[static_cast<std::size_t>(known - tag_ub)]; };
  value_of(tag_ub) = greatest_tag;
  value_of(host_rank) = proc_null;
  value_of(io_rank) = mpi_any_source;
  value_of(universe_size) = process().world().size();
  value_of(last_used_code) = last_error_code();
  return &value_of(keyval);
}

}  // namespace

void set_attribute_under(Communicator* comm, int keyval, AttributeValue value) {
  check_comm(comm);
  check_keyval(Kind::comm, keyval);
  set_attribute(*comm, comm->attributes, keyval, value);
}
void set_attribute_under(Datatype* type, int keyval, AttributeValue value) {
  check_type(type);
  check_keyval(Kind::type, keyval);
  set_attribute(*type, type->attributes, keyval, value);
}

AttributeValue* attribute_under(Communicator* comm, int keyval) {
  check_comm(comm);
  if (keyval >= tag_ub && keyval < first_user_keyval) return predefined_attribute(keyval);
  check_keyval(Kind::comm, keyval);
  return find_attribute(comm->attributes, keyval);
}
AttributeValue* attribute_under(Datatype* type, int keyval) {
  check_type(type);
  check_keyval(Kind::type, keyval);
  return find_attribute(type->attributes, keyval);
}

namespace api {
namespace {

/// As C gets it.
void give(AttributeValue* found, void* value, int* flag) {
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) *static_cast<void**>(value) = value_in_c(*found);
}

}  // namespace

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

void comm_set_attr(Communicator* comm, int keyval, void* value) { set_attribute_under(comm, keyval, value); }
void attr_put(Communicator* comm, int keyval, void* value) { comm_set_attr(comm, keyval, value); }

void comm_get_attr(Communicator* comm, int keyval, void* value, int* flag) {
  give(attribute_under(comm, keyval), value, flag);
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
void type_set_attr(Datatype* datatype, int keyval, void* value) { set_attribute_under(datatype, keyval, value); }
void type_get_attr(Datatype* datatype, int keyval, void* value, int* flag) {
  give(attribute_under(datatype, keyval), value, flag);
}
void type_delete_attr(Datatype* datatype, int keyval) {
  check_type(datatype);
  check_keyval(Kind::type, keyval);
  delete_attribute(*datatype, datatype->attributes, keyval);
}

}  // namespace api
}  // namespace nasvm::mpi
