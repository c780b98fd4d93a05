// Functions of the standard's binary interface that Open MPI's does not have (MPI-5.0, chapters 3.2.5, 4.1.5, 4.1.13
// and 20.2.2), and that do not follow the pattern of the others.

#include <cstddef>

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

int PMPI_Type_get_envelope_c(void* datatype, long long* integers, long long* addresses, long long* large_counts,
                             long long* types, int* combiner) {
  return call<Timed::no>(Function::Type_get_envelope, nullptr, [&] {
    *large_counts = 0;
    api::type_get_envelope(object<Datatype, Kind::type>(datatype), Widened<int, long long>(integers),
                           Widened<int, long long>(addresses), Widened<int, long long>(types), combiner);
  });
}

/// Types that have been made with large counts say what they are made of in integers and addresses, too.
int PMPI_Type_get_contents_c(void* datatype, long long max_integers, long long max_addresses, long long,
                             long long max_types, int* integers, std::ptrdiff_t* addresses, long long*,
                             void** types) {
  return call<Timed::no>(Function::Type_get_contents, nullptr, [&] {
    api::type_get_contents(object<Datatype, Kind::type>(datatype), narrow<int>(max_integers),
                           narrow<int>(max_addresses), narrow<int>(max_types), integers, addresses,
                           SetAll<Datatype, Kind::type>(types, narrow<int>(max_types)));
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
