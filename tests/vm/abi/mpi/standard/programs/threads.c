/* MPI_THREAD_MULTIPLE: two threads of each rank exchange messages with those of the next rank, in both directions at
 * the same time, and each waits for the other: without the lock being let go of while one waits, this hangs. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { rounds = 400, longest = 20000 };

static int rank, size;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int wrong = 0;

static void expect(int is_right) {
  if (is_right) return;
  pthread_mutex_lock(&gate);
  ++wrong;
  pthread_mutex_unlock(&gate);
}

/* One thread receives first, the other one sends first; both directions go around the ring. */
static void* exchange(void* argument) {
  const int thread = (int)(long)argument;
  const int to = thread == 0 ? (rank + 1) % size : (rank + size - 1) % size;
  const int from = thread == 0 ? (rank + size - 1) % size : (rank + 1) % size;
  int* out = malloc(longest * sizeof(int));
  int* in = malloc(longest * sizeof(int));
  for (int round = 0; round < rounds; ++round) {
    const int count = round % 10 == 9 ? longest : 1 + round % 7;
    MPI_Status status;
    MPI_Request request;
    for (int i = 0; i < count; ++i) out[i] = rank * 1000 + round + i;
    if (thread == 0) {
      MPI_Irecv(in, longest, MPI_INT, from, thread, MPI_COMM_WORLD, &request);
      MPI_Ssend(out, count, MPI_INT, to, thread, MPI_COMM_WORLD);
      MPI_Wait(&request, &status);
    } else {
      MPI_Isend(out, count, MPI_INT, to, thread, MPI_COMM_WORLD, &request);
      MPI_Probe(from, thread, MPI_COMM_WORLD, &status);
      MPI_Recv(in, longest, MPI_INT, from, thread, MPI_COMM_WORLD, &status);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    int received = 0;
    MPI_Get_count(&status, MPI_INT, &received);
    expect(received == count && status.MPI_SOURCE == from && status.MPI_TAG == thread);
    for (int i = 0; i < received; ++i) expect(in[i] == from * 1000 + round + i);
  }
  free(out);
  free(in);
  return NULL;
}

/* Within a rank: each thread waits for what only the other one sends, later. */
static void* pass(void* argument) {
  const int thread = (int)(long)argument;
  int ball = 0;
  for (int round = 0; round < rounds; ++round) {
    if (thread == 0) MPI_Send(&round, 1, MPI_INT, rank, 10, MPI_COMM_WORLD);
    MPI_Recv(&ball, 1, MPI_INT, rank, thread == 0 ? 11 : 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(ball == round);
    if (thread == 1) MPI_Send(&round, 1, MPI_INT, rank, 11, MPI_COMM_WORLD);
  }
  return NULL;
}

/* Each thread has a communicator for its collectives. */
static MPI_Comm own[2];
static void* gather(void* argument) {
  const int thread = (int)(long)argument;
  for (int round = 0; round < rounds; ++round) {
    int sum = 0;
    const int part = rank + thread + round;
    if (round % 2 == thread) {
      MPI_Request request;
      MPI_Iallreduce(&part, &sum, 1, MPI_INT, MPI_SUM, own[thread], &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Allreduce(&part, &sum, 1, MPI_INT, MPI_SUM, own[thread]);
    }
    expect(sum == size * (size - 1) / 2 + size * (thread + round));
  }
  return NULL;
}

static void both(void* (*work)(void*)) {
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
  int level = 0, all = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  expect(level == MPI_THREAD_MULTIPLE);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
  both(exchange);
  both(pass);
  both(gather);
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&own[i]);
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all == 0 ? "all right" : "wrong");
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
