// The table of predefined operations: for which elements each is defined, and the loop that does it (MPI-3.1, 5.9.2
// and 5.9.4).

#include <algorithm>
#include <array>
#include <type_traits>

#include "vm/abi/mpi/operation.hpp"

namespace nasvm::mpi {
namespace {

Complex128 operator+(const Complex128& a, const Complex128& b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
Complex128 operator*(const Complex128& a, const Complex128& b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

struct Max {
  template <typename T>
  static T of(const T& a, const T& b) {
    return a < b ? b : a;
  }
};
struct Min {
  template <typename T>
  static T of(const T& a, const T& b) {
    return b < a ? b : a;
  }
};
struct Plus {
  template <typename T>
  static T of(const T& a, const T& b) {
    return static_cast<T>(a + b);
  }
};
struct Times {
  template <typename T>
  static T of(const T& a, const T& b) {
    return static_cast<T>(a * b);
  }
};
struct And {
  template <typename T>
  static T of(const T& a, const T& b) {
    return static_cast<T>(a != T{} && b != T{});
  }
};
struct Or {
  template <typename T>
  static T of(const T& a, const T& b) {
    return static_cast<T>(a != T{} || b != T{});
  }
};
struct Xor {
  template <typename T>
  static T of(const T& a, const T& b) {
    return static_cast<T>((a != T{}) != (b != T{}));
  }
};
struct BitAnd {
  template <typename T>
  static T of(const T& a, const T& b) {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <typename T>
  static T of(const T& a, const T& b) {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <typename T>
  static T of(const T& a, const T& b) {
    return static_cast<T>(a ^ b);
  }
};
/// Of equal values the one of the lower index.
struct MaxAt {
  template <typename T>
  static T of(const T& a, const T& b) {
    if (a.value == b.value) return {a.value, std::min(a.index, b.index)};
    return a.value < b.value ? b : a;
  }
};
struct MinAt {
  template <typename T>
  static T of(const T& a, const T& b) {
    if (a.value == b.value) return {a.value, std::min(a.index, b.index)};
    return b.value < a.value ? b : a;
  }
};
struct First {
  template <typename T>
  static T of(const T& a, const T&) {
    return a;
  }
};

template <typename Operation, typename T>
void loop(const std::byte* in, std::byte* inout, std::size_t count) {
  const T* a = reinterpret_cast<const T*>(in);
  T* b = reinterpret_cast<T*>(inout);
  for (std::size_t i = 0; i < count; ++i) b[i] = Operation::of(a[i], b[i]);
}

void nothing(const std::byte*, std::byte*, std::size_t) {}

using Row = std::array<Combine, elements>;
using Table = std::array<Row, predefined_operations>;

constexpr std::size_t at(Element element) { return static_cast<std::size_t>(element); }

template <typename Operation>
void set_integers(Row& row) {
  row[at(Element::int8)] = loop<Operation, std::int8_t>;
  row[at(Element::int16)] = loop<Operation, std::int16_t>;
  row[at(Element::int32)] = loop<Operation, std::int32_t>;
  row[at(Element::int64)] = loop<Operation, std::int64_t>;
  row[at(Element::long_integer)] = loop<Operation, long>;
  row[at(Element::int128)] = loop<Operation, Int128>;
  row[at(Element::uint8)] = loop<Operation, std::uint8_t>;
  row[at(Element::uint16)] = loop<Operation, std::uint16_t>;
  row[at(Element::uint32)] = loop<Operation, std::uint32_t>;
  row[at(Element::uint64)] = loop<Operation, std::uint64_t>;
  row[at(Element::unsigned_long_integer)] = loop<Operation, unsigned long>;
}

template <typename Operation>
void set_floats(Row& row) {
  row[at(Element::float32)] = loop<Operation, float>;
  row[at(Element::float64)] = loop<Operation, double>;
  row[at(Element::float80)] = loop<Operation, long double>;
  row[at(Element::float128)] = loop<Operation, Float128>;
}

template <typename Operation>
void set_complex(Row& row) {
  row[at(Element::complex32)] = loop<Operation, std::complex<float>>;
  row[at(Element::complex64)] = loop<Operation, std::complex<double>>;
  row[at(Element::complex80)] = loop<Operation, std::complex<long double>>;
  row[at(Element::complex128)] = loop<Operation, Complex128>;
}

template <typename Operation>
void set_truths(Row& row) {
  row[at(Element::truth)] = loop<Operation, bool>;
  row[at(Element::logical1)] = loop<Operation, std::int8_t>;
  row[at(Element::logical2)] = loop<Operation, std::int16_t>;
  row[at(Element::logical4)] = loop<Operation, std::int32_t>;
  row[at(Element::logical8)] = loop<Operation, std::int64_t>;
}

template <typename Operation>
void set_located(Row& row) {
  row[at(Element::float32_int)] = loop<Operation, Located<float>>;
  row[at(Element::float64_int)] = loop<Operation, Located<double>>;
  row[at(Element::float80_int)] = loop<Operation, Located<long double>>;
  row[at(Element::int64_int)] = loop<Operation, Located<std::int64_t>>;
  row[at(Element::int16_int)] = loop<Operation, Located<std::int16_t>>;
  row[at(Element::two_int32)] = loop<Operation, Located<std::int32_t>>;
  row[at(Element::two_float32)] = loop<Operation, Located<float, float>>;
  row[at(Element::two_float64)] = loop<Operation, Located<double, double>>;
}

template <typename Operation>
void set_bits(Row& row) {
  set_integers<Operation>(row);
  row[at(Element::byte)] = loop<Operation, std::uint8_t>;
}

Table make_table() {
  Table table{};
  set_integers<Max>(table[op_max]);
  set_floats<Max>(table[op_max]);
  set_integers<Min>(table[op_min]);
  set_floats<Min>(table[op_min]);
  set_integers<Plus>(table[op_sum]);
  set_floats<Plus>(table[op_sum]);
  set_complex<Plus>(table[op_sum]);
  set_integers<Times>(table[op_prod]);
  set_floats<Times>(table[op_prod]);
  set_complex<Times>(table[op_prod]);
  set_integers<And>(table[op_land]);
  set_truths<And>(table[op_land]);
  set_integers<Or>(table[op_lor]);
  set_truths<Or>(table[op_lor]);
  set_integers<Xor>(table[op_lxor]);
  set_truths<Xor>(table[op_lxor]);
  set_bits<BitAnd>(table[op_band]);
  set_bits<BitOr>(table[op_bor]);
  set_bits<BitXor>(table[op_bxor]);
  set_located<MaxAt>(table[op_maxloc]);
  set_located<MinAt>(table[op_minloc]);
  table[op_no_op].fill(nothing);
  set_integers<First>(table[op_replace]);
  set_floats<First>(table[op_replace]);
  return table;
}

}  // namespace

Combine combine_of(int operation, Element element) {
  static const Table table = make_table();
  return table[static_cast<std::size_t>(operation)][at(element)];
}

}  // namespace nasvm::mpi
