// Functions of the standard's binary interface that Open MPI's does not have (MPI-5.0, chapters 3.2.5, 4.1.5, 4.1.13
// and 20.2.2), and that do not follow the pattern of the others.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mpi_api.hpp"
#include "vm/abi/mpi/call.hpp"
#include "vm/abi/mpi/face/handles.hpp"
#include "vm/abi/mpi/standard/large.hpp"

using namespace nasvm::mpi;
using namespace nasvm::mpi::face;

#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC visibility push(default)

extern "C" {

int PMPI_Abi_get_version(int* major, int* minor) {
  *major = 1;
  *minor = 0;
  return success;
}

std::ptrdiff_t PMPI_Aint_add(std::ptrdiff_t base, std::ptrdiff_t displacement) { return base + displacement; }
std::ptrdiff_t PMPI_Aint_diff(std::ptrdiff_t one, std::ptrdiff_t other) { return one - other; }

int PMPI_Status_get_source(const MessageStatus* status, int* source) {
  *source = status->source;
  return success;
}
int PMPI_Status_get_tag(const MessageStatus* status, int* tag) {
  *tag = status->tag;
  return success;
}
int PMPI_Status_get_error(const MessageStatus* status, int* error) {
  *error = status->error;
  return success;
}
int PMPI_Status_set_source(MessageStatus* status, int source) {
  status->source = source;
  return success;
}
int PMPI_Status_set_tag(MessageStatus* status, int tag) {
  status->tag = tag;
  return success;
}
int PMPI_Status_set_error(MessageStatus* status, int error) {
  status->error = error;
  return success;
}

// NOLINTNEXTLINE(readability-identifier-naming): the standard's name
int PMPI_Get_count_c(const MessageStatus* status, void* datatype, long long* count) {
  return call<Timed::no>(Function::Get_count, nullptr, [&] {
    const Datatype* type = object<Datatype, Kind::type>(datatype);
    check_type(type);
    *count = whole_count(*type, status->bytes);
  });
}

}  // extern "C"

namespace {

/// What a type was made of, as the functions with large counts tell it (MPI-5.0, section 4.1.13): of a type that one
/// of them has made all is a large count, but what is no count.
struct Contents {
  explicit Contents(const Datatype& type) {
    if (!type.has_large_counts) {
      integers = type.integers;
      addresses = type.addresses;
      return;
    }
    const bool is_array = type.combiner == combiner_subarray || type.combiner == combiner_darray;
    if (!is_array) {
      counts = type.integers;
      counts.insert(counts.end(), type.addresses.begin(), type.addresses.end());
      return;
    }
    // Of subarrays: dimensions, three lists of counts, order. Of darrays: two numbers and the dimensions, a list of
    // counts, three other lists, order.
    const std::size_t first = type.combiner == combiner_subarray ? 1 : 3;
    const auto dimensions = static_cast<std::size_t>(type.integers[first - 1]);
    const std::size_t last = first + (type.combiner == combiner_subarray ? 3 : 1) * dimensions;
    for (std::size_t i = 0; i < type.integers.size(); ++i) {
      (i >= first && i < last ? counts : integers).push_back(type.integers[i]);
    }
  }
  std::vector<Datatype::Number> integers, addresses, counts;
};

long long size_of(const std::vector<Datatype::Number>& numbers) { return static_cast<long long>(numbers.size()); }

}  // namespace

extern "C" {

int PMPI_Type_get_envelope_c(void* datatype, long long* integers, long long* addresses, long long* large_counts,
                             long long* types, int* combiner) {
  return call<Timed::no>(Function::Type_get_envelope, nullptr, [&] {
    const Datatype* type = object<Datatype, Kind::type>(datatype);
    check_type(type);
    const Contents contents(*type);
    *integers = size_of(contents.integers);
    *addresses = size_of(contents.addresses);
    *large_counts = size_of(contents.counts);
    *types = static_cast<long long>(type->types.size());
    *combiner = type->combiner;
  });
}

int PMPI_Type_get_contents_c(void* datatype, long long max_integers, long long max_addresses,
                             long long max_large_counts, long long max_types, int* integers,
                             std::ptrdiff_t* addresses, long long* large_counts, void** types) {
  return call<Timed::no>(Function::Type_get_contents, nullptr, [&] {
    const Datatype* type = object<Datatype, Kind::type>(datatype);
    check_type(type);
    require(type->combiner != combiner_named, err_type);
    const Contents contents(*type);
    require(max_integers >= size_of(contents.integers) && max_addresses >= size_of(contents.addresses) &&
                max_large_counts >= size_of(contents.counts) &&
                max_types >= static_cast<long long>(type->types.size()),
            err_arg);
    std::ranges::transform(contents.integers, integers, narrow<int>);
    std::ranges::copy(contents.addresses, addresses);
    std::ranges::copy(contents.counts, large_counts);
    for (std::size_t i = 0; i < type->types.size(); ++i) {
      Datatype* const part = type->types[i].get();
      part->hand_out();
      types[i] = handle(Kind::type, part);
    }
  });
}

int PMPI_Abi_get_info(void** info) {
  return call_at_any_time(Function::Info_create, [&] {
    Set<Info, Kind::info> made(info);
    auto* sizes = new Info;
    for (const auto& [key, bytes] : {std::pair<const char*, std::size_t>{"mpi_aint_size", sizeof(std::ptrdiff_t)},
                                     {"mpi_count_size", sizeof(long long)},
                                     {"mpi_offset_size", sizeof(long long)}}) {
      sizes->entries.emplace_back(key, std::to_string(bytes));
    }
    static_cast<Info*&>(made) = sizes;
  });
}

}  // extern "C"

#pragma GCC visibility pop

#include "standard_more_names.hpp"
