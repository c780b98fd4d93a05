// MPI-3.1, sections 4.1.3 and 4.1.4: parts of arrays, and arrays that are spread over tasks.

#include <algorithm>
#include <memory>
#include <vector>

#include "mpi_api.hpp"
#include "vm/abi/mpi/datatype.hpp"
#include "vm/abi/mpi/failure.hpp"

namespace nasvm::mpi::api {
namespace {

using Number = Datatype::Number;

/// Indices along one dimension, as runs of neighbours.
struct Slice {
  Number first = 0;
  Number count = 0;
};
using Slices = std::vector<Slice>;

/// The type of those slices of an array, dimension by dimension from the fastest on. `order` has the dimensions in
/// that order.
Datatype* array_type(const Datatype& old, const std::vector<Number>& sizes, const std::vector<Slices>& slices,
                     const std::vector<std::size_t>& order, Combiner combiner, std::vector<Number> integers) {
  std::unique_ptr<Datatype> inner;
  Number stride = old.extent();
  for (const std::size_t dimension : order) {
    TypeBuilder builder;
    const Datatype& part = inner == nullptr ? old : *inner;
    for (const Slice& slice : slices[dimension]) {
      if (inner == nullptr) {
        builder.add(part, slice.first * stride, slice.count);
      } else {
        for (Number i = 0; i < slice.count; ++i) builder.add(part, (slice.first + i) * stride, 1);
      }
    }
    stride *= sizes[dimension];
    builder.resize(0, stride);
    inner.reset(builder.finish(combiner, {}, {}, {}));
  }
  inner->integers = std::move(integers);
  inner->types = {Ref<Datatype>(const_cast<Datatype*>(&old))};
  return inner.release();
}

/// Dimensions from the one whose elements are neighbours on.
std::vector<std::size_t> fastest_first(int dimensions, int order) {
  std::vector<std::size_t> numbers(static_cast<std::size_t>(dimensions));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  if (order == order_c) std::ranges::reverse(numbers);
  return numbers;
}

std::vector<Number> list(const Numbers& values, int count) {
  std::vector<Number> all;
  for (int i = 0; i < count; ++i) all.push_back(values[i]);
  return all;
}

void append(std::vector<Number>& integers, const Numbers& values, int count) {
  const std::vector<Number> more = list(values, count);
  integers.insert(integers.end(), more.begin(), more.end());
}

/// Which indices of a dimension of `size` a task has that is number `coordinate` of `tasks`.
Slices slices_of(Number size, int distribution, int argument, int tasks, int coordinate) {
  if (distribution == distribute_none) return {{0, size}};
  if (distribution == distribute_block) {
    const Number block = argument == default_distribution_argument ? (size + tasks - 1) / tasks : argument;
    require(block > 0 && block * tasks >= size, err_arg);
    const Number first = std::min(block * coordinate, size);
    return {{first, std::min(block, size - first)}};
  }
  require(distribution == distribute_cyclic, err_arg);
  const Number block = argument == default_distribution_argument ? 1 : argument;
  require(block > 0, err_arg);
  Slices slices;
  for (Number first = block * coordinate; first < size; first += block * tasks) {
    slices.push_back({first, std::min(block, size - first)});
  }
  return slices;
}

}  // namespace

void type_create_subarray(int ndims, Numbers sizes, Numbers subsizes, Numbers starts, int order, Datatype* oldtype,
                          Datatype*& newtype) {
  check_type(oldtype);
  require(ndims > 0 && (order == order_c || order == order_fortran), err_arg);
  std::vector<Slices> slices;
  for (int i = 0; i < ndims; ++i) {
    require(subsizes[i] > 0 && starts[i] >= 0 && starts[i] + subsizes[i] <= sizes[i], err_arg);
    slices.push_back({{starts[i], subsizes[i]}});
  }
  std::vector<Number> integers{ndims};
  append(integers, sizes, ndims);
  append(integers, subsizes, ndims);
  append(integers, starts, ndims);
  integers.push_back(order);
  newtype = array_type(*oldtype, list(sizes, ndims), slices, fastest_first(ndims, order), combiner_subarray,
                       std::move(integers));
}

void type_create_darray(int size, int rank, int ndims, Numbers gsizes, const int* distribs, const int* dargs,
                        const int* psizes, int order, Datatype* oldtype, Datatype*& newtype) {
  check_type(oldtype);
  require(ndims > 0 && rank >= 0 && rank < size && (order == order_c || order == order_fortran), err_arg);
  // Tasks are numbered with the last dimension running fastest, whatever the order of the array.
  std::vector<int> coordinates(static_cast<std::size_t>(ndims));
  int rest = rank;
  for (int i = ndims - 1; i >= 0; --i) {
    require(psizes[i] > 0, err_arg);
    coordinates[static_cast<std::size_t>(i)] = rest % psizes[i];
    rest /= psizes[i];
  }
  std::vector<Slices> slices;
  for (int i = 0; i < ndims; ++i) {
    slices.push_back(
        slices_of(gsizes[i], distribs[i], dargs[i], psizes[i], coordinates[static_cast<std::size_t>(i)]));
  }
  std::vector<Number> integers{size, rank, ndims};
  for (const Numbers& values : {gsizes, Numbers(distribs), Numbers(dargs), Numbers(psizes)})
    append(integers, values, ndims);
  integers.push_back(order);
  newtype = array_type(*oldtype, list(gsizes, ndims), slices, fastest_first(ndims, order), combiner_darray,
                       std::move(integers));
}

}  // namespace nasvm::mpi::api
