/* Info objects may be made before MPI_Init and live on after MPI_Finalize (MPI-4.0, section 11.4.1). */
#include <string.h>

#include "check.h"

static void check_hint(MPI_Info info, const char* key, const char* expected) {
  char value[MPI_MAX_INFO_VAL + 1];
  int is_there = 0;
  MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &is_there);
  CHECK(is_there && strcmp(value, expected) == 0);
}

int main(int argc, char** argv) {
  MPI_Info info, copy;
  MPI_Info_create(&info);
  MPI_Info_set(info, "before", "1");
  MPI_Info_dup(info, &copy);
  MPI_Info_free(&info);
  MPI_Init(&argc, &argv);
  check_hint(copy, "before", "1");
  MPI_Info_set(copy, "meanwhile", "2");
  const int returned = finish();
  check_hint(copy, "meanwhile", "2");
  MPI_Info_free(&copy);
  CHECK(copy == MPI_INFO_NULL);
  return returned != 0 || wrong != 0;
}
