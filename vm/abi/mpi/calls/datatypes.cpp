// MPI-3.1, section 4.1: making datatypes, and what they say of themselves.

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "mpi_api.hpp"
#include "mpi_predefined.hpp"
#include "vm/abi/mpi/attributes.hpp"
#include "vm/abi/mpi/communicator.hpp"

namespace nasvm::mpi::api {
namespace {

using Number = Datatype::Number;

template <typename T>
std::vector<T> list(const T* values, Number count) {
  require(count >= 0, err_count);
  return {values, values + count};
}

std::vector<Number> list(const Numbers& values, Number count) {
  require(count >= 0, err_count);
  std::vector<Number> all;
  for (Number i = 0; i < count; ++i) all.push_back(values[i]);
  return all;
}

std::vector<Number> joined(Number first, const std::vector<Number>& second, const std::vector<Number>& third = {}) {
  std::vector<Number> all{first};
  all.insert(all.end(), second.begin(), second.end());
  all.insert(all.end(), third.begin(), third.end());
  return all;
}

/// Blocks of elements at places in bytes.
void add_blocks(TypeBuilder& builder, const Datatype& old, const std::vector<Number>& lengths, const Numbers& places,
                Number unit) {
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    require(lengths[i] >= 0, err_arg);
    builder.add(old, places[i] * unit, lengths[i]);
  }
}

Datatype* vector_of(Number count, Number blocklength, Number stride_bytes, const Datatype& old, TypeBuilder& builder,
                    Combiner combiner, std::vector<Number> integers, std::vector<Number> addresses) {
  require(count >= 0, err_count);
  require(blocklength >= 0, err_arg);
  for (Number i = 0; i < count; ++i) builder.add(old, i * stride_bytes, blocklength);
  return builder.finish(combiner, std::move(integers), std::move(addresses), {const_cast<Datatype*>(&old)});
}

/// Made by MPI_Type_create_f90: as permanent as predefined ones (MPI-3.1, section 17.1.9).
bool is_by_precision(const Datatype& type) {
  return type.combiner == combiner_f90_real || type.combiner == combiner_f90_complex ||
         type.combiner == combiner_f90_integer;
}

}  // namespace

void type_contiguous(Number count, Datatype* oldtype, Datatype*& newtype) {
  check_type(oldtype);
  require(count >= 0, err_count);
  TypeBuilder builder;
  builder.add(*oldtype, 0, count);
  newtype = builder.finish(combiner_contiguous, {count}, {}, {oldtype});
}

void type_vector(Number count, Number blocklength, Number stride, Datatype* oldtype, Datatype*& newtype) {
  check_type(oldtype);
  TypeBuilder builder;
  newtype = vector_of(count, blocklength, stride * oldtype->extent(), *oldtype, builder, combiner_vector,
                      {count, blocklength, stride}, {});
}

void type_create_hvector(Number count, Number blocklength, Number stride, Datatype* oldtype, Datatype*& newtype) {
  check_type(oldtype);
  TypeBuilder builder;
  newtype =
      vector_of(count, blocklength, stride, *oldtype, builder, combiner_hvector, {count, blocklength}, {stride});
}

// What MPI-3 has removed has no form with large counts.

void type_hvector(int count, int blocklength, Number stride, Datatype* oldtype, Datatype*& newtype) {
  type_create_hvector(count, blocklength, stride, oldtype, newtype);
}

void type_indexed(Number count, Numbers blocklengths, Numbers displacements, Datatype* oldtype, Datatype*& newtype) {
  check_type(oldtype);
  const std::vector<Number> lengths = list(blocklengths, count);
  TypeBuilder builder;
  add_blocks(builder, *oldtype, lengths, displacements, oldtype->extent());
  newtype = builder.finish(combiner_indexed, joined(count, lengths, list(displacements, count)), {}, {oldtype});
}

