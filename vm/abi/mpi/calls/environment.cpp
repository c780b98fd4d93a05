// MPI-3.1, chapter 8 and section 12.4: the environment, errors, threads.

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "mpi_api.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/errors.hpp"
#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi::api {

void abort(Communicator*, int code) {
  process().abort(code, "the program has called MPI_Abort with code " + std::to_string(code));
}

void get_processor_name(char* name, int* length) {
  std::array<char, max_processor_name> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::strcpy(name, host.data());
  *length = static_cast<int>(std::strlen(name));
}

void query_thread(int* provided) { *provided = process().thread_level(); }
void is_thread_main(int* flag) { *flag = process().is_main_thread() ? 1 : 0; }

void alloc_mem(std::ptrdiff_t size, Info*, void* base) {
  require(size >= 0, err_arg);
  void* memory = std::malloc(static_cast<std::size_t>(size == 0 ? 1 : size));
  require(memory != nullptr, err_no_mem);
  *static_cast<void**>(base) = memory;
}

void free_mem(void* base) { std::free(base); }

// --- errors
// ---------------------------------------------------------------------------------------------------------

void error_class(int code, int* errorclass) { *errorclass = error_class_of(code); }

void error_string(int code, char* text, int* length) {
  const std::string found = error_text(code).substr(0, max_error_string - 1);
  std::memcpy(text, found.c_str(), found.size() + 1);
  *length = static_cast<int>(found.size());
}

void add_error_class(int* errorclass) { *errorclass = add_class(); }
void add_error_code(int errorclass, int* code) { *code = add_code(errorclass); }
void add_error_string(int code, const char* text) { set_error_text(code, text); }
void remove_error_class(int errorclass) { remove_class(errorclass); }
void remove_error_code(int code) { remove_code(code); }
void remove_error_string(int code) { set_error_text(code, ""); }

void comm_create_errhandler(const UserFunction& function, ErrorHandler*& errhandler) {
  require(function.function != nullptr, err_arg);
  errhandler = new ErrorHandler(function);
}
void errhandler_create(const UserFunction& function, ErrorHandler*& errhandler) {
  comm_create_errhandler(function, errhandler);
}

void comm_set_errhandler(Communicator* comm, ErrorHandler* errhandler) {
  check_comm(comm);
  require(errhandler != nullptr, err_arg);
  comm->handler = Ref<ErrorHandler>(errhandler);
}
void errhandler_set(Communicator* comm, ErrorHandler* errhandler) { comm_set_errhandler(comm, errhandler); }

void comm_get_errhandler(Communicator* comm, ErrorHandler*& errhandler) {
  check_comm(comm);
  errhandler = comm->handler.get();
  ++errhandler->users;
}
void errhandler_get(Communicator* comm, ErrorHandler*& errhandler) { comm_get_errhandler(comm, errhandler); }

void comm_call_errhandler(Communicator* comm, int code) {
  check_comm(comm);
  // Where the handler returns, so does the call, with success.
  ErrorHandler& handler = *comm->handler;
  if (handler.function.function != nullptr) return seam::call_error_handler(handler.function, *comm, code);
  if (number_in(handler.word) == errors_return) return;
  fail(code);
}

void errhandler_free(ErrorHandler*& errhandler) {
  require(errhandler != nullptr, err_arg);
  release(errhandler);
}

}  // namespace nasvm::mpi::api
