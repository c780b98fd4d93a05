#pragma once
/// \file
/// Elements: what predefined datatypes are made of.

#include <complex>
#include <cstddef>
#include <cstdint>

namespace nasvm::mpi {

__extension__ using Int128 = __int128;
__extension__ using Float128 = __float128;

struct Complex128 {
  Float128 real, imaginary;
};

/// A value and where it was, as MPI_MAXLOC compares them.
template <typename Value, typename Index = int>
struct Located {
  Value value;
  Index index;
};
template <typename T>
struct Two {
  T first, second;
};

enum class Element : std::uint8_t {
  none,
  byte,
  packed,
  upper_bound,
  lower_bound,
  character,
  wide_character,
  truth,
  logical1,
  logical2,
  logical4,
  logical8,
  int8,
  int16,
  int32,
  int64,
  long_integer,  ///< C's long, which has 4 bytes in the external representation
  int128,
  uint8,
  uint16,
  uint32,
  uint64,
  unsigned_long_integer,
  float16,
  float32,
  float64,
  float80,
  float128,
  complex32,
  complex64,
  complex80,
  complex128,
  float32_int,
  float64_int,
  float80_int,
  int64_int,
  int16_int,
  two_int32,
  two_float32,
  two_float64,
  two_complex32,
  two_complex64,
};
inline constexpr int elements = 42;

/// How many bytes a value has in the external representation, and what makes them of its own (MPI-3.1, 13.5.2).
enum class External : std::uint8_t {
  same,        ///< all bytes, the most significant first
  short_long,  ///< the lower 4 of 8
  short_unsigned_long,
  short_wide_character,  ///< the lower 2 of 4
  quadruple,             ///< of x86's 80 bits, IEEE's 128
};
[[nodiscard]] std::size_t external_bytes(External external, std::size_t bytes);

/// What a datatype needs to know of its element.
struct ElementFacts {
  std::size_t bytes = 0;   ///< of its data
  std::size_t extent = 0;  ///< from one to the next
  std::size_t part_bytes =
      1;  ///< of what is swapped between hosts of different byte order; of the first part of a pair
  std::size_t second_at = 0;  ///< where the second part of a pair begins; 0: it is no pair
  std::size_t second_bytes = 0;
  External external = External::same;  ///< of its parts, but not of the second of a pair
};
const ElementFacts& facts_of(Element element);

}  // namespace nasvm::mpi