void type_create_hindexed(Number count, Numbers blocklengths, Numbers displacements, Datatype* oldtype,
                          Datatype*& newtype) {
  check_type(oldtype);
  const std::vector<Number> lengths = list(blocklengths, count);
  TypeBuilder builder;
  add_blocks(builder, *oldtype, lengths, displacements, 1);
  newtype = builder.finish(combiner_hindexed, joined(count, lengths), list(displacements, count), {oldtype});
}

void type_hindexed(int count, const int* blocklengths, const Number* displacements, Datatype* oldtype,
                   Datatype*& newtype) {
  type_create_hindexed(count, blocklengths, displacements, oldtype, newtype);
}

void type_create_indexed_block(Number count, Number blocklength, Numbers displacements, Datatype* oldtype,
                               Datatype*& newtype) {
  check_type(oldtype);
  require(count >= 0, err_count);
  TypeBuilder builder;
  const std::vector<Number> lengths(static_cast<std::size_t>(count), blocklength);
  add_blocks(builder, *oldtype, lengths, displacements, oldtype->extent());
  std::vector<Number> integers = joined(count, {blocklength}, list(displacements, count));
  newtype = builder.finish(combiner_indexed_block, std::move(integers), {}, {oldtype});
}

void type_create_hindexed_block(Number count, Number blocklength, Numbers displacements, Datatype* oldtype,
                                Datatype*& newtype) {
  check_type(oldtype);
  require(count >= 0, err_count);
  TypeBuilder builder;
  const std::vector<Number> lengths(static_cast<std::size_t>(count), blocklength);
  add_blocks(builder, *oldtype, lengths, displacements, 1);
  newtype = builder.finish(combiner_hindexed_block, {count, blocklength}, list(displacements, count), {oldtype});
}

void type_create_struct(Number count, Numbers blocklengths, Numbers displacements, Datatype* const* types,
                        Datatype*& newtype) {
  const std::vector<Number> lengths = list(blocklengths, count);
  const std::vector<Datatype*> parts = list(types, count);
  TypeBuilder builder;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check_type(parts[i]);
    require(lengths[i] >= 0, err_arg);
    builder.add(*parts[i], displacements[i], lengths[i]);
  }
  newtype = builder.finish(combiner_struct, joined(count, lengths), list(displacements, count), parts);
}

void type_struct(int count, const int* blocklengths, const Number* displacements, Datatype* const* types,
                 Datatype*& newtype) {
  type_create_struct(count, blocklengths, displacements, types, newtype);
}

void type_create_resized(Datatype* oldtype, Number lb, Number extent, Datatype*& newtype) {
  check_type(oldtype);
  TypeBuilder builder;
  builder.add(*oldtype, 0, 1);
  builder.resize(lb, lb + extent);
  newtype = builder.finish(combiner_resized, {}, {lb, extent}, {oldtype});
}

void type_dup(Datatype* oldtype, Datatype*& newtype) {
  check_type(oldtype);
  TypeBuilder builder;
  builder.add(*oldtype, 0, 1);
  std::unique_ptr<Datatype> made(builder.finish(combiner_dup, {}, {}, {oldtype}));
  made->has_lower_marker = oldtype->has_lower_marker;
  made->has_upper_marker = oldtype->has_upper_marker;
  made->lower = oldtype->lower;
  made->upper = oldtype->upper;
  made->committed = oldtype->committed;
  copy_attributes(*oldtype, *made);
  newtype = made.release();
}

void type_commit(Datatype*& datatype) {
  check_type(datatype);
  datatype->committed = true;
}

void type_free(Datatype*& datatype) {
  require(datatype != nullptr && !datatype->is_predefined() && !is_by_precision(*datatype), err_type);
  if (datatype->handles <= 1) drop_attributes(*datatype, datatype->attributes);
  --datatype->handles;
  release(datatype);
}

// --- what they say
// --------------------------------------------------------------------------------------------------

