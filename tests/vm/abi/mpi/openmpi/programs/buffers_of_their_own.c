/* Buffers for buffered sends: of the program, of communicators, and when they are empty (MPI-4.1, section 3.6). */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "mpi4.h"

#include "check.h"

enum { length = 1000, room = 3 * (length * sizeof(int) + MPI_BSEND_OVERHEAD) };
static char memory[2][room];

/* Sends to itself, which it receives only later: nothing leaves a buffer by itself. */
static void check_flush_waits_for_what_was_before(MPI_Comm comm) {
  int out[length] = {1}, in[length], done = 0;
  MPI_Request flush, receive;
  MPI_Irecv(in, length, MPI_INT, 0, 5, comm, &receive);
  MPI_Bsend(out, length, MPI_INT, 0, 5, comm);
  MPI_Comm_iflush_buffer(comm, &flush);
  MPI_Wait(&flush, MPI_STATUS_IGNORE);
  CHECK(flush == MPI_REQUEST_NULL);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  CHECK(in[0] == 1);
  MPI_Comm_iflush_buffer(comm, &flush);
  MPI_Test(&flush, &done, MPI_STATUS_IGNORE);
  CHECK(done);
  MPI_Comm_flush_buffer(comm);
}

/* A communicator's own buffer is used first: it may be full where the program's has room. */
static void check_own_comes_first(MPI_Comm comm, MPI_Comm other) {
  static int out[room / sizeof(int)];
  int in[length];
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(MPI_Bsend(out, room / (int)sizeof(int), MPI_INT, 0, 6, comm) != MPI_SUCCESS);
  CHECK(MPI_Bsend(out, length, MPI_INT, 0, 6, other) == MPI_SUCCESS);
  MPI_Recv(in, length, MPI_INT, 0, 6, other, MPI_STATUS_IGNORE);
}

/* A message has left when its receiver has it, though its sender has called nothing meanwhile: the receiver says so by
 * a signal. */
static void check_room_of_what_was_received(const sigset_t* told) {
  enum { long_length = 1 << 20 };
  static char room_for_one[long_length * sizeof(int) + MPI_BSEND_OVERHEAD];
  static int words[long_length];
  struct timespec patience = {0, 200 * 1000 * 1000};
  int rank, size, bytes = 0, flag = 0;
  long sender = getpid();
  void* buffer = NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  MPI_Bcast(&sender, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(words, long_length, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    kill((pid_t)sender, SIGUSR1);
    MPI_Recv(words, long_length, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank != 0) return;
  MPI_Buffer_attach(room_for_one, sizeof room_for_one);
  CHECK(MPI_Bsend(words, long_length, MPI_INT, 1, 7, MPI_COMM_WORLD) == MPI_SUCCESS);
  /* Where the receiver does not fetch it, it leaves only while its sender looks. */
  while (sigtimedwait(told, NULL, &patience) < 0) {
    MPI_Iprobe(1, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    patience.tv_nsec = 1000 * 1000;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = MPI_Bsend(words, long_length, MPI_INT, 1, 7, MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  CHECK(code == MPI_SUCCESS);
  if (code != MPI_SUCCESS) MPI_Send(words, long_length, MPI_INT, 1, 7, MPI_COMM_WORLD);
  MPI_Buffer_detach(&buffer, &bytes);
  CHECK(buffer == room_for_one);
}

/* Many are under way, and leave from the last to the first; then there is all the room again. Sends that the program has
 * given up are among them. */
static void check_many_under_way(void) {
  enum { messages = 100, words = 4096, bytes = words * sizeof(int) };
  static char room_for_all[messages * (bytes + MPI_BSEND_OVERHEAD)];
  static int out[messages][words], in[messages * words];
  int rank, size, attached = 0;
  void* buffer = NULL;
  MPI_Request request;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  if (rank == 1) {
    for (int i = messages - 1; i >= 0; --i) {
      MPI_Recv(in, words, MPI_INT, 0, messages + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(in[words - 1] == i);
      MPI_Recv(in, words, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(in[words - 1] == i);
    }
    MPI_Recv(in, messages * words, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank != 0) return;
  MPI_Buffer_attach(room_for_all, sizeof room_for_all);
  for (int i = 0; i < messages; ++i) {
    out[i][words - 1] = i;
    MPI_Bsend(out[i], words, MPI_INT, 1, i, MPI_COMM_WORLD);
    MPI_Isend(out[i], words, MPI_INT, 1, messages + i, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  }
  MPI_Buffer_detach(&buffer, &attached);
  CHECK(buffer == room_for_all && attached == (int)sizeof room_for_all);
  MPI_Buffer_attach(room_for_all, sizeof room_for_all);
  MPI_Bsend(out, messages * words, MPI_INT, 1, 0, MPI_COMM_WORLD);
  MPI_Buffer_detach(&buffer, &attached);
}

int main(int argc, char** argv) {
  sigset_t told;
  MPI_Comm own, other;
  MPI_Request flush;
  void* buffer = NULL;
  int size = 0;
  sigemptyset(&told);
  sigaddset(&told, SIGUSR1);
  sigprocmask(SIG_BLOCK, &told, NULL);
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Comm_dup(MPI_COMM_SELF, &other);
  MPI_Comm_attach_buffer(own, memory[0], room);
  check_flush_waits_for_what_was_before(own);
  MPI_Buffer_attach(memory[1], room);
  check_own_comes_first(own, other);
  MPI_Buffer_iflush(&flush);
  MPI_Wait(&flush, MPI_STATUS_IGNORE);
  MPI_Buffer_flush();
  MPI_Buffer_detach(&buffer, &size);
  CHECK(buffer == memory[1] && size == room);
  MPI_Comm_detach_buffer(own, &buffer, &size);
  CHECK(buffer == memory[0] && size == room);
#ifdef MPI_BUFFER_AUTOMATIC
  MPI_Comm_attach_buffer(own, MPI_BUFFER_AUTOMATIC, 0);
  check_flush_waits_for_what_was_before(own);
  MPI_Comm_detach_buffer(own, &buffer, &size);
  CHECK(buffer == MPI_BUFFER_AUTOMATIC);
#endif
  check_room_of_what_was_received(&told);
  check_many_under_way();
  MPI_Comm_free(&own);
  MPI_Comm_free(&other);
  return finish();
}
