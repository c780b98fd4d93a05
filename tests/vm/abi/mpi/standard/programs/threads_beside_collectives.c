/* MPI_THREAD_MULTIPLE: while one thread is in collectives of MPI_COMM_WORLD, others send there and make communicators
 * of it, which their tags tell apart. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { rounds = 300, threads = 4 };

static int rank, size;
static int wrong[threads];

static void* go_on_together(void* argument) {
  int* const errors = argument;
  for (int round = 0; round < rounds; ++round) {
    int value = rank == round % size ? round : -1, sum = 0;
    MPI_Bcast(&value, 1, MPI_INT, round % size, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    *errors += value != round || sum != size * round;
    if (round % 3 == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  return NULL;
}

static void* exchange(void* argument) {
  int* const errors = argument;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int round = 0; round < rounds; ++round) {
    const int mine = 1000 * rank + round;
    int got = -1;
    MPI_Status status;
    MPI_Sendrecv(&mine, 1, MPI_INT, next, round % 5, &got, 1, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    *errors += got != 1000 * before + round || status.MPI_TAG != round % 5;
  }
  return NULL;
}

/* Threads begin in any order: without the tag one task's first communicator is another's second. */
static void* make(void* argument) {
  int* const errors = argument;
  const int thread = (int)(errors - wrong);
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  for (int round = 0; round < rounds / 10; ++round) {
    MPI_Comm made;
    MPI_Comm_create_group(MPI_COMM_WORLD, group, thread, &made);
    int told = rank == 0 ? 100 * thread + round : -1;
    MPI_Bcast(&told, 1, MPI_INT, 0, made);
    *errors += told != 100 * thread + round;
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&group);
  return NULL;
}

static void* ask_for_main(void* argument) {
  MPI_Is_thread_main(argument);
  return NULL;
}

int main(int argc, char** argv) {
  int provided, is_main = 1, all = 0, sum = 0;
  pthread_t started[threads], other;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pthread_create(&started[0], NULL, go_on_together, &wrong[0]);
  pthread_create(&started[1], NULL, exchange, &wrong[1]);
  for (int thread = 2; thread < threads; ++thread) {
    const int turned = rank % 2 == 0 ? thread : threads + 1 - thread;
    pthread_create(&started[turned], NULL, make, &wrong[turned]);
  }
  for (int thread = 0; thread < threads; ++thread) pthread_join(started[thread], NULL);
  for (int thread = 0; thread < threads; ++thread) sum += wrong[thread];
  pthread_create(&other, NULL, ask_for_main, &is_main);
  pthread_join(other, NULL);
  sum += is_main;
  MPI_Is_thread_main(&is_main);
  sum += !is_main || provided != MPI_THREAD_MULTIPLE;
  MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("all right\n");
  if (rank == 0 && all != 0) printf("%d wrong\n", all);
  MPI_Finalize();
  return all != 0;
}
