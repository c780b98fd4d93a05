#pragma once
/// \file
/// Operations of reductions: predefined ones, for the elements that they are defined for, and the program's own
/// (MPI-3.1, section 5.9).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vm/abi/mpi/datatype.hpp"
#include "vm/abi/mpi/seam.hpp"
#include "vm/reduction.hpp"

namespace nasvm::mpi {

/// Numbers of the predefined ones.
enum PredefinedOperation : int {
  op_null,
  op_max,
  op_min,
  op_sum,
  op_prod,
  op_land,
  op_band,
  op_lor,
  op_bor,
  op_lxor,
  op_bxor,
  op_maxloc,
  op_minloc,
  op_replace,
  op_no_op,
};
inline constexpr int predefined_operations = 15;

struct Op : Object {
  explicit Op(int number) : Object(Kind::op, number) {}
  Op(const UserFunction& called, bool commutes) : Object(Kind::op), function(called), commutative(commutes) {}
  UserFunction function;
  bool commutative = true;
};

Op& predefined_operation(int number);

/// inout[i] = in[i] (op) inout[i] for `count` elements that lie together.
using Combine = void (*)(const std::byte* in, std::byte* inout, std::size_t count);
/// Of a predefined operation; nullptr: it is not defined for that element.
Combine combine_of(int operation, Element element);

/// Does it for `count` elements of a type at their places. Fails where the operation is not defined for the type.
void combine_local(const Op& op, Datatype& type, const void* in, void* inout, std::ptrdiff_t count);
/// Fails unless it is one.
inline void check_operation(const Op* op) { require(op != nullptr && number_in(op->word) != op_null, err_op); }
/// Fails as `combine_local` would.
void check_operation(const Op* op, const Datatype& type);

/// Bytes from one element to the next in the form in which reductions have them: the extent, or those of the data,
/// packed, where elements lie within each other (such as the columns of a matrix) or backwards.
std::size_t operand_bytes(const Datatype& type);
/// Brings `count` elements from that form to their places.
void place_operands(const Datatype& type, const std::byte* operands, void* to, std::ptrdiff_t count);

/// Where the result of a reduction is wanted.
enum class Result : std::uint8_t { here, elsewhere };

/// The data of a reduction in a form that Comm's collectives take: elements that do not overlap, and how to combine
/// them.
struct Work;
class Reducible {
 public:
  /// `contribution` is read; where the result is wanted, `finish` puts it to `result`, which must hold as much (and
  /// may be MPI_BOTTOM, a null pointer).
  Reducible(const Op& op, Datatype& type, std::ptrdiff_t count, const void* contribution, void* result,
            Result wanted = Result::here);
  ~Reducible();
  Reducible(const Reducible&) = delete;
  Reducible& operator=(const Reducible&) = delete;
  [[nodiscard]] const Reduction& reduction() const { return reduction_; }
  [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }
  /// Puts the result into its place.
  void finish();

 private:
  const Op& op_;
  Datatype& type_;
  std::ptrdiff_t count_;
  void* result_;
  Result wanted_;
  bool is_copy_ = false;
  std::vector<std::byte> copy_;
  std::span<std::byte> bytes_;
  std::unique_ptr<Work> work_;
  Reduction reduction_;
};

/// Copies the data of `count` elements from one place to another of the same layout.
void copy_elements(const Datatype& type, const void* from, void* to, std::ptrdiff_t count);

}  // namespace nasvm::mpi
