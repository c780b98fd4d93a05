/* All ways to complete requests, while some are pending and when they are there, messages that are claimed without
 * waiting, and all modes of sends, also of those that are started again and again. */
#include <string.h>

#include "check.h"

enum { wanted = 3 };

static int rank, size, to, from;

static int class_of(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class;
}

/* Messages of these tags leave once all tasks are here. */
static void send_after_all(const int* tags, int count) {
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    const int word = 100 * rank + tags[i];
    MPI_Send(&word, 1, MPI_INT, to, tags[i], MPI_COMM_WORLD);
  }
}

/* Receives with tags 0, 1, ..., and none in the first place. */
static void post(MPI_Request* requests, int* in) {
  requests[0] = MPI_REQUEST_NULL;
  for (int i = 1; i <= wanted; ++i) {
    in[i] = -1;
    MPI_Irecv(&in[i], 1, MPI_INT, from, i, MPI_COMM_WORLD, &requests[i]);
  }
}

static int is_right(const MPI_Status* status, const int* in, int tag) {
  return status->MPI_TAG == tag && status->MPI_SOURCE == from && in[tag] == 100 * from + tag;
}

static void check_testall(void) {
  int in[wanted + 1], flag = -1;
  MPI_Request requests[wanted + 1];
  MPI_Status statuses[wanted + 1];
  post(requests, in);
  MPI_Testall(wanted + 1, requests, &flag, statuses);
  CHECK(!flag);
  const int first = 2, rest[2] = {3, 1};
  send_after_all(&first, 1);
  MPI_Testall(wanted + 1, requests, &flag, statuses);
  CHECK(!flag && requests[1] != MPI_REQUEST_NULL && requests[2] != MPI_REQUEST_NULL);
  send_after_all(rest, 2);
  for (flag = 0; !flag;) MPI_Testall(wanted + 1, requests, &flag, statuses);
  for (int i = 1; i <= wanted; ++i) CHECK(is_right(&statuses[i], in, i) && requests[i] == MPI_REQUEST_NULL);
  CHECK(statuses[0].MPI_SOURCE == MPI_ANY_SOURCE && statuses[0].MPI_TAG == MPI_ANY_TAG);
  flag = 0;
  MPI_Testall(wanted + 1, requests, &flag, MPI_STATUSES_IGNORE);
  CHECK(flag);
}

static void check_testany(void) {
  int in[wanted + 1], flag = -1, index = -1;
  MPI_Request requests[wanted + 1];
  MPI_Status status;
  post(requests, in);
  MPI_Testany(wanted + 1, requests, &index, &flag, &status);
  CHECK(!flag && index == MPI_UNDEFINED);
  const int tags[wanted] = {2, 3, 1};
  for (int i = 0; i < wanted; ++i) {
    send_after_all(&tags[i], 1);
    for (flag = 0; !flag;) MPI_Testany(wanted + 1, requests, &index, &flag, &status);
    CHECK(index == tags[i] && is_right(&status, in, tags[i]) && requests[index] == MPI_REQUEST_NULL);
  }
  MPI_Testany(wanted + 1, requests, &index, &flag, &status);
  CHECK(flag && index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE);
}

enum { tested, waited };

static void check_some(int way) {
  int in[wanted + 1], found = -1, indices[wanted + 1], seen = 0;
  MPI_Request requests[wanted + 1];
  MPI_Status statuses[wanted + 1];
  post(requests, in);
  MPI_Testsome(wanted + 1, requests, &found, indices, statuses);
  CHECK(found == 0);
  const int tags[wanted] = {3, 1, 2};
  for (int sent = 0; sent < wanted; sent += 2) {
    const int count = sent == 0 ? 2 : 1;
    send_after_all(&tags[sent], count);
    for (int came = 0; came < count;) {
      if (way == tested) MPI_Testsome(wanted + 1, requests, &found, indices, statuses);
      else MPI_Waitsome(wanted + 1, requests, &found, indices, statuses);
      CHECK(found >= (way == waited) && came + found <= count);
      for (int i = 0; i < found; ++i, ++came) {
        CHECK(is_right(&statuses[i], in, indices[i]) && requests[indices[i]] == MPI_REQUEST_NULL);
        seen |= 1 << indices[i];
      }
      if (found < 0) return;
    }
    CHECK(seen == (sent == 0 ? 1 << 3 | 1 << 1 : 1 << 3 | 1 << 1 | 1 << 2));
  }
  if (way == tested) MPI_Testsome(wanted + 1, requests, &found, indices, statuses);
  else MPI_Waitsome(wanted + 1, requests, &found, indices, MPI_STATUSES_IGNORE);
  CHECK(found == MPI_UNDEFINED);
}

