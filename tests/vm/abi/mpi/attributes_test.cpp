#include "vm/abi/mpi/attributes.hpp"

#include <catch2/catch.hpp>

#include "mpi_api.hpp"
#include "vm/abi/mpi/failure.hpp"

using namespace nasvm::mpi;

namespace {

constexpr int type_int = 39;  // MPI_INT in predefined.table

/// What the program's functions were called for.
struct Log {
  std::vector<int> deleted;
  int code = success;
};
void* address_of_number(int number) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(number)); }
int number_of(void* value) { return static_cast<int>(reinterpret_cast<std::intptr_t>(value)); }

// As C programs hand them over; the holder is whatever handle the face has.
int copy_plus_one(void*, int, void*, void* value, void* copy, int* wanted) {
  *static_cast<void**>(copy) = address_of_number(number_of(value) + 1);
  *wanted = 1;
  return success;
}
int copy_nothing(void*, int, void*, void*, void*, int* wanted) {
  *wanted = 0;
  return success;
}
int note_deleted(void*, int, void* value, void* extra_state) {
  Log& log = *static_cast<Log*>(extra_state);
  log.deleted.push_back(number_of(value));
  return log.code;
}

template <typename F>
UserFunction of(F* function) {
  return {reinterpret_cast<void (*)()>(function), Language::c};
}

Datatype* some_type() {
  Datatype* type = nullptr;
  api::type_contiguous(2, &predefined_type(type_int), type);
  return type;
}

int attribute_of(Datatype* type, int keyval) {
  void* value = nullptr;
  int found = 0;
  api::type_get_attr(type, keyval, &value, &found);
  return found != 0 ? number_of(value) : -1;
}

}  // namespace

TEST_CASE("attributes are copied where their function wants that", "[mpi]") {
  Log log;
  int copied = 0, left = 0;
  api::type_create_keyval(of(copy_plus_one), of(note_deleted), &copied, &log);
  api::type_create_keyval(of(copy_nothing), of(note_deleted), &left, &log);
  Datatype* type = some_type();
  api::type_set_attr(type, copied, address_of_number(10));
  api::type_set_attr(type, left, address_of_number(20));
  Datatype* copy = nullptr;
  api::type_dup(type, copy);
  CHECK(attribute_of(copy, copied) == 11);
  CHECK(attribute_of(copy, left) == -1);
  api::type_free(copy);
  CHECK(log.deleted == std::vector{11});
  api::type_free(type);
  CHECK(log.deleted.size() == 3);
  api::type_free_keyval(&copied);
  api::type_free_keyval(&left);
}

TEST_CASE("a new value deletes the old one, and a freed keyval serves those who have it", "[mpi]") {
  Log log;
  int keyval = 0;
  api::type_create_keyval(of(copy_nothing), of(note_deleted), &keyval, &log);
  Datatype* type = some_type();
  api::type_set_attr(type, keyval, address_of_number(1));
  api::type_set_attr(type, keyval, address_of_number(2));
  CHECK(log.deleted == std::vector{1});
  api::type_free_keyval(&keyval);
  CHECK(keyval == keyval_invalid);
  api::type_free(type);
  CHECK(log.deleted == std::vector{1, 2});
}

TEST_CASE("an attribute whose function refuses stays", "[mpi]") {
  Log log;
  int keyval = 0;
  api::type_create_keyval(of(copy_nothing), of(note_deleted), &keyval, &log);
  Datatype* type = some_type();
  api::type_set_attr(type, keyval, address_of_number(5));
  log.code = err_other;
  CHECK_THROWS_AS(api::type_delete_attr(type, keyval), Failure);
  CHECK_THROWS_AS(api::type_free(type), Failure);
  REQUIRE(type != nullptr);
  CHECK(attribute_of(type, keyval) == 5);
  log.code = success;
  api::type_free(type);
  api::type_free_keyval(&keyval);
}

TEST_CASE("a keyval of communicators is none of datatypes", "[mpi]") {
  int keyval = 0;
  api::comm_create_keyval(of(copy_nothing), {}, &keyval, nullptr);
  Datatype* type = some_type();
  CHECK_THROWS_AS(api::type_set_attr(type, keyval, nullptr), Failure);
  api::type_free(type);
  api::comm_free_keyval(&keyval);
}
