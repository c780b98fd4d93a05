#pragma once
/// \file
/// Datatypes: which bytes of memory a message is made of. Kept as a flattened list of runs, whatever was nested in
/// what; a datatype that lies together is sent and received in place, all others are packed and unpacked.
///
/// Source: MPI-3.1, chapter 4 (type maps, extents, markers), section 4.1.11 (in how far addresses may be relative).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vm/abi/mpi/attribute_value.hpp"
#include "vm/abi/mpi/constants.hpp"
#include "vm/abi/mpi/element.hpp"
#include "vm/abi/mpi/failure.hpp"
#include "vm/abi/mpi/object.hpp"

namespace nasvm::mpi {

/// Bytes that lie together, made of elements of one size and external representation.
struct Run {
  std::ptrdiff_t at = 0;
  std::size_t bytes = 0;
  std::uint8_t element_bytes = 1;
  std::uint8_t part_bytes = 1;  ///< of what other hosts, and the external representation, have in another form
  External external = External::same;

  bool operator==(const Run&) const = default;
};

struct Datatype : Object {
  using Number = std::ptrdiff_t;

  Datatype() : Object(Kind::type) {}
  Datatype(int number, Element element, std::string name);
  ~Datatype();

  /// Does `count` of them lie together, from the buffer's address plus `lowest` on?
  [[nodiscard]] bool is_dense(std::ptrdiff_t count) const {
    return runs.size() <= 1 && (count <= 1 || static_cast<std::ptrdiff_t>(bytes) == extent());
  }
  /// Those, which do lie together.
  [[nodiscard]] std::span<std::byte> dense_span(const void* buffer, std::ptrdiff_t count) const {
    auto* begin = static_cast<std::byte*>(const_cast<void*>(buffer));  // of a send nobody writes through it
    return {begin + lowest, bytes * static_cast<std::size_t>(count)};
  }
  [[nodiscard]] std::ptrdiff_t extent() const { return upper - lower; }
  [[nodiscard]] std::ptrdiff_t true_extent() const { return highest - lowest; }
  /// Bytes from the lowest to the highest address that `count` of them touch.
  [[nodiscard]] std::size_t span_of(std::ptrdiff_t count) const;
  /// The program gets one more handle, which it frees as it does the others. Predefined types have no use for that.
  void hand_out() {
    if (is_predefined()) return;
    ++users;
    ++handles;
  }

  std::vector<Run> runs;     ///< in the order of the data
  std::size_t bytes = 0;     ///< of data
  std::ptrdiff_t lower = 0;  ///< bounds, which say where the next one begins
  std::ptrdiff_t upper = 0;
  std::ptrdiff_t lowest = 0;  ///< bounds of the data
  std::ptrdiff_t highest = 0;
  bool has_lower_marker = false;  ///< bounds that do not follow from the data (MPI_LB, MPI_UB, resized)
  bool has_upper_marker = false;
  std::uint8_t swap_bytes = 1;      ///< what hosts of different byte order swap; 1: they do not
  std::uint8_t alignment = 1;       ///< of the strictest of its parts: C pads structures to it
  Element element = Element::none;  ///< all data is of that one; none: mixed
  bool committed = false;
  bool has_large_counts = false;  ///< a function with large counts has made it: its numbers are told as such

  // How it was made.
  Combiner combiner = combiner_named;
  std::vector<Number> integers;
  std::vector<Number> addresses;
  std::vector<Ref<Datatype>> types;

  std::string name;
  Attributes attributes;
  int handles = 1;  ///< of those who use it the program's: attributes go with the last
};

/// Adds data to a type under construction, which goes with it unless it is finished.
class TypeBuilder {
 public:
  /// `count` of `part`, one extent after the other, from `at` on.
  void add(const Datatype& part, std::ptrdiff_t at, std::ptrdiff_t count);
  /// Bounds are these, whatever the data is.
  void resize(std::ptrdiff_t lower, std::ptrdiff_t upper);
  [[nodiscard]] Datatype* finish(Combiner combiner, std::vector<Datatype::Number> integers,
                                 std::vector<Datatype::Number> addresses, const std::vector<Datatype*>& types);

