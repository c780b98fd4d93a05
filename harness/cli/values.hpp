#pragma once
/// \file
/// Texts of the command line made into values. What is not acceptable is a UsageError that says what would be.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/formats.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

inline constexpr int max_tasks = 4096;

/// "ep, mg, cg, ft, is", from the table of kernels.
std::string kernel_names();

/// "S, W, A, ...": the classes that any kernel has.
std::string class_names();

/// "mpi, pvm (not available: nasvm info)": the message systems, and which of them this program cannot run over.
std::string message_system_names();

/// The parts of a text between separators; one more than there are separators.
std::vector<std::string> split(const std::string& text, char separator);

/// Files to write, "" for none: the same one twice is a UsageError.
void check_different(const std::vector<std::string>& exports);

/// Throws UsageError when none of `known` has that name.
void check_format(std::string_view name, std::span<const Format> known);

/// Who can start daemons, as far as the command line knows.
std::span<const std::string_view> launcher_names();

/// Throws UsageError when that launcher is not known, or not built.
void check_launcher(const std::string& name);

/// A whole number from `least` to `most`.
int parse_count(std::string_view option, const std::string& text, int least, int most);

/// A number above `least` and up to `most`.
double parse_real(std::string_view option, const std::string& text, double least, double most);

/// The kernels of names such as "ft", "ft,mg", "all"; each once, in the order given.
std::vector<const Kernel*> parse_kernels(const std::vector<std::string>& names);

/// The letter of a class that all these kernels have; small letters will do.
char parse_class(const std::string& text, const std::vector<const Kernel*>& chosen);

/// The transports of a list such as "daemon,shm+direct,auto".
std::vector<std::string> parse_transports(const std::string& list);

}  // namespace nasvm
