#include "vm/abi/mpi/errors.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>
#include <vector>

#include "vm/abi/mpi/constants.hpp"
#include "vm/abi/mpi/failure.hpp"

namespace nasvm::mpi {
namespace {

struct Text {
  int code;
  std::string_view text;
};
constexpr std::array texts{
    Text{success, "MPI_SUCCESS: no error"},
    Text{err_buffer, "MPI_ERR_BUFFER: invalid buffer"},
    Text{err_count, "MPI_ERR_COUNT: invalid count"},
    Text{err_type, "MPI_ERR_TYPE: invalid datatype, or one that has not been committed"},
    Text{err_tag, "MPI_ERR_TAG: invalid tag"},
    Text{err_comm, "MPI_ERR_COMM: invalid communicator, or one that this call is not for"},
    Text{err_rank, "MPI_ERR_RANK: there is no such rank"},
    Text{err_request, "MPI_ERR_REQUEST: invalid request"},
    Text{err_root, "MPI_ERR_ROOT: invalid root"},
    Text{err_group, "MPI_ERR_GROUP: invalid group"},
    Text{err_op, "MPI_ERR_OP: invalid operation, or one that is not defined for the datatype"},
    Text{err_topology, "MPI_ERR_TOPOLOGY: the communicator has no such topology"},
    Text{err_dims, "MPI_ERR_DIMS: invalid dimensions"},
    Text{err_arg, "MPI_ERR_ARG: invalid argument"},
    Text{err_unknown, "MPI_ERR_UNKNOWN: unknown error"},
    Text{err_truncate, "MPI_ERR_TRUNCATE: a message is longer than its buffer"},
    Text{err_other, "MPI_ERR_OTHER: error"},
    Text{err_intern, "MPI_ERR_INTERN: error of the library's own"},
    Text{err_in_status, "MPI_ERR_IN_STATUS: the statuses say what is wrong"},
    Text{err_pending, "MPI_ERR_PENDING: the request is pending"},
    Text{err_info_key, "MPI_ERR_INFO_KEY: invalid key"},
    Text{err_info_no_key, "MPI_ERR_INFO_NOKEY: there is no such key"},
    Text{err_info_value, "MPI_ERR_INFO_VALUE: invalid value"},
    Text{err_info, "MPI_ERR_INFO: invalid info object"},
    Text{err_keyval, "MPI_ERR_KEYVAL: invalid keyval"},
    Text{err_no_mem, "MPI_ERR_NO_MEM: out of memory"},
    Text{err_session, "MPI_ERR_SESSION: invalid session"},
};

constexpr int removed = -1;

/// What the program has added, from err_last_code + 1 on.
struct Added {
  int error_class;  ///< removed: it is none any more
  std::string text;
};
std::vector<Added>& added() {
  static auto& list = *new std::vector<Added>;
  return list;
}

/// Of the list, which any thread may use at any time (MPI-4.1, section 11.4.1): it needs no turn.
constinit std::mutex mutex;
using Lock = std::lock_guard<std::mutex>;

// Called with the lock held.

int last_code() { return err_last_code + static_cast<int>(added().size()); }

Added& added_code(int code) {
  const int index = code - err_last_code - 1;
  require(index >= 0 && index < static_cast<int>(added().size()), err_arg);
  Added& found = added()[static_cast<std::size_t>(index)];
  require(found.error_class != removed, err_arg);
  return found;
}

int class_of(int code) {
  if (code >= 0 && code <= err_last_code) return code;
  return added_code(code).error_class;
}

int add(int error_class) {
  added().push_back({error_class, ""});
  return last_code();
}

void remove(Added& one) {
  one = {removed, ""};
  while (!added().empty() && added().back().error_class == removed) added().pop_back();
}

}  // namespace

int last_error_code() {
  const Lock lock(mutex);
  return last_code();
}

std::string error_text(int code) {
  for (const Text& known : texts) {
    if (known.code == code) return std::string(known.text);
  }
  if (code > 0 && code <= err_last_code) return "MPI error of class " + std::to_string(code);
  const Lock lock(mutex);
  return added_code(code).text;
}

int error_class_of(int code) {
  const Lock lock(mutex);
  return class_of(code);
}

int add_class() {
  const Lock lock(mutex);
  return add(last_code() + 1);
}

int add_code(int error_class) {
  const Lock lock(mutex);
  (void)class_of(error_class);
  return add(error_class);
}

void remove_class(int error_class) {
  const Lock lock(mutex);
  Added& found = added_code(error_class);
  const auto codes = std::ranges::count(added(), error_class, &Added::error_class);
  require(found.error_class == error_class && codes == 1, err_arg);
  remove(found);
}

void remove_code(int code) {
  const Lock lock(mutex);
  Added& found = added_code(code);
  require(found.error_class != code, err_arg);
  remove(found);
}

void set_error_text(int code, const std::string& text) {
  const Lock lock(mutex);
  added_code(code).text = text;
}

}  // namespace nasvm::mpi