void type_size_x(Datatype* datatype, long long* size) {
  check_type(datatype);
  *size = static_cast<long long>(datatype->bytes);
}

void type_size(Datatype* datatype, int* size) {
  check_type(datatype);
  *size = datatype->bytes > INT_MAX ? undefined : static_cast<int>(datatype->bytes);
}

void type_get_extent(Datatype* datatype, Number* lb, Number* extent) {
  check_type(datatype);
  *lb = datatype->lower;
  *extent = datatype->extent();
}

void type_get_extent_x(Datatype* datatype, long long* lb, long long* extent) {
  check_type(datatype);
  *lb = datatype->lower;
  *extent = datatype->extent();
}

void type_get_true_extent(Datatype* datatype, Number* lb, Number* extent) {
  check_type(datatype);
  *lb = datatype->lowest;
  *extent = datatype->true_extent();
}

void type_get_true_extent_x(Datatype* datatype, long long* lb, long long* extent) {
  check_type(datatype);
  *lb = datatype->lowest;
  *extent = datatype->true_extent();
}

void type_extent(Datatype* datatype, Number* extent) {
  check_type(datatype);
  *extent = datatype->extent();
}

void type_lb(Datatype* datatype, Number* displacement) {
  check_type(datatype);
  *displacement = datatype->lower;
}

void type_ub(Datatype* datatype, Number* displacement) {
  check_type(datatype);
  *displacement = datatype->upper;
}

namespace {

/// A number as an int: of a type with larger ones MPI_Type_get_contents_c tells alone.
int small(Number number) {
  require(std::in_range<int>(number), err_type);
  return static_cast<int>(number);
}

}  // namespace

void type_get_envelope(Datatype* datatype, int* integers, int* addresses, int* types, int* combiner) {
  check_type(datatype);
  *integers = static_cast<int>(datatype->integers.size());
  *addresses = static_cast<int>(datatype->addresses.size());
  *types = static_cast<int>(datatype->types.size());
  *combiner = datatype->combiner;
}

void type_get_contents(Datatype* datatype, int max_integers, int max_addresses, int max_types, int* integers,
                       Number* addresses, Datatype** types) {
  check_type(datatype);
  require(datatype->combiner != combiner_named, err_type);
  require(max_integers >= static_cast<int>(datatype->integers.size()) &&
              max_addresses >= static_cast<int>(datatype->addresses.size()) &&
              max_types >= static_cast<int>(datatype->types.size()),
          err_arg);
  std::ranges::transform(datatype->integers, integers, small);
  std::copy(datatype->addresses.begin(), datatype->addresses.end(), addresses);
  for (std::size_t i = 0; i < datatype->types.size(); ++i) {
    types[i] = datatype->types[i].get();
    types[i]->hand_out();
  }
}

void type_set_name(Datatype* datatype, const char* name) {
  check_type(datatype);
  datatype->name = name;
}

void type_get_name(Datatype* datatype, char* name, int* length) {
  require(datatype != nullptr, err_type);
  const std::string cut = datatype->name.substr(0, max_object_name - 1);
  std::memcpy(name, cut.c_str(), cut.size() + 1);
  *length = static_cast<int>(cut.size());
}

