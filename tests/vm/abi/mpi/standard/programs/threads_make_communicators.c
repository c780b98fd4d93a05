/* MPI_THREAD_MULTIPLE: threads make communicators at the same time, each of one of its own, and what they send there
 * reaches nobody else's. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 3, rounds = 100, unusual = 3 };

static int rank, size;
static int wrong[threads];
static MPI_Comm own[threads];

static int is_right(MPI_Comm comm, int thread, int round) {
  int value = 1000 * thread + round, ranks = -1;
  MPI_Comm_rank(comm, &ranks);
  if (ranks != 0) value = -1;
  MPI_Bcast(&value, 1, MPI_INT, 0, comm);
  const int mine = 1000 * thread + round + 7 * rank;
  int got = -1, all = 0;
  MPI_Comm_size(comm, &all);
  const int next = (ranks + 1) % all, before = (ranks + all - 1) % all;
  MPI_Sendrecv(&mine, 1, MPI_INT, next, 5, &got, 1, MPI_INT, before, 5, comm, MPI_STATUS_IGNORE);
  return value == 1000 * thread + round && got / 1000 == thread;
}

static void* make(void* argument) {
  const int thread = (int)(long)argument;
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm made;
    if (round % unusual == 0) {
      MPI_Comm_split(own[thread], rank % 2, rank, &made);
    } else if (round % unusual == 1) {
      MPI_Group group;
      MPI_Comm_group(own[thread], &group);
      MPI_Comm_create_group(own[thread], group, thread, &made);
      MPI_Group_free(&group);
    } else {
      MPI_Comm_dup(own[thread], &made);
    }
    wrong[thread] += !is_right(made, thread, round);
    MPI_Comm_free(&made);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided, all = 0, sum = 0;
  pthread_t started[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (long thread = 0; thread < threads; ++thread) MPI_Comm_dup(MPI_COMM_WORLD, &own[thread]);
  for (long thread = 0; thread < threads; ++thread) pthread_create(&started[thread], NULL, make, (void*)thread);
  for (long thread = 0; thread < threads; ++thread) pthread_join(started[thread], NULL);
  for (int thread = 0; thread < threads; ++thread) sum += wrong[thread];
  sum += provided != MPI_THREAD_MULTIPLE;
  MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("all right\n");
  if (rank == 0 && all != 0) printf("%d wrong\n", all);
  for (int thread = 0; thread < threads; ++thread) MPI_Comm_free(&own[thread]);
  MPI_Finalize();
  return all != 0;
}
