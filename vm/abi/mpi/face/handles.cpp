#include "vm/abi/mpi/face/handles.hpp"

#include <mutex>

#include "vm/abi/mpi/face/predefined_handles.hpp"
#include "vm/abi/mpi/predefined.hpp"
#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/topology.hpp"
#include "vm/abi/mpi/turns.hpp"

namespace nasvm::mpi::face {

std::array<std::array<Object*, most_predefined>, kinds> predefined_objects{};

void fill_predefined_objects() {
  for (int kind = 1; kind < kinds; ++kind) {
    const std::size_t count = predefined_handles(static_cast<Kind>(kind)).handles.size();
    for (std::size_t number = 0; number < count; ++number) {
      predefined_objects[static_cast<std::size_t>(kind)][number] =
          predefined(static_cast<Kind>(kind), static_cast<int>(number));
    }
  }
}

namespace {
/// Those of info objects and error handlers may be used before MPI_Init.
[[maybe_unused]] const bool are_filled = (fill_predefined_objects(), true);
}  // namespace

void* handle(Kind kind, Object* object) {
  if (object != nullptr && !object->is_predefined()) return object;
  const int number = object == nullptr ? 0 : number_in(object->word);
  return predefined_handles(kind).handles[static_cast<std::size_t>(number)];
}

// --- Fortran
// --------------------------------------------------------------------------------------------------------

namespace {

/// Objects of the program's have numbers from here on.
constexpr int first_number = 4096;

/// Handles of a kind by their number, less that.
std::vector<void*>& numbered(Kind kind) {
  static auto& tables = *new std::array<std::vector<void*>, kinds>;
  return tables[static_cast<std::size_t>(kind)];
}

/// Numbers whose objects are gone.
std::vector<int>& free_numbers(Kind kind) {
  static auto& tables = *new std::array<std::vector<int>, kinds>;
  return tables[static_cast<std::size_t>(kind)];
}

constinit std::mutex always_there;

/// Of those tables: any thread may have info objects and error handlers at any time (MPI-4.1, section 11.4.1). For
/// all others threads take turns.
std::unique_lock<std::mutex> locked(Kind kind) {
  std::unique_lock lock(always_there, std::defer_lock);
  if (kind == Kind::info || kind == Kind::errhandler) lock.lock();
  return lock;
}

}  // namespace

int fortran_of(Kind kind, void* handle) {
  const Turn turn;
  if (handle == nullptr) return predefined_handles(kind).fortran.front();
  const Word word = word_behind(handle);
  if (!is_of(word, kind)) return -1;
  if (number_in(word) >= 0) return predefined_handles(kind).fortran[static_cast<std::size_t>(number_in(word))];
  auto& object = *static_cast<Object*>(handle);
  const auto lock = locked(kind);
  if (object.fortran >= 0) return object.fortran;
  std::vector<int>& free = free_numbers(kind);
  std::vector<void*>& table = numbered(kind);
  if (free.empty()) {
    table.push_back(nullptr);
    free.push_back(static_cast<int>(table.size()) - 1);
  }
  const int index = free.back();
  free.pop_back();
  table[static_cast<std::size_t>(index)] = handle;
  object.fortran = first_number + index;
  return object.fortran;
}

void* handle_of(Kind kind, int number) {
  const Turn turn;
  if (number >= first_number) {
    const auto lock = locked(kind);
    const std::vector<void*>& table = numbered(kind);
    const auto index = static_cast<std::size_t>(number - first_number);
    return index < table.size() ? table[index] : nullptr;
  }
  const PredefinedHandles known = predefined_handles(kind);
  for (std::size_t i = 0; i < known.fortran.size(); ++i) {
    if (known.fortran[i] == number) return known.handles[i];
  }
  return nullptr;
}

}  // namespace nasvm::mpi::face

namespace nasvm::mpi {

void forget_fortran(const Object& object) {
  using namespace face;
  const auto kind = static_cast<Kind>(object.word >> 8 & 0xff);
  const int index = object.fortran - first_number;
  const auto lock = locked(kind);
  if (index < 0 || static_cast<std::size_t>(index) >= numbered(kind).size()) return;
  numbered(kind)[static_cast<std::size_t>(index)] = nullptr;
  free_numbers(kind).push_back(index);
}

}  // namespace nasvm::mpi

namespace nasvm::mpi::face {

int ranks_of(void* comm) {
  const Communicator* found = object<Communicator, Kind::comm>(comm);
  return found == nullptr ? 0 : found->peers();
}

int indegree_of(void* comm) {
  const Communicator* found = object<Communicator, Kind::comm>(comm);
  return found == nullptr || !found->topology ? 0 : static_cast<int>(neighbours_of(*found).sources.size());
}

int outdegree_of(void* comm) {
  const Communicator* found = object<Communicator, Kind::comm>(comm);
  return found == nullptr || !found->topology ? 0 : static_cast<int>(neighbours_of(*found).destinations.size());
}

bool is_root_of(void* comm, int root) {
  const Communicator* found = object<Communicator, Kind::comm>(comm);
  return found != nullptr && root == (found->is_inter() ? root_here : found->rank());
}

bool exchanges_with(void* comm, int root) {
  const Communicator* found = object<Communicator, Kind::comm>(comm);
  return found != nullptr && (!found->is_inter() || root >= 0);
}

bool is_leader_of(void* group, int leader) {
  const Group* found = object<Group, Kind::group>(group);
  return found != nullptr && found->rank_of(process().world().rank()) == leader;
}

}  // namespace nasvm::mpi::face
