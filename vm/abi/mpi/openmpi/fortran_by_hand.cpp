// Procedures of Fortran that do not follow the pattern of the others: functions of the program that are handed over,
// values whose size differs, functions that return something.

#include <algorithm>
#include <array>

#include "mpi_api.hpp"
#include "vm/abi/mpi/attributes.hpp"
#include "vm/abi/mpi/call.hpp"
#include "vm/abi/mpi/openmpi/fortran.hpp"

using namespace nasvm::mpi;
using namespace nasvm::mpi::face;

namespace {

using Address = std::ptrdiff_t;

UserFunction of_fortran(void (*function)()) { return {function, Language::fortran}; }

Communicator* comm_of(const int* number) { return object<Communicator, Kind::comm>(handle_of(Kind::comm, *number)); }
Session* session_of(const int* number) { return object<Session, Kind::session>(handle_of(Kind::session, *number)); }
Datatype* type_of(const int* number) { return object<Datatype, Kind::type>(handle_of(Kind::type, *number)); }

void set(int* ierror, int code) {
  if (ierror != nullptr) *ierror = code;
}

/// As Fortran gets it.
void give(const AttributeValue* found, Address* value, int* flag) {
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) *value = value_in_fortran(*found);
}

template <typename Body>
void local(Function function, Concerned concerned, int* ierror, const Body& body) {
  set(ierror, call<Timed::no>(function, concerned, body));
}

template <typename Body>
void at_any_time(Function function, int* ierror, const Body& body) {
  set(ierror, call_at_any_time(function, body));
}

}  // namespace

#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC visibility push(default)

