// The interface for tools (MPI-4.1, section 15.3), as far as there is something to it: whether it has been
// initialized, and sessions without variables. All else is made of tools.table. May be called at any time, by any
// thread.

#include <atomic>

#include "vm/abi/mpi/constants.hpp"

using namespace nasvm::mpi;

namespace {

/// MPI_T_init_thread without MPI_T_finalize.
std::atomic<int> users{0};

/// What a handle of a session points to. Without variables, sessions have nothing that tells them apart.
char session_mark = 0;

int answer(int code) { return users > 0 ? code : t_err_not_initialized; }

int answer_none(int* number) {
  if (users > 0) *number = 0;
  return answer(success);
}

/// What a call concerns: all variables of a session, or one, which there is not.
int answer_all(const void* session, const void* which) {
  if (session != &session_mark) return answer(t_err_invalid_session);
  return answer(which == t_all_handles ? static_cast<int>(success) : static_cast<int>(t_err_invalid_handle));
}

}  // namespace

#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC visibility push(default)

extern "C" {

int PMPI_T_init_thread(int required, int* provided) {
  ++users;
  if (provided != nullptr) *provided = required < thread_multiple ? required : static_cast<int>(thread_multiple);
  return success;
}

int PMPI_T_finalize() {
  if (users == 0) return t_err_not_initialized;
  --users;
  return success;
}

int PMPI_T_pvar_session_create(void** session) {
  if (users > 0) *session = &session_mark;
  return answer(success);
}

int PMPI_T_pvar_session_free(void** session) {
  if (*session != &session_mark) return answer(t_err_invalid_session);
  if (users > 0) *session = nullptr;
  return answer(success);
}

int PMPI_T_pvar_start(const void* session, const void* handle) { return answer_all(session, handle); }
int PMPI_T_pvar_stop(const void* session, const void* handle) { return answer_all(session, handle); }
int PMPI_T_pvar_reset(const void* session, const void* handle) { return answer_all(session, handle); }

#include "face_tools.hpp"

}  // extern "C"

#pragma GCC visibility pop
