// MPI-3.1, chapter 5: data movement. The algorithms are those of Comm; here programs' counts, displacements and
// datatypes become the bytes that those take.

#include <algorithm>
#include <numeric>

#include "mpi_api.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/datatype.hpp"
#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi::api {
namespace {

void check_data(int count, const Datatype* type) {
  require(count >= 0, err_count);
  require(type != nullptr && type->committed, err_type);
}

void check_root(int root, const Communicator& comm) { require(root >= 0 && root < comm.size(), err_root); }

/// Blocks of a program's buffer, one for each rank: in place where they lie one after the other, else copied.
class Blocks {
 public:
  /// Equal blocks of `count`, or by counts and displacements in elements.
  Blocks(void* buffer, int count, const Datatype& type, int ranks) : buffer_(buffer), type_(type) {
    counts_.assign(static_cast<std::size_t>(ranks), count);
    for (int rank = 0; rank < ranks; ++rank) places_.push_back(rank * std::ptrdiff_t{count} * type.extent());
    sum_up();
  }
  Blocks(void* buffer, const int* counts, const int* displs, const Datatype& type, int ranks)
      : buffer_(buffer), type_(type), counts_(counts, counts + ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      require(counts[rank] >= 0, err_count);
      places_.push_back(displs[rank] * type.extent());
    }
    sum_up();
  }

  [[nodiscard]] const std::vector<std::size_t>& lengths() const { return lengths_; }
  [[nodiscard]] std::size_t length(int rank) const { return lengths_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }
  [[nodiscard]] std::span<std::byte> of(int rank) {
    return bytes_.subspan(offsets_[static_cast<std::size_t>(rank)], length(rank));
  }
  /// Takes the program's data, of one rank or of all.
  void load(int rank) {
    if (is_copy_) pack(type_, place(rank), count(rank), of(rank).data());
  }
  void load() {
    for (int rank = 0; rank < ranks(); ++rank) load(rank);
  }
  /// Gives it back.
  void store() {
    if (!is_copy_) return;
    for (int rank = 0; rank < ranks(); ++rank) unpack(type_, place(rank), count(rank), of(rank));
  }
  [[nodiscard]] void* place(int rank) const {
    return static_cast<std::byte*>(buffer_) + places_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] int count(int rank) const { return counts_[static_cast<std::size_t>(rank)]; }

 private:
  [[nodiscard]] int ranks() const { return static_cast<int>(counts_.size()); }

  void sum_up() {
    std::size_t total = 0;
    bool dense = type_.is_dense(2);
    std::ptrdiff_t next = places_.empty() ? 0 : places_.front();
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      const std::size_t bytes = type_.bytes * static_cast<std::size_t>(counts_[rank]);
      dense = dense && (bytes == 0 || places_[rank] == next || total == 0);
      if (bytes != 0) next = places_[rank] + static_cast<std::ptrdiff_t>(bytes);
      lengths_.push_back(bytes);
      offsets_.push_back(total);
      total += bytes;
    }
    is_copy_ = !dense;
    if (is_copy_) {
      copy_.resize(total);
      bytes_ = copy_;
      return;
    }
    std::ptrdiff_t first = 0;
    for (std::size_t rank = counts_.size(); rank-- > 0;) {
      if (lengths_[rank] != 0) first = places_[rank];
    }
    if (total != 0) bytes_ = {static_cast<std::byte*>(buffer_) + first + type_.lowest, total};
  }

  void* buffer_;
  const Datatype& type_;
  std::vector<int> counts_;
  std::vector<std::ptrdiff_t> places_;
  std::vector<std::size_t> lengths_, offsets_;
  std::vector<std::byte> copy_;
  std::span<std::byte> bytes_;
  bool is_copy_ = false;
};

/// The same for what is only read.
Blocks reading(const void* buffer, const int* counts, const int* displs, const Datatype& type, int ranks) {
  return {const_cast<void*>(buffer), counts, displs, type, ranks};
}

