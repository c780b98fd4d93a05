// MPI-4.1, section 3.6: memory for buffered sends.

#include <utility>

#include "mpi_api.hpp"
#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/request.hpp"

namespace nasvm::mpi::api {
namespace {

void attach(Buffer& to, void* memory, std::ptrdiff_t size) {
  require(!to.is_attached, err_buffer);
  require(size >= 0, err_arg);
  to.memory = memory;
  to.bytes = static_cast<std::size_t>(size);
  to.is_attached = true;
}

template <typename Size>
void detach(Buffer& from, void** memory, Size* size) {
  require(from.is_attached, err_buffer);
  require(from.is_automatic() || std::in_range<Size>(from.bytes), err_count);
  from.flush();
  *memory = from.memory;
  *size = from.is_automatic() ? 0 : static_cast<Size>(from.bytes);
  from.is_attached = false;
}

/// A request that is complete when what is in the buffer now has left it.
Request* flushing(Buffer& buffer, Communicator* comm) {
  auto request = std::make_unique<Request>();
  request->work = Request::Work::flush;
  request->active = true;
  request->comm = Ref<Communicator>(comm);
  request->more().buffer = &buffer;
  request->more().buffered_number = Buffer::next_number();
  return request.release();
}

}  // namespace

void buffer_attach(void* buffer, std::ptrdiff_t size) { attach(process().buffer, buffer, size); }

void buffer_detach(void** buffer, int* size) {
  if (process().buffer.is_attached) return detach(process().buffer, buffer, size);
  *buffer = nullptr;
  *size = 0;
}

void buffer_detach(void** buffer, long long* size) {
  if (process().buffer.is_attached) return detach(process().buffer, buffer, size);
  *buffer = nullptr;
  *size = 0;
}

void buffer_flush() { process().buffer.flush(); }
void buffer_iflush(Request*& request) { request = flushing(process().buffer, nullptr); }

void comm_attach_buffer(Communicator* comm, void* buffer, std::ptrdiff_t size) {
  check_comm(comm);
  attach(comm->buffer, buffer, size);
}

void comm_detach_buffer(Communicator* comm, void** buffer, int* size) {
  check_comm(comm);
  detach(comm->buffer, buffer, size);
}

void comm_detach_buffer(Communicator* comm, void** buffer, long long* size) {
  check_comm(comm);
  detach(comm->buffer, buffer, size);
}

void comm_flush_buffer(Communicator* comm) {
  check_comm(comm);
  comm->buffer.flush();
}

void comm_iflush_buffer(Communicator* comm, Request*& request) {
  check_comm(comm);
  request = flushing(comm->buffer, comm);
}

void session_attach_buffer(Session* session, void* buffer, std::ptrdiff_t size) {
  require(session != nullptr, err_session);
  attach(session->buffer, buffer, size);
}

void session_detach_buffer(Session* session, void** buffer, int* size) {
  require(session != nullptr, err_session);
  detach(session->buffer, buffer, size);
}

void session_detach_buffer(Session* session, void** buffer, long long* size) {
  require(session != nullptr, err_session);
  detach(session->buffer, buffer, size);
}

void session_flush_buffer(Session* session) {
  require(session != nullptr, err_session);
  session->buffer.flush();
}

void session_iflush_buffer(Session* session, Request*& request) {
  require(session != nullptr, err_session);
  request = flushing(session->buffer, nullptr);
}

}  // namespace nasvm::mpi::api
