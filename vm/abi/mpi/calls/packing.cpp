// MPI-3.1, sections 4.1.5 and 4.2: addresses and packing.

#include "mpi_api.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/datatype.hpp"

namespace nasvm::mpi::api {

using Number = Datatype::Number;

void get_address(const void* location, Number* address) { *address = reinterpret_cast<Number>(location); }
void address(void* location, Number* address) { *address = reinterpret_cast<Number>(location); }

namespace {

template <typename Size>
void pack_at(const void* inbuf, int count, Datatype* type, void* outbuf, Size room, Size* position) {
  check_type(type);
  require(count >= 0, err_count);
  const std::size_t bytes = type->bytes * static_cast<std::size_t>(count);
  require(*position >= 0 && static_cast<std::size_t>(*position) + bytes <= static_cast<std::size_t>(room),
          err_truncate);
  mpi::pack(*type, inbuf, count, static_cast<std::byte*>(outbuf) + *position);
  *position += static_cast<Size>(bytes);
}

template <typename Size>
void unpack_at(const void* inbuf, Size held, Size* position, void* outbuf, int count, Datatype* type) {
  check_type(type);
  require(count >= 0, err_count);
  const std::size_t bytes = type->bytes * static_cast<std::size_t>(count);
  require(*position >= 0 && static_cast<std::size_t>(*position) + bytes <= static_cast<std::size_t>(held),
          err_truncate);
  mpi::unpack(*type, outbuf, count, {static_cast<const std::byte*>(inbuf) + *position, bytes});
  *position += static_cast<Size>(bytes);
}

}  // namespace

void pack(const void* inbuf, int incount, Datatype* datatype, void* outbuf, int outsize, int* position,
          Communicator* comm) {
  check_comm(comm);
  pack_at(inbuf, incount, datatype, outbuf, outsize, position);
}

void unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount, Datatype* datatype,
            Communicator* comm) {
  check_comm(comm);
  unpack_at(inbuf, insize, position, outbuf, outcount, datatype);
}

void pack_size(int incount, Datatype* datatype, Communicator* comm, int* size) {
  check_comm(comm);
  check_type(datatype);
  *size = static_cast<int>(datatype->bytes * static_cast<std::size_t>(incount));
}

}  // namespace nasvm::mpi::api
