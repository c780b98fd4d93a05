/* Buffers for buffered sends: of the program, of communicators, and when they are empty (MPI-4.1, section 3.6). */
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

int main(int argc, char** argv) {
  MPI_Comm own, other;
  MPI_Request flush;
  void* buffer = NULL;
  int size = 0;
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
  MPI_Comm_free(&own);
  MPI_Comm_free(&other);
  return finish();
}
