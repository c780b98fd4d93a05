// MPI-4.0, chapter 4: partitioned communication.

#include "vm/abi/mpi/partitioned.hpp"

#include <limits>

#include "mpi_api.hpp"
#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi::api {
namespace {

Request* describe(MessageCall call, int partitions, std::ptrdiff_t count, bool sends) {
  require(partitions >= 0, err_arg);
  require(count >= 0 && (partitions == 0 || count <= std::numeric_limits<std::ptrdiff_t>::max() / partitions),
          err_count);
  call.count = count;
  require(call.peer != mpi_any_source && call.tag != mpi_any_tag, call.tag == mpi_any_tag ? err_tag : err_rank);
  if (sends) check_send(call);
  else check_receive(call);
  auto request = std::make_unique<Request>();
  request->work = Request::Work::partitions;
  request->persistent = true;
  request->comm = Ref<Communicator>(call.comm);
  request->more().partitions = std::make_unique<Partitions>(call, partitions, sends);
  return request.release();
}

Partitions& partitions_of(const Request* request) {
  require(request != nullptr && request->work == Request::Work::partitions, err_request);
  return *const_cast<Request*>(request)->more().partitions;
}

}  // namespace

void psend_init(const void* buf, int partitions, std::ptrdiff_t count, Datatype* datatype, int dest, int tag,
                Communicator* comm, Info*, Request*& request) {
  request = describe({const_cast<void*>(buf), 0, datatype, dest, tag, comm}, partitions, count, true);
}

void precv_init(void* buf, int partitions, std::ptrdiff_t count, Datatype* datatype, int source, int tag,
                Communicator* comm, Info*, Request*& request) {
  request = describe({buf, 0, datatype, source, tag, comm}, partitions, count, false);
}

void pready(int partition, Request* request) {
  Partitions& partitions = partitions_of(request);
  heard_by_comm_of(*request, [&] {
    require(request->active, err_request);
    partitions.ready(partition);
  });
}

void pready_range(int low, int high, Request* request) {
  for (int partition = low; partition <= high; ++partition) pready(partition, request);
}

void pready_list(int length, const int* partitions, Request* request) {
  require(length >= 0, err_arg);
  for (int i = 0; i < length; ++i) pready(partitions[i], request);
}

void parrived(Request* request, int partition, int* flag) {
  if (request != nullptr && request->active) {
    Partitions& partitions = partitions_of(request);
    *flag = partitions.has_arrived(partition) ? 1 : 0;
    if (*flag != 0) return;
    look();
    *flag = partitions.has_arrived(partition) ? 1 : 0;
    return;
  }
  *flag = 1;
}

}  // namespace nasvm::mpi::api
