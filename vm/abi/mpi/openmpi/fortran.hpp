#pragma once
/// \file
/// Fortran's side of Open MPI's binary interface, as gfortran calls it: everything by reference, handles as integers,
/// texts with their lengths at the end, special addresses as variables of the program.

#include <cstddef>
#include <string>
#include <vector>

#include "vm/abi/mpi/face/handles.hpp"
#include "vm/abi/mpi/status.hpp"

namespace nasvm::mpi::face {

/// Longest text that a procedure returns.
inline constexpr std::size_t max_text = 1024;
/// Integers of a status.
inline constexpr std::size_t status_integers = 6;

/// MPI_BOTTOM and MPI_IN_PLACE are variables; their addresses stand for C's constants.
void* address_of(void* buffer);
int* weights_of(int* weights);
/// Without the blanks that fill it; those that it begins with are significant.
std::string text_of(const char* text, std::size_t length);
/// A key or value of an info object, of which those are not, either (MPI-3.1, chapter 9).
std::string info_text_of(const char* text, std::size_t length);
/// The other way.
void fill(char* text, std::size_t length, const std::string& with);

/// A status, or several, unless they are to be ignored. In memory of its own: Fortran's is aligned for integers
/// alone.
class Statuses {
 public:
  Statuses(int* fortran, int count);
  [[nodiscard]] MessageStatus* get() { return fortran_ == nullptr ? nullptr : statuses_.data(); }
  void give_back();

 private:
  int* fortran_;
  std::vector<MessageStatus> statuses_;
};
class OneStatus {
 public:
  OneStatus(int* fortran, int);
  [[nodiscard]] MessageStatus* get() { return fortran_ == nullptr ? nullptr : &status_; }
  void give_back();

 private:
  int* fortran_;
  MessageStatus status_;
};

/// An array of handles.
class Handles {
 public:
  /// `given`: they hold something before the call.
  Handles(Kind kind, int* fortran, int count, bool given);
  [[nodiscard]] void** get() { return handles_.data(); }
  void give_back();

 private:
  Kind kind_;
  int* fortran_;
  std::vector<void*> handles_;
};

}  // namespace nasvm::mpi::face
