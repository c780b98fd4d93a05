#pragma once
/// \file
/// Classes and codes of errors, those of the program among them, and their texts (MPI-3.1, sections 8.4 and 8.5).
/// For any thread, at any time.

#include <string>

namespace nasvm::mpi {

/// "MPI_ERR_RANK: there is no such rank"
std::string error_text(int code);
/// Fails where there is no such code.
int error_class_of(int code);
int add_class();
int add_code(int error_class);
void set_error_text(int code, const std::string& text);
/// Fails unless the program has added it, and, of a class, unless it has no codes any more.
void remove_class(int error_class);
void remove_code(int code);
/// The greatest code there is.
int last_error_code();

}  // namespace nasvm::mpi
