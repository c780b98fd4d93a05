#pragma once
/// \file
/// Handles of a face, which are addresses or small numbers that look like some, and the core's objects.

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "face_words.hpp"
#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/object.hpp"
#include "vm/abi/mpi/operation.hpp"
#include "vm/abi/mpi/request.hpp"

namespace nasvm::mpi::face {

/// The core's predefined objects, by kind and number; nullptr for null handles.
inline constexpr std::size_t most_predefined = 80;
extern std::array<std::array<Object*, most_predefined>, kinds> predefined_objects;
/// Again where some have come (communicators come with MPI_Init).
void fill_predefined_objects();

/// The object behind a handle; nullptr for a null handle, and for what is none of that kind.
template <typename T, Kind kind>
T* object(void* handle) {
  if (handle == nullptr) return nullptr;
  const Word word = word_behind(handle);
  if (!is_of(word, kind)) return nullptr;
  const int number = number_in(word);
  if (number < 0) return static_cast<T*>(static_cast<Object*>(handle));
  return static_cast<T*>(predefined_objects[static_cast<std::size_t>(kind)][static_cast<std::size_t>(number)]);
}

/// The handle of an object; the null handle for none.
void* handle(Kind kind, Object* object);

/// Numbers in Fortran.
int fortran_of(Kind kind, void* handle);
void* handle_of(Kind kind, int number);

int ranks_of(void* comm);
int indegree_of(void* comm);
int outdegree_of(void* comm);

// Where arguments are significant. Elsewhere their handles may be anything, and nothing is behind them.

/// Is this task the root? Between groups the one that says MPI_ROOT is.
bool is_root_of(void* comm, int root);
/// Does it send to the root, or get from it? Between groups those of the other group do.
bool exchanges_with(void* comm, int root);
/// Has it that rank in the group?
bool is_leader_of(void* group, int leader);

/// A handle that the call sets.
template <typename T, Kind kind>
class Set {
 public:
  explicit Set(void** where) : where_(where) {}
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;
  ~Set() { *where_ = handle(kind, object_); }
  operator T*&() { return object_; }

 private:
  void** where_;
  T* object_ = nullptr;
};

/// A handle that the call may change.
template <typename T, Kind kind>
class Change {
 public:
  explicit Change(void** where) : where_(where), before_(object<T, kind>(*where)), object_(before_) {}
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;
  ~Change() {
    if (object_ != before_) *where_ = handle(kind, object_);
  }
  operator T*&() { return object_; }

 private:
  void** where_;
  T* before_;
  T* object_;
};

/// Arrays of handles: short ones are on the stack.
template <typename T, Kind kind>
class All {
 public:
  All(void* const* handles, int count) {
    if (handles == nullptr || count <= 0) return;
    if (count > static_cast<int>(near_.size())) far_.resize(static_cast<std::size_t>(count));
    data_ = far_.empty() ? near_.data() : far_.data();
    for (int i = 0; i < count; ++i) data_[i] = object<T, kind>(handles[i]);
  }
  All(const All&) = delete;
  All& operator=(const All&) = delete;
  operator T* const*() const { return data_; }

 protected:
  T** data_ = nullptr;

 private:
  std::array<T*, 32> near_;
  std::vector<T*> far_;
};

template <typename T, Kind kind>
class ChangeAll : public All<T, kind> {
 public:
  ChangeAll(void** handles, int count) : All<T, kind>(handles, count), handles_(handles), count_(count) {}
  ~ChangeAll() {
    if (this->data_ == nullptr) return;
    void* const none = handle(kind, nullptr);
    for (int i = 0; i < count_; ++i) {
      if (this->data_[i] == nullptr) handles_[i] = none;
    }
  }
  operator T**() { return this->data_; }

 private:
  void** handles_;
  int count_;
};

template <typename T, Kind kind>
class SetAll {
 public:
  SetAll(void** handles, int count)
      : handles_(handles), objects_(static_cast<std::size_t>(std::max(count, 0)), nullptr) {}
  SetAll(const SetAll&) = delete;
  SetAll& operator=(const SetAll&) = delete;
  ~SetAll() {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (objects_[i] != nullptr) handles_[i] = handle(kind, objects_[i]);
    }
  }
  operator T**() { return objects_.data(); }

 private:
  void** handles_;
  std::vector<T*> objects_;
};

}  // namespace nasvm::mpi::face