/* A message that is claimed is nobody else's, whoever asks for any. */
static void check_claims(void) {
  int flag = -1, count = -1, first = -1, second = -1;
  MPI_Message message = MPI_MESSAGE_NULL, other = MPI_MESSAGE_NULL;
  MPI_Request request;
  MPI_Status status;
  MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
  CHECK(!flag);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
  CHECK(!flag);
  const int tags[2] = {4, 4};
  send_after_all(tags, 1);
  for (flag = 0; !flag;) MPI_Iprobe(from, 4, MPI_COMM_WORLD, &flag, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(status.MPI_SOURCE == from && status.MPI_TAG == 4 && count == 1);
  for (flag = 0; !flag;) MPI_Improbe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &flag, &message, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(status.MPI_SOURCE == from && status.MPI_TAG == 4 && count == 1 && message != MPI_MESSAGE_NULL);
  MPI_Improbe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &flag, &other, MPI_STATUS_IGNORE);
  CHECK(!flag);
  const int last = 1000 * rank;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&last, 1, MPI_INT, to, 4, MPI_COMM_WORLD);
  MPI_Recv(&second, 1, MPI_INT, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Imrecv(&first, 1, MPI_INT, &message, &request);
  CHECK(message == MPI_MESSAGE_NULL);
  MPI_Wait(&request, &status);
  CHECK(first == 100 * from + 4 && second == 1000 * from && status.MPI_SOURCE == from && status.MPI_TAG == 4);

  MPI_Improbe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &flag, &message, &status);
  CHECK(flag && message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Imrecv(&first, 1, MPI_INT, &message, &request);
  MPI_Wait(&request, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && first == 100 * from + 4);
}