void given(std::size_t bytes) { process().statistics.given(bytes); }

}  // namespace

void barrier(Communicator* comm) {
  check_intra(comm);
  comm->collective().barrier();
}

void bcast(void* buffer, int count, Datatype* datatype, int root, Communicator* comm) {
  check_intra(comm);
  check_root(root, *comm);
  check_data(count, datatype);
  Incoming data(buffer, count, *datatype);
  const bool is_root = comm->rank() == root;
  if (is_root) {
    data.fill();
    given(data.bytes().size());
  }
  comm->collective().broadcast_bytes(data.bytes(), root, datatype->swap_bytes);
  if (!is_root) data.finish();
}

namespace {

void gather_blocks(const void* sendbuf, int sendcount, Datatype* sendtype, Blocks* into, const Datatype* recvtype,
                   int root, Communicator& comm) {
  const bool is_root = comm.rank() == root;
  if (!is_root) {
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

void gather(const void* sendbuf, int sendcount, Datatype* sendtype, void* recvbuf, int recvcount, Datatype* recvtype,
            int root, Communicator* comm) {
  check_intra(comm);
  check_root(root, *comm);
  std::optional<Blocks> into;
  if (comm->rank() == root) {
    check_data(recvcount, recvtype);
    into.emplace(recvbuf, recvcount, *recvtype, comm->size());
  }
  gather_blocks(sendbuf, sendcount, sendtype, into ? &*into : nullptr, recvtype, root, *comm);
}

void gatherv(const void* sendbuf, int sendcount, Datatype* sendtype, void* recvbuf, const int* recvcounts,
             const int* displs, Datatype* recvtype, int root, Communicator* comm) {
  check_intra(comm);
  check_root(root, *comm);
  std::optional<Blocks> into;
  if (comm->rank() == root) {
    check_data(0, recvtype);
    into.emplace(recvbuf, recvcounts, displs, *recvtype, comm->size());
  }
  gather_blocks(sendbuf, sendcount, sendtype, into ? &*into : nullptr, recvtype, root, *comm);
}

namespace {

void scatter_blocks(Blocks* from, const Datatype* sendtype, void* recvbuf, int recvcount, Datatype* recvtype,
                    int root, Communicator& comm) {
  if (comm.rank() != root) {
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

void scatter(const void* sendbuf, int sendcount, Datatype* sendtype, void* recvbuf, int recvcount, Datatype* recvtype,
             int root, Communicator* comm) {
  check_intra(comm);
  check_root(root, *comm);
  std::optional<Blocks> from;
  if (comm->rank() == root) {
    check_data(sendcount, sendtype);
    from.emplace(const_cast<void*>(sendbuf), sendcount, *sendtype, comm->size());
  }
  scatter_blocks(from ? &*from : nullptr, sendtype, recvbuf, recvcount, recvtype, root, *comm);
}

void scatterv(const void* sendbuf, const int* sendcounts, const int* displs, Datatype* sendtype, void* recvbuf,
              int recvcount, Datatype* recvtype, int root, Communicator* comm) {
  check_intra(comm);
  check_root(root, *comm);
  std::optional<Blocks> from;
  if (comm->rank() == root) {
    check_data(0, sendtype);
    from.emplace(const_cast<void*>(sendbuf), sendcounts, displs, *sendtype, comm->size());
  }
  scatter_blocks(from ? &*from : nullptr, sendtype, recvbuf, recvcount, recvtype, root, *comm);
}

namespace {

void allgather_blocks(const void* sendbuf, int sendcount, Datatype* sendtype, Blocks& into, const Datatype& recvtype,
                      Communicator& comm) {
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

void allgather(const void* sendbuf, int sendcount, Datatype* sendtype, void* recvbuf, int recvcount,
               Datatype* recvtype, Communicator* comm) {
  check_intra(comm);
  check_data(recvcount, recvtype);
  Blocks into(recvbuf, recvcount, *recvtype, comm->size());
  allgather_blocks(sendbuf, sendcount, sendtype, into, *recvtype, *comm);
}

void allgatherv(const void* sendbuf, int sendcount, Datatype* sendtype, void* recvbuf, const int* recvcounts,
                const int* displs, Datatype* recvtype, Communicator* comm) {
  check_intra(comm);
  check_data(0, recvtype);
  Blocks into(recvbuf, recvcounts, displs, *recvtype, comm->size());
  allgather_blocks(sendbuf, sendcount, sendtype, into, *recvtype, *comm);
}

// --- all to all
// -----------------------------------------------------------------------------------------------------

namespace {

/// In place: what goes out is copied first, for what comes in takes its place.
void alltoall_in_place(Blocks& blocks, const Datatype& type, Communicator& comm) {
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
  // The own block is copied, and may be shorter than its place.
  require(out.length(comm.rank()) <= in.length(comm.rank()), err_truncate);
  comm.collective().alltoallv_bytes(out.bytes(), out.lengths(), in.bytes(), in.lengths(), type.swap_bytes);
  in.store();
}

}  // namespace

void alltoall(const void* sendbuf, int sendcount, Datatype* sendtype, void* recvbuf, int recvcount,
              Datatype* recvtype, Communicator* comm) {
  check_intra(comm);
  check_data(recvcount, recvtype);
  Blocks in(recvbuf, recvcount, *recvtype, comm->size());
  if (is_in_place(sendbuf)) return alltoall_in_place(in, *recvtype, *comm);
  check_data(sendcount, sendtype);
  Blocks out(const_cast<void*>(sendbuf), sendcount, *sendtype, comm->size());
  alltoall_blocks(out, in, *recvtype, *comm);
}

void alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls, Datatype* sendtype, void* recvbuf,
               const int* recvcounts, const int* rdispls, Datatype* recvtype, Communicator* comm) {
  check_intra(comm);
  check_data(0, recvtype);
  Blocks in(recvbuf, recvcounts, rdispls, *recvtype, comm->size());
  if (is_in_place(sendbuf)) return alltoall_in_place(in, *recvtype, *comm);
  check_data(0, sendtype);
  Blocks out = reading(sendbuf, sendcounts, sdispls, *sendtype, comm->size());
  alltoall_blocks(out, in, *recvtype, *comm);
}

void alltoallw(const void* sendbuf, const int* sendcounts, const int* sdispls, Datatype* const* sendtypes,
               void* recvbuf, const int* recvcounts, const int* rdispls, Datatype* const* recvtypes,
               Communicator* comm) {
  check_intra(comm);
  const bool same = is_in_place(sendbuf);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  const auto ranks = static_cast<std::size_t>(comm->size());
  outgoing.reserve(ranks);
  incoming.reserve(ranks);
  std::vector<Comm::Piece> out, in;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    check_data(recvcounts[rank], recvtypes[rank]);
    std::byte* place = static_cast<std::byte*>(recvbuf) + rdispls[rank];
    incoming.emplace_back(place, recvcounts[rank], *recvtypes[rank]);
    in.push_back({static_cast<Rank>(rank), incoming.back().bytes()});
    if (same) {
      outgoing.push_back(Outgoing::copy_of(place, recvcounts[rank], *recvtypes[rank]));
    } else {
      check_data(sendcounts[rank], sendtypes[rank]);
      outgoing.emplace_back(static_cast<const std::byte*>(sendbuf) + sdispls[rank], sendcounts[rank],
                            *sendtypes[rank]);
    }
    out.push_back({static_cast<Rank>(rank), outgoing.back().as_piece()});
    given(out.back().bytes.size());
  }
  comm->collective().exchange(out, in);
  for (Incoming& one : incoming) one.finish();
}

}  // namespace nasvm::mpi::api