 private:
  void append(const Run& run);
  void widen(const Datatype& part, std::ptrdiff_t at);

  std::unique_ptr<Datatype> type_ = std::make_unique<Datatype>();
  bool has_data_ = false;
  bool has_bounds_ = false;
  bool has_element_ = false;
};

/// Fails unless it is one; MPI_DATATYPE_NULL has number 0.
inline void check_type(const Datatype* type) { require(type != nullptr && number_in(type->word) != 0, err_type); }
/// Fails unless so many of them can be sent or received.
inline void check_data(std::ptrdiff_t count, const Datatype* type) {
  require(count >= 0, err_count);
  // MPI_DATATYPE_NULL may stand where there is nothing.
  require(type != nullptr && type->committed && (count == 0 || number_in(type->word) != 0), err_type);
  std::ptrdiff_t bytes = 0;
  require(!__builtin_mul_overflow(count, static_cast<std::ptrdiff_t>(type->bytes), &bytes), err_count);
}
/// Fails where that data would be at the null pointer. MPI_BOTTOM is that pointer, too, but its types bring addresses
/// along, none of which is in the first page.
inline void check_buffer(const void* buffer, std::ptrdiff_t count, const Datatype& type) {
  constexpr std::ptrdiff_t page_bytes = 4096;
  require(buffer != nullptr || count == 0 || type.bytes == 0 || type.lowest >= page_bytes, err_buffer);
}

/// The predefined datatypes, by their number.
Datatype& predefined_type(int number);

/// Copies the data of `count` elements at `buffer` one after the other to `packed`, and back; back as far as
/// `packed` goes, whose first byte is byte `from` of the data.
void pack(const Datatype& type, const void* buffer, std::ptrdiff_t count, std::byte* packed);
void unpack(const Datatype& type, void* buffer, std::ptrdiff_t count, std::span<const std::byte> packed,
            std::size_t from = 0);

/// How many whole elements of the type are that many bytes; undefined: they are not whole.
[[nodiscard]] std::ptrdiff_t whole_count(const Datatype& type, std::size_t bytes);
/// How many basic elements (MPI_Get_elements).
[[nodiscard]] std::ptrdiff_t element_count(const Datatype& type, std::size_t bytes);
/// The other way round (MPI_Status_set_elements). Fails where no message is that long.
[[nodiscard]] std::size_t bytes_of_elements(const Datatype& type, std::ptrdiff_t count);

/// What is to be sent, as bytes that lie together: in place where they do.
class Outgoing {
 public:
  Outgoing(const void* buffer, std::ptrdiff_t count, const Datatype& type);
  /// A copy of it in any case, so that the program may use its memory again.
  static Outgoing copy_of(const void* buffer, std::ptrdiff_t count, const Datatype& type);
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  /// Whether the program's own memory is sent.
  [[nodiscard]] bool is_in_place() const { return copy_.empty(); }
  /// For pieces of exchanges, which never write through it.
  [[nodiscard]] std::span<std::byte> as_piece() const {
    return {const_cast<std::byte*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::vector<std::byte> copy_;
  std::span<const std::byte> bytes_;
};

/// Where what is received goes: in place, or from a copy when it has come.
class Incoming {
 public:
  Incoming() = default;
  Incoming(void* buffer, std::ptrdiff_t count, const Datatype& type);
  [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }
  /// Whether it is the program's own memory.
  [[nodiscard]] bool is_in_place() const { return !is_copy_; }
  /// The first so many bytes have come. Once.
  void finish(std::size_t received);
  void finish() { finish(bytes_.size()); }
  /// Puts what the program's memory holds into the copy, for what only a part will be overwritten of.
  void fill();

 private:
  const Datatype* type_ = nullptr;
  void* buffer_ = nullptr;
  std::ptrdiff_t count_ = 0;
  std::vector<std::byte> copy_;
  std::span<std::byte> bytes_;
  bool is_copy_ = false;
};

}  // namespace nasvm::mpi
