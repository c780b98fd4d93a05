// MPI-3.1, sections 4.3 and 13.5.2: the external representation, big-endian with sizes that are everywhere the same.

#include <algorithm>
#include <cstring>

#include "mpi_api.hpp"
#include "vm/abi/mpi/datatype.hpp"

namespace nasvm::mpi::api {
namespace {

using Number = Datatype::Number;

/// Values of one representation in a run, and their bytes there.
struct Values {
  explicit Values(const Run& run)
      : count(run.bytes / run.part_bytes),
        own_bytes(run.part_bytes),
        bytes(external_bytes(run.external, own_bytes)) {}
  std::size_t count, own_bytes, bytes;
};

std::size_t external_bytes_of(const Datatype& type, std::ptrdiff_t count) {
  std::size_t bytes = 0;
  for (const Run& run : type.runs) {
    const Values values(run);
    bytes += values.count * values.bytes;
  }
  std::ptrdiff_t all = 0;
  require(!__builtin_mul_overflow(static_cast<std::ptrdiff_t>(bytes), count, &all), err_count);
  return static_cast<std::size_t>(all);
}

/// The bytes of `from`, the least significant first on this host, in the opposite order.
void reverse(const std::byte* from, std::size_t bytes, std::byte* to) { std::reverse_copy(from, from + bytes, to); }

void to_external(External external, const Values& values, const std::byte* from, std::byte* to) {
  if (external != External::quadruple) return reverse(from, values.bytes, to);  // integers: their lower bytes
  long double value = 0;
  std::memcpy(&value, from, sizeof value);
  const auto wide = static_cast<Float128>(value);
  reverse(reinterpret_cast<const std::byte*>(&wide), sizeof wide, to);
}

void from_external(External external, const Values& values, const std::byte* from, std::byte* to) {
  if (external == External::quadruple) {
    Float128 wide = 0;
    reverse(from, sizeof wide, reinterpret_cast<std::byte*>(&wide));
    const auto value = static_cast<long double>(wide);
    std::memcpy(to, &value, sizeof value);
    return;
  }
  const bool is_negative = external == External::short_long && (from[0] & std::byte{0x80}) != std::byte{};
  std::fill_n(to, values.own_bytes, is_negative ? std::byte{0xff} : std::byte{});
  reverse(from, values.bytes, to);
}

void check_representation(const char* name) { require(std::strcmp(name, "external32") == 0, err_arg); }

}  // namespace

void pack_external(const char* datarep, const void* inbuf, std::ptrdiff_t incount, Datatype* datatype, void* outbuf,
                   Number outsize, Number* position) {
  Number bytes = 0;
  pack_external_size(datarep, incount, datatype, &bytes);
  require(*position >= 0 && bytes <= outsize - *position, err_truncate);
  const auto* from = static_cast<const std::byte*>(inbuf);
  std::byte* to = static_cast<std::byte*>(outbuf) + *position;
  for (std::ptrdiff_t i = 0; i < incount; ++i, from += datatype->extent()) {
    for (const Run& run : datatype->runs) {
      const Values values(run);
      for (std::size_t at = 0; at < run.bytes; at += values.own_bytes, to += values.bytes) {
        to_external(run.external, values, from + run.at + at, to);
      }
    }
  }
  *position += bytes;
}

void unpack_external(const char* datarep, const void* inbuf, Number insize, Number* position, void* outbuf,
                     std::ptrdiff_t outcount, Datatype* datatype) {
  Number bytes = 0;
  pack_external_size(datarep, outcount, datatype, &bytes);
  require(*position >= 0 && bytes <= insize - *position, err_truncate);
  const std::byte* from = static_cast<const std::byte*>(inbuf) + *position;
  auto* to = static_cast<std::byte*>(outbuf);
  for (std::ptrdiff_t i = 0; i < outcount; ++i, to += datatype->extent()) {
    for (const Run& run : datatype->runs) {
      const Values values(run);
      for (std::size_t at = 0; at < run.bytes; at += values.own_bytes, from += values.bytes) {
        from_external(run.external, values, from, to + run.at + at);
      }
    }
  }
  *position += bytes;
}

void pack_external_size(const char* datarep, std::ptrdiff_t incount, Datatype* datatype, Number* size) {
  check_representation(datarep);
  check_type(datatype);
  require(incount >= 0, err_count);
  *size = static_cast<Number>(external_bytes_of(*datatype, incount));
}

}  // namespace nasvm::mpi::api
