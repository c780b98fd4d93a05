#pragma once
/// \file
/// Reductions: how elements are combined, in a form that algorithms over bytes, and fabrics with collectives of their
/// own, can use.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace nasvm {

/// What the elements are; together with their operand_bytes this names the type.
enum class ElementKind : std::uint8_t { other, signed_integer, unsigned_integer, floating, complex };
/// Operations that a fabric may know by itself.
enum class OperationKind : std::uint8_t { other, sum, product, min, max };

/// How the elements of a reduction are combined: `combine(op, inout, in, count)` does inout[i] = inout[i] (op) in[i],
/// where inout holds the contribution of the lower ranks. Must be associative.
struct Reduction {
  std::size_t operand_bytes = 0;   ///< sizeof what `combine` works on
  std::uint8_t element_bytes = 1;  ///< as Operation::element_bytes: half of that for complex numbers
  bool commutative = true;
  void (*combine)(const void* op, std::byte* inout, const std::byte* in, std::size_t count) = nullptr;
  /// The other order: inout[i] = in[i] (op) inout[i].
  void (*combine_reversed)(const void* op, std::byte* inout, const std::byte* in, std::size_t count) = nullptr;
  const void* op = nullptr;
  ElementKind element = ElementKind::other;
  OperationKind operation = OperationKind::other;
};

/// Operations for reductions; any callable T(T, T) that is associative serves as well. A callable with
/// `static constexpr bool commutative = false` keeps rank order.
struct Sum {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
};
struct Product {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(a * b);
  }
};
struct Min {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct Max {
  template <typename T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

template <typename T>
constexpr ElementKind element_kind() {
  if constexpr (std::is_same_v<T, bool>) return ElementKind::other;
  else if constexpr (std::is_floating_point_v<T>) return ElementKind::floating;
  else if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? ElementKind::signed_integer : ElementKind::unsigned_integer;
  } else if constexpr (requires { typename T::value_type; }) {
    return std::is_same_v<T, std::complex<typename T::value_type>> ? ElementKind::complex : ElementKind::other;
  } else {
    return ElementKind::other;
  }
}

template <typename Op>
constexpr OperationKind operation_kind() {
  if constexpr (std::is_same_v<Op, Sum>) return OperationKind::sum;
  else if constexpr (std::is_same_v<Op, Product>) return OperationKind::product;
  else if constexpr (std::is_same_v<Op, Min>) return OperationKind::min;
  else if constexpr (std::is_same_v<Op, Max>) return OperationKind::max;
  else return OperationKind::other;
}

}  // namespace nasvm
