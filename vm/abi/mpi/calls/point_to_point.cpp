// MPI-3.1, chapter 3: sends, receives, probes.

#include <algorithm>

#include "mpi_api.hpp"
#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/request.hpp"

namespace nasvm::mpi::api {
namespace {

MessageCall sending(const void* buffer, std::ptrdiff_t count, Datatype* type, int to, int tag, Communicator* comm) {
  return {const_cast<void*>(buffer), count, type, to, tag, comm};
}

void wait_for(Communicator& comm, Operation& operation) {
  Operation* const waited[] = {&operation};
  if (!operation.complete) comm.messages->wait_for_any(waited);
}

void send_and_wait(const MessageCall& call, Mode mode) {
  check_send(call);
  if (call.peer == proc_null) return;
  if (!call.type->is_dense(call.count)) call.comm->messages->time_this_call();
  const Outgoing out(call.buffer, call.count, *call.type);
  process().statistics.sends(out.bytes().size());
  Operation operation;
  operation.synchronous = mode == Mode::synchronous;
  call.comm->messages->start_send(operation, out.bytes(), call.peer, call.tag, call.type->swap_bytes);
  wait_for(*call.comm, operation);
}

/// What came fills the program's memory. Returns the error, if any.
int finish_receive(Communicator& comm, Operation& operation, Incoming& in, MessageStatus* status) {
  wait_for(comm, operation);
  const Status came = comm.messages->finish_receive(operation);
  const std::size_t kept = std::min(came.bytes, in.bytes().size());
  in.finish(kept);
  set(status, {came.source, came.tag, success, 0, kept});
  return came.bytes > kept ? err_truncate : success;
}

}  // namespace

void send(const void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int tag, Communicator* comm) {
  send_and_wait(sending(buf, count, datatype, dest, tag, comm), Mode::standard);
}
void ssend(const void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int tag, Communicator* comm) {
  send_and_wait(sending(buf, count, datatype, dest, tag, comm), Mode::synchronous);
}
void rsend(const void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int tag, Communicator* comm) {
  send_and_wait(sending(buf, count, datatype, dest, tag, comm), Mode::ready);
}
void bsend(const void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int tag, Communicator* comm) {
  Request* request = start_send(sending(buf, count, datatype, dest, tag, comm), Mode::buffered);
  release(request);
}

void isend(const void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int tag, Communicator* comm,
           Request*& request) {
  request = start_send(sending(buf, count, datatype, dest, tag, comm), Mode::standard);
}
void issend(const void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int tag, Communicator* comm,
            Request*& request) {
  request = start_send(sending(buf, count, datatype, dest, tag, comm), Mode::synchronous);
}
void irsend(const void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int tag, Communicator* comm,
            Request*& request) {
  request = start_send(sending(buf, count, datatype, dest, tag, comm), Mode::ready);
}
void ibsend(const void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int tag, Communicator* comm,
            Request*& request) {
  request = start_send(sending(buf, count, datatype, dest, tag, comm), Mode::buffered);
}

namespace {
void make_persistent(Request*& made, Request* request) {
  request->persistent = true;
  made = request;
}
}  // namespace

void send_init(const void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int tag, Communicator* comm,
               Request*& request) {
  make_persistent(request, describe_send(sending(buf, count, datatype, dest, tag, comm), Mode::standard));
}
void ssend_init(const void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int tag, Communicator* comm,
                Request*& request) {
  make_persistent(request, describe_send(sending(buf, count, datatype, dest, tag, comm), Mode::synchronous));
}
void rsend_init(const void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int tag, Communicator* comm,
                Request*& request) {
  make_persistent(request, describe_send(sending(buf, count, datatype, dest, tag, comm), Mode::ready));
}
void bsend_init(const void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int tag, Communicator* comm,
                Request*& request) {
  make_persistent(request, describe_send(sending(buf, count, datatype, dest, tag, comm), Mode::buffered));
}
void recv_init(void* buf, std::ptrdiff_t count, Datatype* datatype, int source, int tag, Communicator* comm,
               Request*& request) {
  make_persistent(request, describe_receive({buf, count, datatype, source, tag, comm}));
}

void recv(void* buf, std::ptrdiff_t count, Datatype* datatype, int source, int tag, Communicator* comm,
          MessageStatus* status) {
  check_receive({buf, count, datatype, source, tag, comm});
  if (source == proc_null) return set(status, status_of_nobody);
  if (!datatype->is_dense(count)) comm->messages->time_this_call();
  Incoming in(buf, count, *datatype);
  Operation operation;
  operation.may_truncate = true;
  comm->messages->start_receive(operation, in.bytes(), source, wanted_tag(tag), datatype->swap_bytes);
  const int code = finish_receive(*comm, operation, in, status);
  if (code != success) fail(code);
}

void irecv(void* buf, std::ptrdiff_t count, Datatype* datatype, int source, int tag, Communicator* comm,
           Request*& request) {
  request = start_receive({buf, count, datatype, source, tag, comm});
}

namespace {

/// Do both halves have the same memory? Then what leaves is copied first.
enum class Memory : std::uint8_t { apart, same };

void send_and_receive(const MessageCall& out, const MessageCall& in, Memory memory, MessageStatus* status) {
  check_send(out);
  check_receive(in);
  if (in.peer == proc_null || out.peer == proc_null) {
    if (out.peer != proc_null) send_and_wait(out, Mode::standard);
    return recv(in.buffer, in.count, in.type, in.peer, in.tag, in.comm, status);
  }
  Comm& messages = *out.comm->messages;
  if (!out.type->is_dense(out.count) || !in.type->is_dense(in.count)) messages.time_this_call();
  const Outgoing outgoing = memory == Memory::same ? Outgoing::copy_of(out.buffer, out.count, *out.type)
                                                   : Outgoing(out.buffer, out.count, *out.type);
  process().statistics.sends(outgoing.bytes().size());
  Incoming incoming(in.buffer, in.count, *in.type);
  Operation receive;
  receive.may_truncate = true;
  Operation sent;
  messages.start_receive(receive, incoming.bytes(), in.peer, wanted_tag(in.tag), in.type->swap_bytes);
  messages.start_send(sent, outgoing.bytes(), out.peer, out.tag, out.type->swap_bytes);
  const int code = finish_receive(*in.comm, receive, incoming, status);
  wait_for(*out.comm, sent);
  if (code != success) fail(code);
}

}  // namespace

void sendrecv(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, int dest, int sendtag, void* recvbuf,
              std::ptrdiff_t recvcount, Datatype* recvtype, int source, int recvtag, Communicator* comm,
              MessageStatus* status) {
  send_and_receive(sending(sendbuf, sendcount, sendtype, dest, sendtag, comm),
                   {recvbuf, recvcount, recvtype, source, recvtag, comm}, Memory::apart, status);
}

void sendrecv_replace(void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int sendtag, int source,
                      int recvtag, Communicator* comm, MessageStatus* status) {
  send_and_receive(sending(buf, count, datatype, dest, sendtag, comm), {buf, count, datatype, source, recvtag, comm},
                   Memory::same, status);
}

namespace {

/// Both halves in one request, whose status is the receive's.
Request* start_both(const MessageCall& in, Request* out) {
  Request* request = start_receive(in);
  request->more().sending = out;
  return request;
}

}  // namespace

void isendrecv(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, int dest, int sendtag,
               void* recvbuf, std::ptrdiff_t recvcount, Datatype* recvtype, int source, int recvtag,
               Communicator* comm, Request*& request) {
  const MessageCall in{recvbuf, recvcount, recvtype, source, recvtag, comm};
  check_receive(in);
  Request* out = start_send(sending(sendbuf, sendcount, sendtype, dest, sendtag, comm), Mode::standard);
  request = start_both(in, out);
}

void isendrecv_replace(void* buf, std::ptrdiff_t count, Datatype* datatype, int dest, int sendtag, int source,
                       int recvtag, Communicator* comm, Request*& request) {
  const MessageCall in{buf, count, datatype, source, recvtag, comm};
  check_receive(in);
  request = start_both(in, start_sending_copy(sending(buf, count, datatype, dest, sendtag, comm)));
}

void start(Request*& request) {
  require(request != nullptr, err_request);
  heard_by_comm_of(*request, [&] {
    require(request->persistent && !request->active, err_request);
    mpi::start(*request);
  });
}

void startall(int count, Request** requests) {
  for (int i = 0; i < count; ++i) start(requests[i]);
}

// --- probing
// --------------------------------------------------------------------------------------------------------

namespace {

void check_probe(int source, int tag, const Communicator* comm) {
  check_comm(comm);
  require(tag >= 0 || tag == mpi_any_tag, err_tag);
  require(source == proc_null || source == mpi_any_source || (source >= 0 && source < comm->peers()), err_rank);
}

MessageStatus status_of(const Status& found) { return {found.source, found.tag, success, 0, found.bytes}; }

}  // namespace

void probe(int source, int tag, Communicator* comm, MessageStatus* status) {
  check_probe(source, tag, comm);
  set(status, source == proc_null ? status_of_nobody : status_of(comm->messages->probe(source, wanted_tag(tag))));
}

void iprobe(int source, int tag, Communicator* comm, int* flag, MessageStatus* status) {
  check_probe(source, tag, comm);
  Status found;
  *flag = source == proc_null || comm->messages->iprobe(source, wanted_tag(tag), found) ? 1 : 0;
  if (*flag != 0) return set(status, source == proc_null ? status_of_nobody : status_of(found));
  look();
}

namespace {

/// Takes the message that has been found, whoever asks for one next. It lands in memory of the library's.
Request* claim(const Status& found, Communicator& comm) {
  auto request = std::make_unique<Request>();
  request->work = Request::Work::receive;
  request->active = true;
  request->comm = Ref<Communicator>(&comm);
  request->message = {nullptr, 0, nullptr, found.source, found.tag, &comm};
  request->more().claimed.resize(found.bytes);
  request->word = word_of(Kind::message);
  comm.messages->start_receive(request->operation, request->more().claimed, found.source, found.tag);
  return request.release();
}

}  // namespace

void mprobe(int source, int tag, Communicator* comm, Request*& message, MessageStatus* status) {
  check_probe(source, tag, comm);
  if (source == proc_null) {
    message = &message_from_nobody();
    return set(status, status_of_nobody);
  }
  const Status found = comm->messages->probe(source, wanted_tag(tag));
  message = claim(found, *comm);
  set(status, status_of(found));
}

void improbe(int source, int tag, Communicator* comm, int* flag, Request*& message, MessageStatus* status) {
  Status found;
  message = nullptr;
  if (source == proc_null) {
    *flag = 1;
    return mprobe(source, tag, comm, message, status);
  }
  check_probe(source, tag, comm);
  *flag = comm->messages->iprobe(source, wanted_tag(tag), found) ? 1 : 0;
  if (*flag == 0) return look();
  message = claim(found, *comm);
  set(status, status_of(found));
}

void imrecv(void* buf, std::ptrdiff_t count, Datatype* datatype, Request*& message, Request*& request) {
  require(message != nullptr, err_request);
  heard_by_comm_of(*message, [&] {
    check_data(count, datatype);
    if (message != &message_from_nobody()) check_buffer(buf, count, *datatype);
  });
  if (message == &message_from_nobody()) {
    request = new Request;
    request->active = true;
    request->more().status = status_of_nobody;
    message = nullptr;
    return;
  }
  request = std::exchange(message, nullptr);
  // Its number is one of messages.
  if (request->fortran >= 0) forget_fortran(*request);
  request->fortran = -1;
  request->word = word_of(Kind::request);
  request->type = Ref<Datatype>(datatype);
  request->message.buffer = buf;
  request->message.count = count;
  request->message.type = datatype;
}

void mrecv(void* buf, std::ptrdiff_t count, Datatype* datatype, Request*& message, MessageStatus* status) {
  require(message != nullptr, err_request);
  const Ref<Communicator> comm = message->comm;
  Request* request = nullptr;
  imrecv(buf, count, datatype, message, request);
  MessageStatus came;
  const int code = mpi::wait(request, came);
  set(status, came);
  if (code != success) fail(code, comm);
}

}  // namespace nasvm::mpi::api
