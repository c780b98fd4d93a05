// MPI-3.1, sections 4.1.5, 4.2 and 4.3: addresses, packing, the external representation.

#include <algorithm>
#include <cstring>

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

/// The external representation is big-endian (MPI-3.1, 13.5.2); runs have elements of one size.
void swap_data(const Datatype& type, int count, std::byte* data) {
  for (int i = 0; i < count; ++i) {
    for (const Run& run : type.runs) {
      const std::size_t part = type.swap_bytes > 1 ? type.swap_bytes : run.element_bytes;
      for (std::size_t at = 0; at + part <= run.bytes; at += part) std::reverse(data + at, data + at + part);
      data += run.bytes;
    }
  }
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

void pack_external(const char*, const void* inbuf, int incount, Datatype* datatype, void* outbuf, Number outsize,
                   Number* position) {
  std::byte* begin = static_cast<std::byte*>(outbuf) + *position;
  pack_at(inbuf, incount, datatype, outbuf, outsize, position);
  swap_data(*datatype, incount, begin);
}

void unpack_external(const char*, const void* inbuf, Number insize, Number* position, void* outbuf, int outcount,
                     Datatype* datatype) {
  check_type(datatype);
  const std::size_t bytes = datatype->bytes * static_cast<std::size_t>(outcount);
  require(static_cast<std::size_t>(*position) + bytes <= static_cast<std::size_t>(insize), err_truncate);
  std::vector<std::byte> data(bytes);
  std::memcpy(data.data(), static_cast<const std::byte*>(inbuf) + *position, bytes);
  swap_data(*datatype, outcount, data.data());
  mpi::unpack(*datatype, outbuf, outcount, data);
  *position += static_cast<Number>(bytes);
}

void pack_external_size(const char*, int incount, Datatype* datatype, Number* size) {
  check_type(datatype);
  *size = static_cast<Number>(datatype->bytes * static_cast<std::size_t>(incount));
}

}  // namespace nasvm::mpi::api
