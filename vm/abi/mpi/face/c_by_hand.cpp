// Functions of C that do not follow the pattern of the others: what may be called before MPI_Init, clocks, constants
// that are functions.

#include <ctime>

#include <chrono>
#include <cstring>

#include "vm/abi/mpi/call.hpp"
#include "vm/abi/mpi/face/handles.hpp"
#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/status.hpp"
#include "vm/abi/mpi/turns.hpp"
#include "vm/version.hpp"

using namespace nasvm::mpi;
using namespace nasvm::mpi::face;
using nasvm::build_version;

#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC visibility push(default)

extern "C" {

// --- beginning and end
// ----------------------------------------------------------------------------------------------

int PMPI_Init_thread(int*, char***, int required, int* provided) {
  const int level = required < thread_multiple ? required : static_cast<int>(thread_multiple);
  begin_program(static_cast<ThreadLevel>(level));
  if (provided != nullptr) *provided = process().thread_level();
  return success;
}

int PMPI_Init(int* argc, char*** argv) { return PMPI_Init_thread(argc, argv, thread_single, nullptr); }

int PMPI_Finalize() {
  const Turn turn;
  end_program();
  return success;
}

int PMPI_Initialized(int* flag) {
  *flag = process().has_begun_world() ? 1 : 0;
  return success;
}

int PMPI_Finalized(int* flag) {
  *flag = process().has_ended_world() ? 1 : 0;
  return success;
}

// --- what is always there
// -------------------------------------------------------------------------------------------

double PMPI_Wtime() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double PMPI_Wtick() { return 1e-9; }

int PMPI_Get_version(int* version, int* subversion) {
  *version = interface_version;
  *subversion = interface_subversion;
  return success;
}

int PMPI_Get_library_version(char* text, int* length) {
  const std::string version = "nasvm " + std::string(build_version()) + ", with " + interface_name;
  std::strncpy(text, version.c_str(), max_library_version - 1);
  text[max_library_version - 1] = '\0';
  *length = static_cast<int>(std::strlen(text));
  return success;
}

int PMPI_Pcontrol(const int level, ...) {
  const Turn turn;
  process().control(level);
  return success;
}

// --- statuses: the same in C and Fortran
// ----------------------------------------------------------------------------

int PMPI_Status_c2f(const MessageStatus* status, int* fortran) {
  if (status == nullptr || fortran == nullptr) return err_arg;
  std::memcpy(fortran, status, sizeof *status);
  return success;
}

int PMPI_Status_f2c(const int* fortran, MessageStatus* status) {
  if (status == nullptr || fortran == nullptr) return err_arg;
  std::memcpy(static_cast<void*>(status), fortran, sizeof *status);
  return success;
}

}  // extern "C"

#pragma GCC visibility pop

#include "face_c_names.hpp"
