#pragma once
/// \file
/// Texts of the command line made into values. What is not acceptable is a UsageError that says what would be.

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

inline constexpr int max_tasks = 4096;
inline constexpr int max_repeats = 10'000;
inline constexpr double max_timeout_s = 1e7;

/// "ep, mg, cg, ft, is", from the table of kernels.
std::string kernel_names();

/// "S, W, A, ...": the classes that any kernel has.
std::string class_names();

/// "mpi, pvm (not available: nasvm info)": the message systems, and which of them this program cannot run over.
std::string message_system_names();

/// The parts of a text between separators; one more than there are separators.
std::vector<std::string> split(const std::string& text, char separator);

/// Throws UsageError where it does not exist any more.
std::string working_folder();

/// The path from the root on. Of one that begins at the working folder throws as that.
std::string whole_path(const std::string& path);

/// Files to write, "" for none: the same one twice is a UsageError.
void check_different(const std::vector<std::string>& exports);

/// Throws UsageError: one of the values of the option's `list` is given twice; `aim` is what --runs is for.
[[noreturn]] void fail_for_repeats(std::string_view option, std::string_view list, std::string_view aim);

template <typename Value>
void refuse_repeats(std::string_view option, std::string_view list, const std::vector<Value>& values,
                    std::string_view aim = "more runs") {
  if (std::set<Value>(values.begin(), values.end()).size() != values.size()) fail_for_repeats(option, list, aim);
}

/// Throws UsageError when the value of the option is none of those known.
void check_one_of(std::string_view option, std::string_view value, std::span<const std::string_view> known);

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

// Options with such values.

/// A text that `take` makes a value of, afterwards; `usual` is the default as typed, empty for none.
void add_parsed(CommandLine& line, const OptionText& text, std::string usual,
                std::function<void(const std::string& text)> take);

/// A whole number; what `value` holds is the default.
void add_count(CommandLine& line, const OptionText& text, int& value, int least, int most);

/// A number, see parse_real; `usual` is the default as --help shows it.
void add_real(CommandLine& line, const OptionText& text, std::string usual, double& value, double least, double most);

/// One of several names; what `value` holds is the default.
void add_choice(CommandLine& line, const OptionText& text, std::string& value, std::vector<std::string_view> known);

}  // namespace nasvm
