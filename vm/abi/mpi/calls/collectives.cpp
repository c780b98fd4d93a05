// MPI-3.1, chapter 5: data movement. The algorithms are those of Comm; here programs' counts, displacements and
// datatypes become the bytes that those take.

#include <algorithm>
#include <numeric>

#include "mpi_api.hpp"
#include "vm/abi/mpi/between.hpp"
#include "vm/abi/mpi/blocks.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi::api {
namespace {

/// Between groups the root is one of the others, or this task, or (proc_null) another one of its own group.
void check_root(int root, const Communicator& comm) {
  const bool is_rank = root >= 0 && root < comm.peers();
  require(is_rank || (comm.is_inter() && (root == root_here || root == proc_null)), err_root);
}

/// Whether this task is the root.
bool is_root(int root, const Communicator& comm) { return comm.is_inter() ? root == root_here : root == comm.rank(); }

/// The same for what is only read.
Blocks reading(const void* buffer, Numbers counts, Numbers displs, const Datatype& type, int ranks) {
  return {const_cast<void*>(buffer), counts, displs, type, ranks};
}

void given(std::size_t bytes) { process().statistics.given(bytes); }

}  // namespace

void barrier(Communicator* comm) {
  check_comm(comm);
  if (comm->is_inter()) return between::barrier(*comm);
  comm->collective().barrier();
}

void bcast(void* buffer, std::ptrdiff_t count, Datatype* datatype, int root, Communicator* comm) {
  check_comm(comm);
  check_root(root, *comm);
  if (root == proc_null) return;
  check_data(count, datatype);
  check_buffer(buffer, count, *datatype);
  if (comm->is_inter()) return between::bcast(buffer, count, *datatype, root, *comm);
  Incoming data(buffer, count, *datatype);
  if (is_root(root, *comm)) {
    data.fill();
    given(data.bytes().size());
  }
  comm->collective().broadcast_bytes(data.bytes(), root, datatype->swap_bytes);
  if (!is_root(root, *comm)) data.finish();
}

namespace {

void gather_blocks(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, Blocks* into,
                   const Datatype* recvtype, int root, Communicator& comm) {
  if (comm.is_inter()) return between::gather(sendbuf, sendcount, sendtype, into, root, comm);
  if (!is_root(root, comm)) {
    check_data(sendcount, sendtype);
    const Outgoing out(sendbuf, sendcount, *sendtype);
    given(out.bytes().size());
    return comm.collective().gatherv_bytes(out.bytes(), {}, {}, root, sendtype->swap_bytes);
  }
  std::optional<Outgoing> out;
  std::span<const std::byte> own;
  if (is_in_place(sendbuf)) {
    into->load(root);
    own = into->of(root);
  } else {
    check_data(sendcount, sendtype);
    own = out.emplace(sendbuf, sendcount, *sendtype).bytes();
    require(own.size() <= into->length(root), err_truncate);
    // What a task sends itself may be less than there is room for.
    if (own.size() < into->length(root)) {
      into->load(root);
      std::ranges::copy(own, into->of(root).begin());
      own = into->of(root);
    }
  }
  comm.collective().gatherv_bytes(own, into->bytes(), into->lengths(), root, recvtype->swap_bytes);
  into->store();
}

}  // namespace

void gather(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, void* recvbuf,
            std::ptrdiff_t recvcount, Datatype* recvtype, int root, Communicator* comm) {
  check_comm(comm);
  check_root(root, *comm);
  std::optional<Blocks> into;
  if (is_root(root, *comm)) {
    check_data(recvcount, recvtype);
    into.emplace(recvbuf, recvcount, *recvtype, comm->peers());
  }
  gather_blocks(sendbuf, sendcount, sendtype, into ? &*into : nullptr, recvtype, root, *comm);
}

void gatherv(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, void* recvbuf, Numbers recvcounts,
             Numbers displs, Datatype* recvtype, int root, Communicator* comm) {
  check_comm(comm);
  check_root(root, *comm);
  std::optional<Blocks> into;
  if (is_root(root, *comm)) {
    check_data(0, recvtype);
    into.emplace(recvbuf, recvcounts, displs, *recvtype, comm->peers());
  }
  gather_blocks(sendbuf, sendcount, sendtype, into ? &*into : nullptr, recvtype, root, *comm);
}

