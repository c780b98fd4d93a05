/* The interface for tools, as a tool uses it before MPI_Init: there are no variables, categories and events, and what
 * asks for one is told so. */
#include "check.h"

int main(int argc, char** argv) {
  int level = -1, number = -1, index = -1, length = 10;
  char name[10];
  MPI_Datatype type;
  MPI_T_enum values;
  MPI_T_cvar_handle control;
  MPI_T_pvar_handle performance;
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  CHECK(MPI_T_cvar_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED && number == -1);
  CHECK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &level) == MPI_SUCCESS && level == MPI_THREAD_MULTIPLE);
  CHECK(MPI_T_cvar_get_num(&number) == MPI_SUCCESS && number == 0);
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level) == MPI_SUCCESS && level == MPI_THREAD_SINGLE);
  MPI_Init(&argc, &argv);
  number = -1;
  CHECK(MPI_T_pvar_get_num(&number) == MPI_SUCCESS && number == 0);
  number = -1;
  CHECK(MPI_T_category_get_num(&number) == MPI_SUCCESS && number == 0);
  CHECK(MPI_T_category_changed(&number) == MPI_SUCCESS && number == 0);
  CHECK(MPI_T_cvar_get_info(0, name, &length, &number, &type, &values, name, &length, &number, &number) ==
        MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_cvar_get_index("nothing", &index) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_cvar_handle_alloc(0, NULL, &control, &number) == MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_category_get_cvars(0, 1, &index) == MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS && session != MPI_T_PVAR_SESSION_NULL);
  CHECK(MPI_T_pvar_handle_alloc(session, 0, NULL, &performance, &number) == MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_stop(session, MPI_T_PVAR_HANDLE_NULL) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS && session == MPI_T_PVAR_SESSION_NULL);
  CHECK(MPI_T_pvar_session_free(&session) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  CHECK(MPI_T_pvar_get_num(&number) == MPI_SUCCESS);
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
  return finish();
}
