#pragma once
/// \file
/// Communicators between two groups: their collectives, and how the two groups agree (MPI-3.1, sections 5.2.2, 5.2.3
/// and 6.6). The first of each group speaks for it; data goes from group to group, and within the groups by the same
/// algorithms as everywhere.
///
/// All block until this task's part is done, and fail as the functions of MPI do.

#include <cstdint>
#include <span>
#include <vector>

#include "vm/abi/mpi/blocks.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/operation.hpp"

namespace nasvm::mpi::between {

/// `theirs` is filled with what the first of the other group has in `mine`, on all tasks of this group.
void tell(Communicator& comm, std::span<std::byte> mine, std::span<std::byte> theirs, std::uint8_t element_bytes);
template <typename T>
std::vector<T> told(Communicator& comm, std::vector<T> mine, std::size_t count) {
  std::vector<T> theirs(count);
  tell(comm, std::as_writable_bytes(std::span(mine)), std::as_writable_bytes(std::span(theirs)), sizeof(T));
  return theirs;
}

/// A context that is free on all tasks of both groups.
Context agree_on_context(Communicator& comm);

/// One between the tasks of `comm` and another group, whose leader `peers` reaches by that rank and tag (nullptr
/// where this task is not the leader).
Communicator* connected(Communicator& comm, Rank leader, Comm* peers, Rank remote_leader, Tag tag);
Communicator* duplicate(Communicator& comm);
/// nullptr where this task has no colour, or nobody of the other group has that one.
Communicator* split(Communicator& comm, int color, int key);

/// `root`: a rank of the other group; root_here on the task that is the root; proc_null on the others of its group.
void barrier(Communicator& comm);
void bcast(void* buffer, std::ptrdiff_t count, const Datatype& type, int root, Communicator& comm);
/// `into` and `from`: at the root.
void gather(const void* sendbuf, std::ptrdiff_t sendcount, const Datatype* sendtype, Blocks* into, int root,
            Communicator& comm);
void scatter(Blocks* from, void* recvbuf, std::ptrdiff_t recvcount, const Datatype* recvtype, int root,
             Communicator& comm);
void allgather(const void* sendbuf, std::ptrdiff_t sendcount, const Datatype* sendtype, Blocks& into,
               Communicator& comm);
void alltoall(Blocks& out, Blocks& in, Communicator& comm);
void reduce(const void* sendbuf, void* recvbuf, std::ptrdiff_t count, Datatype& type, const Op& op, int root,
            Communicator& comm);
void allreduce(const void* sendbuf, void* recvbuf, std::ptrdiff_t count, Datatype& type, const Op& op,
               Communicator& comm);
/// `counts`: for each task of this group.
void reduce_scatter(const void* sendbuf, void* recvbuf, const std::vector<std::ptrdiff_t>& counts, Datatype& type,
                    const Op& op, Communicator& comm);

}  // namespace nasvm::mpi::between