namespace {

void scatter_blocks(Blocks* from, const Datatype* sendtype, void* recvbuf, std::ptrdiff_t recvcount,
                    Datatype* recvtype, int root, Communicator& comm) {
  if (comm.is_inter()) return between::scatter(from, recvbuf, recvcount, recvtype, root, comm);
  if (!is_root(root, comm)) {
    check_data(recvcount, recvtype);
    Incoming in(recvbuf, recvcount, *recvtype);
    comm.collective().scatterv_bytes({}, in.bytes(), {}, root, recvtype->swap_bytes);
    return in.finish();
  }
  from->load();
  given(from->bytes().size());
  std::vector<std::byte> unused;
  std::optional<Incoming> in;
  std::span<std::byte> own;
  if (is_in_place(recvbuf)) {
    own = from->of(root);
  } else {
    check_data(recvcount, recvtype);
    own = in.emplace(recvbuf, recvcount, *recvtype).bytes();
    require(own.size() >= from->length(root), err_truncate);
  }
  comm.collective().scatterv_bytes(from->bytes(), own, from->lengths(), root, sendtype->swap_bytes);
  if (in) in->finish(from->length(root));
}

}  // namespace

void scatter(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, void* recvbuf,
             std::ptrdiff_t recvcount, Datatype* recvtype, int root, Communicator* comm) {
  check_comm(comm);
  check_root(root, *comm);
  std::optional<Blocks> from;
  if (is_root(root, *comm)) {
    check_data(sendcount, sendtype);
    from.emplace(const_cast<void*>(sendbuf), sendcount, *sendtype, comm->peers());
  }
  scatter_blocks(from ? &*from : nullptr, sendtype, recvbuf, recvcount, recvtype, root, *comm);
}

void scatterv(const void* sendbuf, Numbers sendcounts, Numbers displs, Datatype* sendtype, void* recvbuf,
              std::ptrdiff_t recvcount, Datatype* recvtype, int root, Communicator* comm) {
  check_comm(comm);
  check_root(root, *comm);
  std::optional<Blocks> from;
  if (is_root(root, *comm)) {
    check_data(0, sendtype);
    from.emplace(const_cast<void*>(sendbuf), sendcounts, displs, *sendtype, comm->peers());
  }
  scatter_blocks(from ? &*from : nullptr, sendtype, recvbuf, recvcount, recvtype, root, *comm);
}

namespace {

void allgather_blocks(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, Blocks& into,
                      const Datatype& recvtype, Communicator& comm) {
  if (comm.is_inter()) return between::allgather(sendbuf, sendcount, sendtype, into, comm);
  std::optional<Outgoing> out;
  std::span<const std::byte> own;
  if (is_in_place(sendbuf)) {
    into.load(comm.rank());
    own = into.of(comm.rank());
  } else {
    check_data(sendcount, sendtype);
    own = out.emplace(sendbuf, sendcount, *sendtype).bytes();
    require(own.size() == into.length(comm.rank()), err_truncate);
  }
  given(own.size());
  comm.collective().allgatherv_bytes(own, into.bytes(), into.lengths(), recvtype.swap_bytes);
  into.store();
}

}  // namespace

void allgather(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, void* recvbuf,
               std::ptrdiff_t recvcount, Datatype* recvtype, Communicator* comm) {
  check_comm(comm);
  check_data(recvcount, recvtype);
  Blocks into(recvbuf, recvcount, *recvtype, comm->peers());
  allgather_blocks(sendbuf, sendcount, sendtype, into, *recvtype, *comm);
}

void allgatherv(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, void* recvbuf, Numbers recvcounts,
                Numbers displs, Datatype* recvtype, Communicator* comm) {
  check_comm(comm);
  check_data(0, recvtype);
  Blocks into(recvbuf, recvcounts, displs, *recvtype, comm->peers());
  allgather_blocks(sendbuf, sendcount, sendtype, into, *recvtype, *comm);
}

