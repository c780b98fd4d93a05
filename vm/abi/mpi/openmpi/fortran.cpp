#include "vm/abi/mpi/openmpi/fortran.hpp"

#include <algorithm>
#include <cstring>

#include "vm/abi/mpi/constants.hpp"

#pragma GCC visibility push(default)
extern "C" {
// Programs have them as common blocks of their own: these are for those that have none.
int mpi_fortran_bottom_ = 0;
int mpi_fortran_in_place_ = 0;
char mpi_fortran_argv_null_ = 0;
char mpi_fortran_argvs_null_ = 0;
int mpi_fortran_errcodes_ignore_ = 0;
int mpi_fortran_status_ignore_[2] = {};
int mpi_fortran_statuses_ignore_[2] = {};
int mpi_fortran_unweighted_ = 0;
int mpi_fortran_weights_empty_ = 0;
}
#pragma GCC visibility pop

namespace nasvm::mpi::face {
namespace {

bool is_ignored(const int* status) {
  return status == mpi_fortran_status_ignore_ || status == mpi_fortran_statuses_ignore_;
}

}  // namespace

void* address_of(void* buffer) {
  if (buffer == &mpi_fortran_in_place_) return const_cast<void*>(in_place);
  if (buffer == &mpi_fortran_bottom_) return nullptr;
  return buffer;
}

int* weights_of(int* weights) {
  if (weights == &mpi_fortran_unweighted_) return unweighted;
  if (weights == &mpi_fortran_weights_empty_) return weights_empty;
  return weights;
}

std::string text_of(const char* text, std::size_t length) {
  while (length > 0 && text[length - 1] == ' ') --length;
  return {text, length};
}

std::string info_text_of(const char* text, std::size_t length) {
  std::size_t first = 0;
  while (first < length && text[first] == ' ') ++first;
  return text_of(text + first, length - first);
}

void fill(char* text, std::size_t length, const std::string& with) {
  const std::size_t used = std::min(length, with.size());
  std::memcpy(text, with.data(), used);
  std::memset(text + used, ' ', length - used);
}

Statuses::Statuses(int* fortran, int count)
    : fortran_(is_ignored(fortran) || count <= 0 ? nullptr : fortran),
      statuses_(static_cast<std::size_t>(std::max(count, 0))) {
  if (fortran_ != nullptr)
    std::memcpy(static_cast<void*>(statuses_.data()), fortran_, statuses_.size() * sizeof(MessageStatus));
}

void Statuses::give_back() {
  if (fortran_ != nullptr) std::memcpy(fortran_, statuses_.data(), statuses_.size() * sizeof(MessageStatus));
}

static_assert(sizeof(MessageStatus) == status_integers * sizeof(int));

OneStatus::OneStatus(int* fortran, int) : fortran_(is_ignored(fortran) ? nullptr : fortran) {
  if (fortran_ != nullptr) std::memcpy(static_cast<void*>(&status_), fortran_, sizeof status_);
}

void OneStatus::give_back() {
  if (fortran_ != nullptr) std::memcpy(fortran_, &status_, sizeof status_);
}

Handles::Handles(Kind kind, int* fortran, int count, bool given)
    : kind_(kind), fortran_(fortran), handles_(static_cast<std::size_t>(std::max(count, 0))) {
  for (std::size_t i = 0; given && i < handles_.size(); ++i) handles_[i] = handle_of(kind, fortran[i]);
}

void Handles::give_back() {
  for (std::size_t i = 0; i < handles_.size(); ++i) {
    if (handles_[i] != nullptr) fortran_[i] = fortran_of(kind_, handles_[i]);
  }
}

}  // namespace nasvm::mpi::face
