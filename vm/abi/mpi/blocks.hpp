#pragma once
/// \file
/// Blocks of a program's buffer, one for each rank: in place where they lie one after the other, else copied.

#include <span>
#include <vector>

#include "vm/abi/mpi/datatype.hpp"
#include "vm/abi/mpi/numbers.hpp"

namespace nasvm::mpi {

class Blocks {
 public:
  /// Equal blocks of `count`, or by counts and displacements in elements.
  Blocks(void* buffer, std::ptrdiff_t count, const Datatype& type, int ranks);
  Blocks(void* buffer, const Numbers& counts, const Numbers& displs, const Datatype& type, int ranks);

  [[nodiscard]] const Datatype& type() const { return type_; }
  [[nodiscard]] const std::vector<std::size_t>& lengths() const { return lengths_; }
  [[nodiscard]] std::size_t length(int rank) const { return lengths_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }
  [[nodiscard]] std::span<std::byte> of(int rank) {
    return bytes_.subspan(offsets_[static_cast<std::size_t>(rank)], length(rank));
  }
  /// Takes the program's data, of one rank or of all.
  void load(int rank);
  void load();
  /// Gives it back.
  void store();
  [[nodiscard]] void* place(int rank) const {
    return static_cast<std::byte*>(buffer_) + places_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::ptrdiff_t count(int rank) const { return counts_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int ranks() const { return static_cast<int>(counts_.size()); }

 private:
  void sum_up();

  void* buffer_;
  const Datatype& type_;
  std::vector<std::ptrdiff_t> counts_;
  std::vector<std::ptrdiff_t> places_;
  std::vector<std::size_t> lengths_, offsets_;
  std::vector<std::byte> copy_;
  std::span<std::byte> bytes_;
  bool is_copy_ = false;
};

}  // namespace nasvm::mpi