// --- all to all
// -----------------------------------------------------------------------------------------------------

namespace {

/// In place, which is nothing between two groups: what goes out is copied first, for what comes in takes its place.
void alltoall_in_place(Blocks& blocks, const Datatype& type, Communicator& comm) {
  check_intra(&comm);
  std::vector<std::byte> out;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const std::size_t begin = out.size();
    out.resize(begin + blocks.length(rank));
    pack(type, blocks.place(rank), blocks.count(rank), out.data() + begin);
  }
  given(out.size());
  comm.collective().alltoallv_bytes(out, blocks.lengths(), blocks.bytes(), blocks.lengths(), type.swap_bytes);
  blocks.store();
}

void alltoall_blocks(Blocks& out, Blocks& in, const Datatype& type, Communicator& comm) {
  out.load();
  given(out.bytes().size());
  if (comm.is_inter()) return between::alltoall(out, in, comm);
  // The own block is copied, and may be shorter than its place.
  require(out.length(comm.rank()) <= in.length(comm.rank()), err_truncate);
  comm.collective().alltoallv_bytes(out.bytes(), out.lengths(), in.bytes(), in.lengths(), type.swap_bytes);
  in.store();
}

}  // namespace

void alltoall(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, void* recvbuf,
              std::ptrdiff_t recvcount, Datatype* recvtype, Communicator* comm) {
  check_comm(comm);
  check_data(recvcount, recvtype);
  Blocks in(recvbuf, recvcount, *recvtype, comm->peers());
  if (is_in_place(sendbuf)) return alltoall_in_place(in, *recvtype, *comm);
  check_data(sendcount, sendtype);
  Blocks out(const_cast<void*>(sendbuf), sendcount, *sendtype, comm->peers());
  alltoall_blocks(out, in, *recvtype, *comm);
}

void alltoallv(const void* sendbuf, Numbers sendcounts, Numbers sdispls, Datatype* sendtype, void* recvbuf,
               Numbers recvcounts, Numbers rdispls, Datatype* recvtype, Communicator* comm) {
  check_comm(comm);
  check_data(0, recvtype);
  Blocks in(recvbuf, recvcounts, rdispls, *recvtype, comm->peers());
  if (is_in_place(sendbuf)) return alltoall_in_place(in, *recvtype, *comm);
  check_data(0, sendtype);
  Blocks out = reading(sendbuf, sendcounts, sdispls, *sendtype, comm->peers());
  alltoall_blocks(out, in, *recvtype, *comm);
}

void alltoallw(const void* sendbuf, Numbers sendcounts, Numbers sdispls, Datatype* const* sendtypes, void* recvbuf,
               Numbers recvcounts, Numbers rdispls, Datatype* const* recvtypes, Communicator* comm) {
  check_comm(comm);
  const bool same = is_in_place(sendbuf);
  if (same) check_intra(comm);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  const auto ranks = static_cast<std::size_t>(comm->peers());
  outgoing.reserve(ranks);
  incoming.reserve(ranks);
  std::vector<Comm::Piece> out, in;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    check_data(recvcounts[rank], recvtypes[rank]);
    std::byte* place = static_cast<std::byte*>(recvbuf) + rdispls[rank];
    incoming.emplace_back(place, recvcounts[rank], *recvtypes[rank]);
    in.push_back({static_cast<Rank>(rank), incoming.back().bytes(), recvtypes[rank]->swap_bytes});
    if (same) {
      outgoing.push_back(Outgoing::copy_of(place, recvcounts[rank], *recvtypes[rank]));
    } else {
      check_data(sendcounts[rank], sendtypes[rank]);
      outgoing.emplace_back(static_cast<const std::byte*>(sendbuf) + sdispls[rank], sendcounts[rank],
                            *sendtypes[rank]);
    }
    out.push_back(
        {static_cast<Rank>(rank), outgoing.back().as_piece(), (same ? recvtypes : sendtypes)[rank]->swap_bytes});
    given(out.back().bytes.size());
  }
  comm->exchanging().exchange(out, in);
  for (Incoming& one : incoming) one.finish();
}

}  // namespace nasvm::mpi::api