extern "C" {

int PMPI_Init_thread(int*, char***, int required, int* provided);
int PMPI_Finalize();
int PMPI_Initialized(int* flag);
int PMPI_Finalized(int* flag);
double PMPI_Wtime();
double PMPI_Wtick();
int PMPI_Pcontrol(int level, ...);
int PMPI_Get_version(int* version, int* subversion);
int PMPI_Get_library_version(char* text, int* length);

// --- beginning and end, clocks
// --------------------------------------------------------------------------------------

void ompi_init_f(int* ierror) { set(ierror, PMPI_Init_thread(nullptr, nullptr, thread_single, nullptr)); }
void ompi_init_thread_f(int* required, int* provided, int* ierror) {
  set(ierror, PMPI_Init_thread(nullptr, nullptr, *required, provided));
}
void ompi_finalize_f(int* ierror) { set(ierror, PMPI_Finalize()); }
void ompi_initialized_f(int* flag, int* ierror) { set(ierror, PMPI_Initialized(flag)); }
void ompi_finalized_f(int* flag, int* ierror) { set(ierror, PMPI_Finalized(flag)); }
double ompi_wtime_f() { return PMPI_Wtime(); }
double ompi_wtick_f() { return PMPI_Wtick(); }
void ompi_get_version_f(int* version, int* subversion, int* ierror) {
  set(ierror, PMPI_Get_version(version, subversion));
}
void ompi_get_library_version_f(char* text, int* length, int* ierror, std::size_t text_length) {
  std::array<char, max_library_version> c_text{};
  const int code = PMPI_Get_library_version(c_text.data(), length);
  fill(text, text_length, c_text.data());
  set(ierror, code);
}
void ompi_pcontrol_f(int* level) { (void)PMPI_Pcontrol(*level); }

// --- addresses
// ------------------------------------------------------------------------------------------------------

void ompi_get_address_f(void* location, Address* address, int* ierror) {
  *address = reinterpret_cast<Address>(address_of(location));
  set(ierror, success);
}
void ompi_address_f(void* location, int* address, int* ierror) {
  const auto whole = reinterpret_cast<Address>(address_of(location));
  *address = static_cast<int>(whole);
  set(ierror, whole == *address ? success : err_arg);
}
Address ompi_aint_add_f(Address* base, Address* displacement) { return *base + *displacement; }
Address ompi_aint_diff_f(Address* first, Address* second) { return *first - *second; }
void ompi_f_sync_reg_f(void*) {}
void ompi_alloc_mem_f(Address* size, int* info, void* base, int* ierror) {
  local(Function::Alloc_mem, nullptr, ierror,
        [&] { api::alloc_mem(*size, object<Info, Kind::info>(handle_of(Kind::info, *info)), base); });
}
void ompi_buffer_detach_f(void*, int* size, int* ierror) {
  void* buffer = nullptr;
  local(Function::Buffer_detach, nullptr, ierror, [&] { api::buffer_detach(&buffer, size); });
}

void ompi_comm_detach_buffer_f(int* comm, void*, int* size, int* ierror) {
  void* buffer = nullptr;
  auto* of = comm_of(comm);
  local(Function::Comm_detach_buffer, of, ierror, [&] { api::comm_detach_buffer(of, &buffer, size); });
}

void ompi_session_detach_buffer_f(int* session, void*, int* size, int* ierror) {
  void* buffer = nullptr;
  auto* of = session_of(session);
  local(Function::Session_detach_buffer, of, ierror, [&] { api::session_detach_buffer(of, &buffer, size); });
}

// --- functions of the program
// ---------------------------------------------------------------------------------------

void ompi_op_create_f(void (*function)(), int* commute, int* op, int* ierror) {
  local(Function::Op_create, nullptr, ierror, [&] {
    Op* made = nullptr;
    api::op_create(of_fortran(function), *commute, made);
    *op = fortran_of(Kind::op, handle(Kind::op, made));
  });
}

void ompi_comm_create_errhandler_f(void (*function)(), int* errhandler, int* ierror) {
  local(Function::Comm_create_errhandler, nullptr, ierror, [&] {
    ErrorHandler* made = nullptr;
    api::comm_create_errhandler(of_fortran(function), made);
    *errhandler = fortran_of(Kind::errhandler, handle(Kind::errhandler, made));
  });
}
void ompi_errhandler_create_f(void (*function)(), int* errhandler, int* ierror) {
  ompi_comm_create_errhandler_f(function, errhandler, ierror);
}

void ompi_session_create_errhandler_f(void (*function)(), int* errhandler, int* ierror) {
  at_any_time(Function::Session_create_errhandler, ierror, [&] {
    ErrorHandler* made = nullptr;
    api::session_create_errhandler(of_fortran(function), made);
    *errhandler = fortran_of(Kind::errhandler, handle(Kind::errhandler, made));
  });
}

void ompi_grequest_start_f(void (*query)(), void (*free)(), void (*cancel)(), Address* extra_state, int* request,
                           int* ierror) {
  local(Function::Grequest_start, nullptr, ierror, [&] {
    Request* made = nullptr;
    api::grequest_start(of_fortran(query), of_fortran(free), of_fortran(cancel),
                        reinterpret_cast<void*>(*extra_state), made);
    *request = fortran_of(Kind::request, handle(Kind::request, made));
  });
}

// --- attributes
// -----------------------------------------------------------------------------------------------------

void ompi_comm_create_keyval_f(void (*copy)(), void (*remove)(), int* keyval, Address* extra_state, int* ierror) {
  local(Function::Comm_create_keyval, nullptr, ierror, [&] {
    api::comm_create_keyval(of_fortran(copy), of_fortran(remove), keyval, reinterpret_cast<void*>(*extra_state));
  });
}
void ompi_comm_set_attr_f(int* comm, int* keyval, Address* value, int* ierror) {
  auto* of = comm_of(comm);
  local(Function::Comm_set_attr, of, ierror, [&] { set_attribute_under(of, *keyval, *value); });
}
void ompi_comm_get_attr_f(int* comm, int* keyval, Address* value, int* flag, int* ierror) {
  auto* of = comm_of(comm);
  local(Function::Comm_get_attr, of, ierror, [&] { give(attribute_under(of, *keyval), value, flag); });
}
void ompi_type_create_keyval_f(void (*copy)(), void (*remove)(), int* keyval, Address* extra_state, int* ierror) {
  local(Function::Type_create_keyval, nullptr, ierror, [&] {
    api::type_create_keyval(of_fortran(copy), of_fortran(remove), keyval, reinterpret_cast<void*>(*extra_state));
  });
}
void ompi_type_set_attr_f(int* type, int* keyval, Address* value, int* ierror) {
  local(Function::Type_set_attr, nullptr, ierror, [&] { set_attribute_under(type_of(type), *keyval, *value); });
}
void ompi_type_get_attr_f(int* type, int* keyval, Address* value, int* flag, int* ierror) {
  local(Function::Type_get_attr, nullptr, ierror,
        [&] { give(attribute_under(type_of(type), *keyval), value, flag); });
}

// MPI-1 has default integers for them.
void ompi_keyval_create_f(void (*copy)(), void (*remove)(), int* keyval, int* extra_state, int* ierror) {
  Address extra = *extra_state;
  ompi_comm_create_keyval_f(copy, remove, keyval, &extra, ierror);
}
void ompi_attr_put_f(int* comm, int* keyval, int* value, int* ierror) {
  auto* of = comm_of(comm);
  local(Function::Attr_put, of, ierror, [&] { set_attribute_under(of, *keyval, *value); });
}
void ompi_attr_get_f(int* comm, int* keyval, int* value, int* flag, int* ierror) {
  Address whole = 0;
  ompi_comm_get_attr_f(comm, keyval, &whole, flag, ierror);
  if (*flag != 0) *value = static_cast<int>(whole);
}

void ompi_comm_dup_fn_f(int*, int*, Address*, Address* value, Address* copy, int* flag, int* ierror) {
  *copy = *value;
  *flag = 1;
  *ierror = success;
}
void ompi_comm_null_copy_fn_f(int*, int*, Address*, Address*, Address*, int* flag, int* ierror) {
  *flag = 0;
  *ierror = success;
}
void ompi_comm_null_delete_fn_f(int*, int*, Address*, Address*, int* ierror) { *ierror = success; }
void ompi_dup_fn_f(int*, int*, Address*, Address* value, Address* copy, int* flag, int* ierror) {
  ompi_comm_dup_fn_f(nullptr, nullptr, nullptr, value, copy, flag, ierror);
}
void ompi_null_copy_fn_f(int*, int*, Address*, Address*, Address*, int* flag, int* ierror) {
  *flag = 0;
  *ierror = success;
}
void ompi_null_delete_fn_f(int*, int*, Address*, Address*, int* ierror) { *ierror = success; }
void ompi_type_dup_fn_f(int*, int*, Address*, Address* value, Address* copy, int* flag, int* ierror) {
  ompi_comm_dup_fn_f(nullptr, nullptr, nullptr, value, copy, flag, ierror);
}
void ompi_type_null_copy_fn_f(int*, int*, Address*, Address*, Address*, int* flag, int* ierror) {
  *flag = 0;
  *ierror = success;
}
void ompi_type_null_delete_fn_f(int*, int*, Address*, Address*, int* ierror) { *ierror = success; }
void ompi_win_dup_fn_f(int*, int*, Address*, Address* value, Address* copy, int* flag, int* ierror) {
  ompi_comm_dup_fn_f(nullptr, nullptr, nullptr, value, copy, flag, ierror);
}
void ompi_win_null_copy_fn_f(int*, int*, Address*, Address*, Address*, int* flag, int* ierror) {
  *flag = 0;
  *ierror = success;
}
void ompi_win_null_delete_fn_f(int*, int*, Address*, Address*, int* ierror) { *ierror = success; }

// --- info
// -----------------------------------------------------------------------------------------------------------

void ompi_info_get_f(int* info, char* key, int* length, char* value, int* flag, int* ierror, std::size_t key_length,
                     std::size_t value_length) {
  at_any_time(Function::Info_get, ierror, [&] {
    std::array<char, max_info_value + 1> text{};
    const int most = std::min(*length, max_info_value);
    api::info_get(object<Info, Kind::info>(handle_of(Kind::info, *info)), info_text_of(key, key_length).c_str(), most,
                  text.data(), flag);
    if (*flag != 0) fill(value, value_length, text.data());
  });
}

void ompi_info_create_env_f(int* info, int* ierror) {
  at_any_time(Function::Info_create_env, ierror, [&] {
    Info* made = nullptr;
    api::info_create_env(0, nullptr, made);
    *info = fortran_of(Kind::info, handle(Kind::info, made));
  });
}

void ompi_session_get_nth_pset_f(int* session, int* info, int* n, int* length, char* name, int* ierror,
                                 std::size_t name_length) {
  auto* of = session_of(session);
  local(Function::Session_get_nth_pset, of, ierror, [&] {
    // No byte ends a text here: with one more there is room for as many letters.
    std::array<char, max_text> text{};
    int with_end = *length > 0 ? std::min(*length, static_cast<int>(max_text) - 1) + 1 : 0;
    api::session_get_nth_pset(of, object<Info, Kind::info>(handle_of(Kind::info, *info)), *n, &with_end, text.data());
    if (*length > 0) fill(name, name_length, text.data());
    *length = with_end - 1;
  });
}

void ompi_info_get_string_f(int* info, char* key, int* length, char* value, int* flag, int* ierror,
                            std::size_t key_length, std::size_t value_length) {
  at_any_time(Function::Info_get_string, ierror, [&] {
    // No byte ends a text here: with one more there is room for as many letters.
    std::array<char, max_info_value + 1> text{};
    int with_end = std::min(*length, max_info_value) + 1;
    api::info_get_string(object<Info, Kind::info>(handle_of(Kind::info, *info)),
                         info_text_of(key, key_length).c_str(), &with_end, text.data(), flag);
    if (*flag == 0) return;
    if (*length > 0) fill(value, value_length, text.data());
    *length = with_end - 1;
  });
}

}  // extern "C"

#pragma GCC visibility pop

#include "openmpi_fortran_names.hpp"