/* One send in each mode to a receive that is there. */
static void check_ready(void) {
  int word = 7 * rank, in[2] = {-1, -1};
  MPI_Request requests[2], sent;
  for (int i = 0; i < 2; ++i) MPI_Irecv(&in[i], 1, MPI_INT, from, 10 + i, MPI_COMM_WORLD, &requests[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rsend(&word, 1, MPI_INT, to, 10, MPI_COMM_WORLD);
  MPI_Irsend(&word, 1, MPI_INT, to, 11, MPI_COMM_WORLD, &sent);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(in[0] == 7 * from && in[1] == 7 * from);
}

/* It is complete when somebody has begun to receive it, not before. */
static void check_synchronous(void) {
  int word = 9 * rank, in = -1, flag = -1;
  MPI_Request requests[2];
  MPI_Issend(&word, 1, MPI_INT, to, 12, MPI_COMM_WORLD, &requests[0]);
  MPI_Ssend_init(&word, 1, MPI_INT, to, 13, MPI_COMM_WORLD, &requests[1]);
  MPI_Start(&requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, from, 12 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == 9 * from);
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&requests[1]);
}

/* They are complete at once, and their memory may be used again, as long as there is room. */
static void check_buffered(MPI_Comm forgiving) {
  enum { words = 50 };
  static char memory[2 * (words * sizeof(int) + MPI_BSEND_OVERHEAD)];
  int out[words], in[words], bytes = -1, flag = -1;
  void* detached = NULL;
  MPI_Request request, third;
  MPI_Buffer_attach(memory, sizeof memory);
  for (int i = 0; i < words; ++i) out[i] = rank + i;
  MPI_Ibsend(out, words, MPI_INT, to, 14, forgiving, &request);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK(flag && request == MPI_REQUEST_NULL);
  for (int i = 0; i < words; ++i) out[i] = 2 * (rank + i);
  MPI_Bsend(out, words, MPI_INT, to, 14, forgiving);
  memset(out, -1, sizeof out);
  third = MPI_REQUEST_NULL;
  enum { too_many = sizeof memory / sizeof(int) };
  static int large[too_many];
  CHECK(class_of(MPI_Ibsend(large, too_many, MPI_INT, to, 15, forgiving, &third)) == MPI_ERR_BUFFER);
  for (int round = 1; round <= 2; ++round) {
    MPI_Recv(in, words, MPI_INT, from, 14, forgiving, MPI_STATUS_IGNORE);
    for (int i = 0; i < words; ++i) CHECK(in[i] == round * (from + i));
  }
  MPI_Buffer_detach(&detached, &bytes);
  CHECK(detached == memory && bytes == (int)sizeof memory);
}

enum { standard, buffered, synchronous, ready, modes };

static void check_started_again(void) {
  static char memory[4 * (sizeof(int) + MPI_BSEND_OVERHEAD)];
  int out[modes], in[modes], bytes = -1;
  void* detached = NULL;
  MPI_Request requests[2 * modes];
  MPI_Buffer_attach(memory, sizeof memory);
  MPI_Send_init(&out[standard], 1, MPI_INT, to, 20, MPI_COMM_WORLD, &requests[standard]);
  MPI_Bsend_init(&out[buffered], 1, MPI_INT, to, 21, MPI_COMM_WORLD, &requests[buffered]);
  MPI_Ssend_init(&out[synchronous], 1, MPI_INT, to, 22, MPI_COMM_WORLD, &requests[synchronous]);
  MPI_Rsend_init(&out[ready], 1, MPI_INT, to, 23, MPI_COMM_WORLD, &requests[ready]);
  for (int i = 0; i < modes; ++i) {
    MPI_Recv_init(&in[i], 1, MPI_INT, from, 20 + i, MPI_COMM_WORLD, &requests[modes + i]);
  }
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < modes; ++i) {
      out[i] = 100 * rank + 10 * round + i;
      in[i] = -1;
    }
    MPI_Startall(modes, requests + modes);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Startall(modes, requests);
    MPI_Waitall(2 * modes, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < modes; ++i) {
      CHECK(in[i] == 100 * from + 10 * round + i);
      CHECK(requests[i] != MPI_REQUEST_NULL && requests[modes + i] != MPI_REQUEST_NULL);
    }
    /* What is not started is not waited for. */
    int flag = 0, index = -1;
    MPI_Testany(2 * modes, requests, &index, &flag, MPI_STATUS_IGNORE);
    CHECK(flag && index == MPI_UNDEFINED);
  }
  for (int i = 0; i < 2 * modes; ++i) MPI_Request_free(&requests[i]);
  MPI_Buffer_detach(&detached, &bytes);
  CHECK(detached == memory);
}

static void check_replaced(void) {
  int words[3] = {rank, 2 * rank, 3 * rank};
  MPI_Status status;
  MPI_Sendrecv_replace(words, 3, MPI_INT, to, 30, from, 30, MPI_COMM_WORLD, &status);
  CHECK(words[0] == from && words[1] == 2 * from && words[2] == 3 * from && status.MPI_SOURCE == from);
  MPI_Sendrecv_replace(words, 3, MPI_INT, MPI_PROC_NULL, 30, MPI_PROC_NULL, 30, MPI_COMM_WORLD, &status);
  CHECK(words[2] == 3 * from && status.MPI_SOURCE == MPI_PROC_NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  to = (rank + 1) % size;
  from = (rank + size - 1) % size;
  MPI_Comm forgiving;
  MPI_Comm_dup(MPI_COMM_WORLD, &forgiving);
  MPI_Comm_set_errhandler(forgiving, MPI_ERRORS_RETURN);
  check_testall();
  check_testany();
  check_some(tested);
  check_some(waited);
  check_claims();
  check_ready();
  check_synchronous();
  check_buffered(forgiving);
  check_started_again();
  check_replaced();
  MPI_Comm_free(&forgiving);
  return finish();
}
