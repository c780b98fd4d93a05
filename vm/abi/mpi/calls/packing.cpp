// MPI-3.1, sections 4.1.5 and 4.2: addresses and packing.

#include <utility>

#include "mpi_api.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/datatype.hpp"

namespace nasvm::mpi::api {

using Number = Datatype::Number;

void get_address(const void* location, Number* address) { *address = reinterpret_cast<Number>(location); }
void address(void* location, Number* address) { *address = reinterpret_cast<Number>(location); }

namespace {

/// Packing needs no committed type.
void check_packed(std::ptrdiff_t count, const Datatype* type) {
  check_type(type);
  require(count >= 0, err_count);
  std::ptrdiff_t bytes = 0;
  require(!__builtin_mul_overflow(count, static_cast<std::ptrdiff_t>(type->bytes), &bytes), err_count);
}

/// Fails unless so many bytes from that position on are within so much room.
void check_place(Number position, std::size_t bytes, Number room) {
  require(position >= 0 && position <= room && static_cast<Number>(bytes) <= room - position, err_truncate);
}

/// A result as the caller's integer, if it goes into that.
template <typename Integer>
void give(Number value, Integer* to) {
  require(std::in_range<Integer>(value), err_count);
  *to = static_cast<Integer>(value);
}

template <typename Position>
void pack_at(const void* inbuf, std::ptrdiff_t count, Datatype* type, void* outbuf, Number room, Position* position) {
  check_packed(count, type);
  const std::size_t bytes = type->bytes * static_cast<std::size_t>(count);
  check_place(*position, bytes, room);
  mpi::pack(*type, inbuf, count, static_cast<std::byte*>(outbuf) + *position);
  give(*position + static_cast<Number>(bytes), position);
}

template <typename Position>
void unpack_at(const void* inbuf, Number held, Position* position, void* outbuf, std::ptrdiff_t count,
               Datatype* type) {
  check_packed(count, type);
  const std::size_t bytes = type->bytes * static_cast<std::size_t>(count);
  check_place(*position, bytes, held);
  mpi::unpack(*type, outbuf, count, {static_cast<const std::byte*>(inbuf) + *position, bytes});
  give(*position + static_cast<Number>(bytes), position);
}

}  // namespace

void pack(const void* inbuf, std::ptrdiff_t incount, Datatype* datatype, void* outbuf, std::ptrdiff_t outsize,
          int* position, Communicator* comm) {
  check_comm(comm);
  pack_at(inbuf, incount, datatype, outbuf, outsize, position);
}

void pack(const void* inbuf, std::ptrdiff_t incount, Datatype* datatype, void* outbuf, std::ptrdiff_t outsize,
          long long* position, Communicator* comm) {
  check_comm(comm);
  pack_at(inbuf, incount, datatype, outbuf, outsize, position);
}

void unpack(const void* inbuf, std::ptrdiff_t insize, int* position, void* outbuf, std::ptrdiff_t outcount,
            Datatype* datatype, Communicator* comm) {
  check_comm(comm);
  unpack_at(inbuf, insize, position, outbuf, outcount, datatype);
}

void unpack(const void* inbuf, std::ptrdiff_t insize, long long* position, void* outbuf, std::ptrdiff_t outcount,
            Datatype* datatype, Communicator* comm) {
  check_comm(comm);
  unpack_at(inbuf, insize, position, outbuf, outcount, datatype);
}

void pack_size(std::ptrdiff_t incount, Datatype* datatype, Communicator* comm, int* size) {
  check_comm(comm);
  check_packed(incount, datatype);
  give(static_cast<Number>(datatype->bytes) * incount, size);
}

void pack_size(std::ptrdiff_t incount, Datatype* datatype, Communicator* comm, long long* size) {
  check_comm(comm);
  check_packed(incount, datatype);
  *size = static_cast<Number>(datatype->bytes) * incount;
}

}  // namespace nasvm::mpi::api
