// Stands in for nasvm-pvm-task: each two ranks enroll in the PVM daemon of another host. Which daemon a task belongs
// to is decided by PVM_TMP alone, as all hosts of a lab share the file system in which its sockets lie.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  (void)argc;
  const char* order = getenv("NASVM_TASK_ORDER");
  const char* rank = order != NULL ? strstr(order, "\"rank\":") : NULL;
  const char* base = getenv("PVM_FOLDERS");  // PVM_FOLDERS/1 to PVM_FOLDERS/4, user nobody's
  const char* per_host = getenv("PVM_RANKS_PER_HOST");
  if (rank == NULL || base == NULL) return 2;
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/%d", base, atoi(rank + 7) / (per_host != NULL ? atoi(per_host) : 2) + 1);
  setenv("PVM_TMP", folder, 1);
  setenv("HOME", folder, 1);
  unsetenv("PVM_ROOT");
  execv(getenv("PVM_TASK"), argv);  // the build's own nasvm-pvm-task
  return 127;
}