void type_get_value_index(Datatype* value, Datatype* index, Datatype*& pair) {
  struct Known {
    std::string_view value, index, pair;
  };
  static constexpr Known known[] = {{"MPI_FLOAT", "MPI_INT", "MPI_FLOAT_INT"},
                                    {"MPI_DOUBLE", "MPI_INT", "MPI_DOUBLE_INT"},
                                    {"MPI_LONG", "MPI_INT", "MPI_LONG_INT"},
                                    {"MPI_SHORT", "MPI_INT", "MPI_SHORT_INT"},
                                    {"MPI_INT", "MPI_INT", "MPI_2INT"},
                                    {"MPI_LONG_DOUBLE", "MPI_INT", "MPI_LONG_DOUBLE_INT"},
                                    {"MPI_REAL", "MPI_REAL", "MPI_2REAL"},
                                    {"MPI_DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION", "MPI_2DOUBLE_PRECISION"},
                                    {"MPI_INTEGER", "MPI_INTEGER", "MPI_2INTEGER"}};
  check_type(value);
  check_type(index);
  pair = &predefined_type(0);
  const auto is = [](const Datatype& type, std::string_view name) {
    return type.is_predefined() && predefined_types[number_in(type.word)].name == name;
  };
  for (const Known& one : known) {
    if (!is(*value, one.value) || !is(*index, one.index)) continue;
    const auto found = std::ranges::find(predefined_types, one.pair, &PredefinedType::name);
    pair = &predefined_type(static_cast<int>(found - std::begin(predefined_types)));
  }
}

void type_match_size(int typeclass, int size, Datatype*& datatype) {
  const auto number_of = [&]() -> int {
    if (typeclass == integer_class) {
      for (const int number : {8, 9, 10, 11, 12}) {
        if (predefined_type(number).bytes == static_cast<std::size_t>(size)) return number;
      }
    } else if (typeclass == real_class) {
      for (const int number : {14, 15, 16}) {
        if (predefined_type(number).bytes == static_cast<std::size_t>(size)) return number;
      }
    } else if (typeclass == complex_class) {
      for (const int number : {19, 20, 21}) {
        if (predefined_type(number).bytes == static_cast<std::size_t>(size)) return number;
      }
    }
    fail(err_arg);
  };
  datatype = &predefined_type(number_of());
}

namespace {

/// What MPI_Type_create_f90 makes of a predefined datatype: one for the same integers, however often it is asked for.
Datatype* by_precision(int number, Combiner combiner, const std::vector<Number>& integers) {
  static auto& all = *new std::map<std::pair<Combiner, std::vector<Number>>, Datatype*>;
  Datatype*& type = all[{combiner, integers}];
  if (type != nullptr) return type;
  TypeBuilder builder;
  builder.add(predefined_type(number), 0, 1);
  type = builder.finish(combiner, integers, {}, {});
  type->committed = true;
  return type;
}

/// A predefined type for each of Fortran's kinds of reals: single, double, the processor's extended one and
/// quadruple.
using Kinds = std::array<int, 4>;
constexpr Kinds reals{14, 15, 47, 16};
constexpr Kinds complexes{19, 20, 71, 21};

/// The first kind that is enough; undefined numbers ask for nothing.
int kind_of_real(const Kinds& kinds, int precision, int range) {
  const int digits = precision == undefined ? 0 : precision;
  const int decades = range == undefined ? 0 : range;
  constexpr int most_decades = std::numeric_limits<long double>::max_exponent10 - 1;
  if (digits <= 6 && decades <= 37) return kinds[0];
  if (digits <= 15 && decades <= 307) return kinds[1];
  if (digits <= std::numeric_limits<long double>::digits10 && decades <= most_decades) return kinds[2];
  require(digits <= 33 && decades <= 4931, err_arg);
  return kinds[3];
}

}  // namespace

void type_create_f90_integer(int range, Datatype*& newtype) {
  require(range <= 38, err_arg);
  const int number = range <= 2 ? 8 : range <= 4 ? 9 : range <= 9 ? 10 : range <= 18 ? 11 : 12;
  newtype = by_precision(number, combiner_f90_integer, {range});
}

void type_create_f90_real(int precision, int range, Datatype*& newtype) {
  newtype = by_precision(kind_of_real(reals, precision, range), combiner_f90_real, {precision, range});
}

void type_create_f90_complex(int precision, int range, Datatype*& newtype) {
  newtype = by_precision(kind_of_real(complexes, precision, range), combiner_f90_complex, {precision, range});
}

}  // namespace nasvm::mpi::api
