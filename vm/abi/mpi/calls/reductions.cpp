// MPI-3.1, sections 5.9 to 5.11: reductions and prefix reductions.

#include <algorithm>
#include <cstring>
#include <numeric>

#include "mpi_api.hpp"
#include "vm/abi/mpi/between.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/operation.hpp"
#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi::api {
namespace {

void check(std::ptrdiff_t count, const Datatype* type, const Op* op, const Communicator* comm) {
  check_comm(comm);
  check_data(count, type);
  check_operation(op, *type);
}

const void* contribution(const void* sendbuf, const void* recvbuf) {
  return is_in_place(sendbuf) ? recvbuf : sendbuf;
}

void given(std::ptrdiff_t count, const Datatype& type) {
  process().statistics.given(type.bytes * static_cast<std::size_t>(count));
}

}  // namespace

void reduce(const void* sendbuf, void* recvbuf, std::ptrdiff_t count, Datatype* datatype, Op* op, int root,
            Communicator* comm) {
  check_comm(comm);
  const bool between_groups = comm->is_inter() && (root == root_here || root == proc_null);
  require(between_groups || (root >= 0 && root < comm->peers()), err_root);
  if (root == proc_null) return;
  check(count, datatype, op, comm);
  if (root != root_here) {
    check_buffer(contribution(sendbuf, recvbuf), count, *datatype);
    given(count, *datatype);
  }
  const bool is_root = root == root_here || (!comm->is_inter() && comm->rank() == root);
  if (is_root) check_buffer(recvbuf, count, *datatype);
  if (count == 0) return;
  if (comm->is_inter()) return between::reduce(sendbuf, recvbuf, count, *datatype, *op, root, *comm);
  Reducible data(*op, *datatype, count, is_root ? contribution(sendbuf, recvbuf) : sendbuf, recvbuf,
                 is_root ? Result::here : Result::elsewhere);
  comm->collective().reduce_bytes(data.bytes(), data.reduction(), root);
  data.finish();
}

void allreduce(const void* sendbuf, void* recvbuf, std::ptrdiff_t count, Datatype* datatype, Op* op,
               Communicator* comm) {
  check(count, datatype, op, comm);
  check_buffer(contribution(sendbuf, recvbuf), count, *datatype);
  check_buffer(recvbuf, count, *datatype);
  given(count, *datatype);
  if (count == 0) return;
  if (comm->is_inter()) return between::allreduce(sendbuf, recvbuf, count, *datatype, *op, *comm);
  Reducible data(*op, *datatype, count, contribution(sendbuf, recvbuf), recvbuf);
  comm->collective().allreduce_bytes(data.bytes(), data.reduction());
  data.finish();
}

void scan(const void* sendbuf, void* recvbuf, std::ptrdiff_t count, Datatype* datatype, Op* op, Communicator* comm) {
  check_intra(comm);
  check(count, datatype, op, comm);
  check_buffer(contribution(sendbuf, recvbuf), count, *datatype);
  check_buffer(recvbuf, count, *datatype);
  given(count, *datatype);
  if (count == 0) return;
  Reducible data(*op, *datatype, count, contribution(sendbuf, recvbuf), recvbuf);
  comm->collective().scan_bytes(data.bytes(), data.reduction());
  data.finish();
}

void exscan(const void* sendbuf, void* recvbuf, std::ptrdiff_t count, Datatype* datatype, Op* op,
            Communicator* comm) {
  check_intra(comm);
  check(count, datatype, op, comm);
  check_buffer(contribution(sendbuf, recvbuf), count, *datatype);
  if (comm->rank() > 0) check_buffer(recvbuf, count, *datatype);
  given(count, *datatype);
  if (count == 0) return;
  // The prefix up to a task is what the next one wants.
  Reducible data(*op, *datatype, count, contribution(sendbuf, recvbuf), nullptr, Result::elsewhere);
  Comm& tasks = comm->collective();
  tasks.scan_bytes(data.bytes(), data.reduction());
  std::vector<std::byte> before(data.bytes().size());
  std::vector<Comm::Piece> out, in;
  if (tasks.rank() + 1 < tasks.size()) out.push_back({tasks.rank() + 1, data.bytes()});
  if (tasks.rank() > 0) in.push_back({tasks.rank() - 1, before});
  tasks.exchange(out, in, datatype->swap_bytes);
  if (tasks.rank() > 0) place_operands(*datatype, before.data(), recvbuf, count);
}

namespace {

/// The sum of all goes to rank 0, and its parts from there.
void reduce_and_scatter(const void* sendbuf, void* recvbuf, const std::vector<std::ptrdiff_t>& counts, Datatype& type,
                        const Op& op, Communicator& comm) {
  const std::ptrdiff_t total = std::accumulate(counts.begin(), counts.end(), std::ptrdiff_t{0});
  check_buffer(contribution(sendbuf, recvbuf), total, type);
  check_buffer(recvbuf, counts[static_cast<std::size_t>(comm.rank())], type);
  given(total, type);
  if (total == 0) return;
  if (comm.is_inter()) return between::reduce_scatter(sendbuf, recvbuf, counts, type, op, comm);
  Comm& tasks = comm.collective();
  Reducible data(op, type, total, contribution(sendbuf, recvbuf), nullptr, Result::elsewhere);
  tasks.reduce_bytes(data.bytes(), data.reduction(), 0);
  std::vector<std::size_t> lengths;
  for (const std::ptrdiff_t count : counts)
    lengths.push_back(static_cast<std::size_t>(count) * data.reduction().operand_bytes);
  const std::ptrdiff_t own = counts[static_cast<std::size_t>(tasks.rank())];
  std::vector<std::byte> part(lengths[static_cast<std::size_t>(tasks.rank())]);
  tasks.scatterv_bytes(data.bytes(), part, lengths, 0, type.swap_bytes);
  place_operands(type, part.data(), recvbuf, own);
}

}  // namespace

void reduce_scatter(const void* sendbuf, void* recvbuf, Numbers recvcounts, Datatype* datatype, Op* op,
                    Communicator* comm) {
  check(0, datatype, op, comm);
  std::vector<std::ptrdiff_t> counts;
  for (int rank = 0; rank < comm->size(); ++rank) {
    check_data(recvcounts[rank], datatype);
    counts.push_back(recvcounts[rank]);
  }
  reduce_and_scatter(sendbuf, recvbuf, counts, *datatype, *op, *comm);
}

void reduce_scatter_block(const void* sendbuf, void* recvbuf, std::ptrdiff_t recvcount, Datatype* datatype, Op* op,
                          Communicator* comm) {
  check(recvcount, datatype, op, comm);
  reduce_and_scatter(sendbuf, recvbuf, std::vector<std::ptrdiff_t>(static_cast<std::size_t>(comm->size()), recvcount),
                     *datatype, *op, *comm);
}

}  // namespace nasvm::mpi::api
