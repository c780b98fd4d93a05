// MPI-3.1, section 7.6: collectives among neighbours. Each block is one message.

#include <algorithm>

#include "mpi_api.hpp"
#include "vm/abi/mpi/datatype.hpp"
#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/topology.hpp"

namespace nasvm::mpi::api {
namespace {

/// Collects what goes out and where what comes in has its place.
class Exchange {
 public:
  explicit Exchange(Communicator* comm) : comm_(comm) {
    check_intra(comm);
    neighbours_ = neighbours_of(*comm);
    out_.reserve(neighbours_.destinations.size());
    in_.reserve(neighbours_.sources.size());
  }
  [[nodiscard]] std::size_t sources() const { return neighbours_.sources.size(); }
  [[nodiscard]] std::size_t destinations() const { return neighbours_.destinations.size(); }

  void send(std::size_t neighbour, const void* buffer, std::ptrdiff_t at, std::ptrdiff_t count,
            const Datatype* type) {
    check_data(count, type);
    out_.emplace_back(static_cast<const std::byte*>(buffer) + at, count, *type);
    process().statistics.given(out_.back().bytes().size());
    out_pieces_.push_back({neighbours_.destinations[neighbour], out_.back().as_piece(), type->swap_bytes});
  }
  void receive(std::size_t neighbour, void* buffer, std::ptrdiff_t at, std::ptrdiff_t count, const Datatype* type) {
    check_data(count, type);
    const int from = neighbours_.sources[neighbour];
    if (from == proc_null) return;  // its place stays as it is
    in_.emplace_back(static_cast<std::byte*>(buffer) + at, count, *type);
    in_pieces_.push_back({from, in_.back().bytes(), type->swap_bytes});
  }
  void carry_out() {
    if (comm_->topology->kind == cartesian) cross_directions();
    std::erase_if(out_pieces_, [](const Comm::Piece& piece) { return piece.rank == proc_null; });
    comm_->collective().exchange(out_pieces_, in_pieces_);
    for (Incoming& one : in_) one.finish();
  }

 private:
  /// On a ring of one or two tasks both neighbours are the same task. What goes up comes from below there, so it is
  /// sent first: blocks from one task arrive in the order in which their places are listed (MPI-4.0, section 8.6).
  void cross_directions() {
    for (std::size_t below = 0; below + 1 < out_pieces_.size(); below += 2) {
      std::swap(out_pieces_[below], out_pieces_[below + 1]);
    }
  }

  Communicator* comm_;
  Neighbours neighbours_;
  std::vector<Outgoing> out_;
  std::vector<Incoming> in_;
  std::vector<Comm::Piece> out_pieces_, in_pieces_;
};

std::ptrdiff_t block(std::size_t number, std::ptrdiff_t count, const Datatype* type) {
  check_data(count, type);
  return static_cast<std::ptrdiff_t>(number) * count * type->extent();
}

}  // namespace

void neighbor_allgather(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, void* recvbuf,
                        std::ptrdiff_t recvcount, Datatype* recvtype, Communicator* comm) {
  Exchange exchange(comm);
  check_data(0, recvtype);
  for (std::size_t i = 0; i < exchange.destinations(); ++i) exchange.send(i, sendbuf, 0, sendcount, sendtype);
  for (std::size_t i = 0; i < exchange.sources(); ++i) {
    exchange.receive(i, recvbuf, block(i, recvcount, recvtype), recvcount, recvtype);
  }
  exchange.carry_out();
}

void neighbor_allgatherv(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, void* recvbuf,
                         Numbers recvcounts, Numbers displs, Datatype* recvtype, Communicator* comm) {
  Exchange exchange(comm);
  check_data(0, recvtype);
  for (std::size_t i = 0; i < exchange.destinations(); ++i) exchange.send(i, sendbuf, 0, sendcount, sendtype);
  for (std::size_t i = 0; i < exchange.sources(); ++i) {
    exchange.receive(i, recvbuf, displs[i] * recvtype->extent(), recvcounts[i], recvtype);
  }
  exchange.carry_out();
}

void neighbor_alltoall(const void* sendbuf, std::ptrdiff_t sendcount, Datatype* sendtype, void* recvbuf,
                       std::ptrdiff_t recvcount, Datatype* recvtype, Communicator* comm) {
  Exchange exchange(comm);
  for (std::size_t i = 0; i < exchange.destinations(); ++i) {
    exchange.send(i, sendbuf, block(i, sendcount, sendtype), sendcount, sendtype);
  }
  for (std::size_t i = 0; i < exchange.sources(); ++i) {
    exchange.receive(i, recvbuf, block(i, recvcount, recvtype), recvcount, recvtype);
  }
  exchange.carry_out();
}

void neighbor_alltoallv(const void* sendbuf, Numbers sendcounts, Numbers sdispls, Datatype* sendtype, void* recvbuf,
                        Numbers recvcounts, Numbers rdispls, Datatype* recvtype, Communicator* comm) {
  Exchange exchange(comm);
  check_data(0, sendtype);
  check_data(0, recvtype);
  for (std::size_t i = 0; i < exchange.destinations(); ++i) {
    exchange.send(i, sendbuf, sdispls[i] * sendtype->extent(), sendcounts[i], sendtype);
  }
  for (std::size_t i = 0; i < exchange.sources(); ++i) {
    exchange.receive(i, recvbuf, rdispls[i] * recvtype->extent(), recvcounts[i], recvtype);
  }
  exchange.carry_out();
}

void neighbor_alltoallw(const void* sendbuf, Numbers sendcounts, const std::ptrdiff_t* sdispls,
                        Datatype* const* sendtypes, void* recvbuf, Numbers recvcounts, const std::ptrdiff_t* rdispls,
                        Datatype* const* recvtypes, Communicator* comm) {
  Exchange exchange(comm);
  for (std::size_t i = 0; i < exchange.destinations(); ++i) {
    exchange.send(i, sendbuf, sdispls[i], sendcounts[i], sendtypes[i]);
  }
  for (std::size_t i = 0; i < exchange.sources(); ++i) {
    exchange.receive(i, recvbuf, rdispls[i], recvcounts[i], recvtypes[i]);
  }
  exchange.carry_out();
}

}  // namespace nasvm::mpi::api
