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
int copy_in_vain(void*, int, void*, void*, void*, int*) { return err_other; }
int note_deleted(void*, int, void* value, void* extra_state) {
  Log& log = *static_cast<Log*>(extra_state);
  log.deleted.push_back(number_of(value));
  return log.code;
}

// Of attributes that Fortran has set as default integers.
int copy_integer_plus_one(void*, int, void*, void* value, void* copy, int* wanted) {
  *static_cast<void**>(copy) = address_of_number(*static_cast<int*>(value) + 1);
  *wanted = 1;
  return success;
}
int note_deleted_integer(void*, int, void* value, void* extra_state) {
  static_cast<Log*>(extra_state)->deleted.push_back(*static_cast<int*>(value));
  return success;
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

/// As C gets it; nullptr: there is none.
void* value_of(Datatype* type, int keyval) {
  void* value = nullptr;
  int found = 0;
  api::type_get_attr(type, keyval, &value, &found);
  return found != 0 ? value : nullptr;
}

int attribute_of(Datatype* type, int keyval) {
  void* const value = value_of(type, keyval);
  return value != nullptr ? number_of(value) : -1;
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

TEST_CASE("attributes are deleted from the one that was set last on, a new value counts as set then", "[mpi]") {
  Log log;
  int first = 0, second = 0;
  api::type_create_keyval(of(copy_nothing), of(note_deleted), &first, &log);
  api::type_create_keyval(of(copy_nothing), of(note_deleted), &second, &log);
  Datatype* type = some_type();
  api::type_set_attr(type, first, address_of_number(1));
  api::type_set_attr(type, second, address_of_number(2));
  api::type_set_attr(type, first, address_of_number(3));
  api::type_free_keyval(&first);  // the value that is there keeps it
  api::type_free(type);
  CHECK(log.deleted == std::vector{1, 3, 2});
  api::type_free_keyval(&second);
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

TEST_CASE("when a value cannot be copied, those that have been are deleted, and there is no duplicate", "[mpi]") {
  Log log;
  int copied = 0, failing = 0;
  api::type_create_keyval(of(copy_plus_one), of(note_deleted), &copied, &log);
  api::type_create_keyval(of(copy_in_vain), of(note_deleted), &failing, &log);
  Datatype* type = some_type();
  api::type_set_attr(type, copied, address_of_number(10));
  api::type_set_attr(type, failing, address_of_number(20));
  Datatype* copy = nullptr;
  CHECK_THROWS_AS(api::type_dup(type, copy), Failure);
  CHECK(copy == nullptr);
  CHECK(log.deleted == std::vector{11});
  api::type_free(type);
  CHECK(log.deleted == std::vector{11, 20, 10});
  api::type_free_keyval(&copied);
  api::type_free_keyval(&failing);
}

TEST_CASE("C gets the address of an integer that Fortran has set, which stays where it is", "[mpi]") {
  int first = 0, second = 0;
  api::type_create_keyval(of(copy_nothing), {}, &first, nullptr);
  api::type_create_keyval(of(copy_nothing), {}, &second, nullptr);
  Datatype* type = some_type();
  constexpr std::ptrdiff_t large = std::ptrdiff_t{1} << 40;
  set_attribute_under(type, first, -7);
  const auto* const integer = static_cast<const int*>(value_of(type, first));
  REQUIRE(integer != nullptr);
  CHECK(*integer == -7);
  set_attribute_under(type, second, large);
  const auto* const address_integer = static_cast<const std::ptrdiff_t*>(value_of(type, second));
  REQUIRE(address_integer != nullptr);
  CHECK(*address_integer == large);
  CHECK(value_of(type, first) == integer);
  set_attribute_under(type, first, 8);
  CHECK(*integer == 8);
  CHECK(value_in_fortran(*attribute_under(type, first)) == 8);
  CHECK(value_in_fortran(*attribute_under(type, second)) == large);
  api::type_free(type);
  api::type_free_keyval(&first);
  api::type_free_keyval(&second);
}

TEST_CASE("functions in C get the address of an integer that Fortran has set, too", "[mpi]") {
  Log log;
  int keyval = 0;
  api::type_create_keyval(of(copy_integer_plus_one), of(note_deleted_integer), &keyval, &log);
  Datatype* type = some_type();
  set_attribute_under(type, keyval, 30);
  Datatype* copy = nullptr;
  api::type_dup(type, copy);
  CHECK(attribute_of(copy, keyval) == 31);  // what C has set is an address
  set_attribute_under(type, keyval, 40);
  CHECK(log.deleted == std::vector{30});
  int number = 50;
  *attribute_under(copy, keyval) = &number;
  api::type_free(copy);
  api::type_free(type);
  CHECK(log.deleted == std::vector{30, 50, 40});
  api::type_free_keyval(&keyval);
}

TEST_CASE("Fortran gets an address that C has set as a number", "[mpi]") {
  int keyval = 0;
  api::type_create_keyval(of(copy_nothing), {}, &keyval, nullptr);
  Datatype* type = some_type();
  CHECK(attribute_under(type, keyval) == nullptr);
  api::type_set_attr(type, keyval, address_of_number(60));
  CHECK(value_in_fortran(*attribute_under(type, keyval)) == 60);
  api::type_free(type);
  api::type_free_keyval(&keyval);
}

TEST_CASE("MPI_DATATYPE_NULL has no attributes", "[mpi]") {
  int keyval = 0, found = 0;
  void* value = nullptr;
  api::type_create_keyval(of(copy_nothing), {}, &keyval, nullptr);
  Datatype* const none = &predefined_type(0);
  CHECK_THROWS_AS(api::type_set_attr(none, keyval, nullptr), Failure);
  CHECK_THROWS_AS(api::type_get_attr(none, keyval, &value, &found), Failure);
  CHECK_THROWS_AS(api::type_delete_attr(none, keyval), Failure);
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
