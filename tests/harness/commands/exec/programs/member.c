/* A program of MPI that does what its first argument says: for tests of nasvm exec. */

#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;
static volatile sig_atomic_t heard;

static void hear(int number) { heard = number; }

/* A sum around all tasks, so that each sends and receives. */
static void ring(void) {
  int sum = rank, from_left = 0;
  if (size > 1) {
    if (rank > 0) MPI_Recv(&from_left, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += from_left;
    if (rank + 1 < size) MPI_Send(&sum, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
  }
  MPI_Bcast(&sum, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  printf("rank %d of %d: sum %d\n", rank, size, sum);
}

static void wait_for_each_other(void) {
  int nothing;
  if (rank < 2) MPI_Recv(&nothing, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (rank == 2) for (;;) pause();
  else MPI_Barrier(MPI_COMM_WORLD);
}

/* 8 bytes, 16 that count, 32, 64 that count. */
static void regions(void) {
  char bytes[64] = {0};
  for (int i = 0; i < 4; ++i) {
    MPI_Pcontrol(i % 2);
    if (rank == 0) MPI_Send(bytes, 8 << i, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(bytes, 8 << i, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Pcontrol(0);
}

static void copy_input(void) {
  char line[256];
  int lines = 0;
  while (fgets(line, sizeof line, stdin) != NULL) {
    ++lines;
    if (rank == 0) printf("read %s", line);
  }
  printf("rank %d has read %d lines\n", rank, lines);
}

static void write_pieces(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  for (int i = 0; i < 200; ++i) {
    printf("a%d", rank);
    printf("b%d", rank);
    printf("c%d\n", rank);
  }
}

/* No newline at the end. */
static void write_bytes(void) {
  for (int i = 0; i < 256000; ++i) putchar(i % 251);
}

static void ask(void) {
  int answer = 0;
  if (rank == 0) {
    printf("Enter n: ");
    fflush(stdout);
    if (scanf("%d", &answer) != 1) answer = -1;
  }
  MPI_Bcast(&answer, 1, MPI_INT, 0, MPI_COMM_WORLD);
  printf("rank %d has %d\n", rank, answer);
}

static void show_folder(void) {
  char name[4096];
  printf("%s\n", getcwd(name, sizeof name) != NULL ? name : "(none)");
}

static void show_environment(const char* name) {
  const char* value = getenv(name);
  printf("%s/%s/%s %s=%s\n", getenv("OMPI_COMM_WORLD_RANK"), getenv("OMPI_COMM_WORLD_LOCAL_RANK"),
         getenv("OMPI_COMM_WORLD_SIZE"), name, value != NULL ? value : "(none)");
}

static void show_cores(void) {
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  printf("%s\n", CPU_COUNT(&cores) == 1 ? "one core" : "several cores");
}

static void wait_for_signal(void) {
  signal(SIGUSR1, hear);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("ready\n");
    fflush(stdout);
  }
  while (heard == 0) usleep(1000);
  printf("rank %d has heard signal %d\n", rank, (int)heard);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "ring";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(what, "no-init") == 0) return number;
  if (strcmp(what, "late-init") == 0) usleep(10000);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "ring") == 0 || strcmp(what, "late-init") == 0) ring();
  else if (strcmp(what, "wait") == 0) wait_for_each_other();
  else if (strcmp(what, "regions") == 0) regions();
  else if (strcmp(what, "input") == 0) copy_input();
  else if (strcmp(what, "pieces") == 0) write_pieces();
  else if (strcmp(what, "bytes") == 0) write_bytes();
  else if (strcmp(what, "half") == 0) printf("half");
  else if (strcmp(what, "prompt") == 0) ask();
  else if (strcmp(what, "folder") == 0) show_folder();
  else if (strcmp(what, "late") == 0) usleep(1500000);
  else if (strcmp(what, "environment") == 0) show_environment(argv[2]);
  else if (strcmp(what, "cores") == 0) show_cores();
  else if (strcmp(what, "signal") == 0) wait_for_signal();
  else if (strcmp(what, "forget") == 0) return rank == 0 ? number : (pause(), 0);
  else if (strcmp(what, "leaves") == 0) { if (rank == 0) _exit(number); pause(); }
  else if (strcmp(what, "abort") == 0) { if (rank == size - 1) MPI_Abort(MPI_COMM_WORLD, number); else MPI_Barrier(MPI_COMM_WORLD); }
  else if (strcmp(what, "killed") == 0) { if (rank == size - 1) raise(SIGKILL); MPI_Barrier(MPI_COMM_WORLD); }
  else if (strcmp(what, "forks") == 0) { if (fork() == 0) exit(number); wait(NULL); MPI_Barrier(MPI_COMM_WORLD); }
  else if (strcmp(what, "fails") == 0) { MPI_Finalize(); return rank == 0 ? number : 0; }
  else if (strcmp(what, "flood") == 0) for (;;) printf("%0100d\n", rank);
  MPI_Finalize();
  return 0;
}
