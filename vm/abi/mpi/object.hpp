#pragma once
/// \file
/// What all objects of MPI have in common: a leading word that says what a handle points to, and a count of those who
/// use it.
///
/// A handle of a face is an address. Behind it lies either one of these objects, or the face's stand-in for a
/// predefined one, of which binaries may hold a copy at another address (COPY relocations): its content, the word, is
/// what identifies it.

#include <cstdint>
#include <utility>

namespace nasvm::mpi {

enum class Kind : std::uint8_t {
  none,
  comm,
  group,
  type,
  op,
  request,
  message,
  info,
  errhandler,
  win,
  file,
  session
};
inline constexpr int kinds = 12;

using Word = std::uint64_t;
inline constexpr Word word_mark = 0x6e61'7376'4d50'0000;  ///< no address, and no small number
inline constexpr Word mark_bits = 0xffff'ffff'ffff'0000;

/// `number`: of a predefined object among those of its kind; -1: one that the program has made.
constexpr Word word_of(Kind kind, int number = -1) {
  return word_mark | static_cast<Word>(kind) << 8 | static_cast<Word>(number + 1);
}
constexpr bool is_of(Word word, Kind kind) { return (word & ~Word{0xff}) == word_of(kind); }
constexpr int number_in(Word word) { return static_cast<int>(word & 0xff) - 1; }

struct Object;
/// The object goes, and with it its number in Fortran. Faces define it.
void forget_fortran(const Object& object);

struct Object {
  explicit Object(Kind kind, int number = -1) : word(word_of(kind, number)) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  /// A handle that the program still has is none any more.
  ~Object() {
    if (fortran >= 0) forget_fortran(*this);
    word = 0;
  }

  [[nodiscard]] bool is_predefined() const { return number_in(word) >= 0; }
  [[nodiscard]] Kind kind() const { return static_cast<Kind>(word >> 8 & 0xff); }

  Word word;         ///< first: see above
  int users = 1;     ///< the program's handle, and what else needs the object
  int fortran = -1;  ///< its number in Fortran; -1: none yet
};

/// Shares an object: it goes with its last user. Predefined ones stay.
template <typename T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr) ++object_->users;
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { drop(object_); }

  [[nodiscard]] T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

  /// One user less.
  static void drop(T* object) {
    if (object != nullptr && --object->users == 0 && !object->is_predefined()) delete object;
  }

 private:
  T* object_ = nullptr;
};

/// The program gives its handle up.
template <typename T>
void release(T*& object) {
  Ref<T>::drop(std::exchange(object, nullptr));
}

}  // namespace nasvm::mpi
