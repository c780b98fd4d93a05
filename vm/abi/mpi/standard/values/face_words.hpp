#pragma once
/// \file
/// Handles of the standard's binary interface: of predefined objects small numbers, of others addresses.
///
/// Source: Message Passing Interface Forum, MPI: A Message-Passing Interface Standard, Version 5.0, chapter 20.

#include <array>
#include <cstdint>

#include "vm/abi/mpi/object.hpp"

namespace nasvm::mpi::face {

/// Handles of predefined objects have ten bits.
inline constexpr std::uintptr_t predefined_values = 1024;
/// The word of each; 0: it stands for nothing.
extern const std::array<Word, predefined_values> predefined_words;

/// The word of what a handle stands for; no null pointer.
inline Word word_behind(const void* handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value < predefined_values ? predefined_words[value] : *static_cast<const Word*>(handle);
}

}  // namespace nasvm::mpi::face
