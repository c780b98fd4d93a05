#pragma once
/// \file
/// What runs of programs have besides what runs of kernels have: in which calls of MPI the time went, and how long
/// messages were. Lists of their own in the document, one record for each function or length of a run.

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/document/records.hpp"

namespace nasvm {

/// One function of one run, over all tasks.
struct CallRecord {
  static constexpr std::string_view section = "calls";
  static constexpr Role role = Role::result;

  std::string kernel{};  ///< of the run that it belongs to, as `np`, `transport` and `repeat`
  int np = 0;
  std::string transport{};
  int repeat = 0;
  std::string function{};
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< that it was given to send
  double time_s = 0;        ///< of the task with the most
  double time_mean_s = 0;
  double time_min_s = 0;

  bool operator==(const CallRecord&) const = default;
};

/// Messages of one range of lengths, of one run.
struct LengthRecord {
  static constexpr std::string_view section = "lengths";
  static constexpr Role role = Role::result;

  std::string kernel{};
  int np = 0;
  std::string transport{};
  int repeat = 0;
  std::uint64_t bytes = 0;  ///< from here to twice that, less one
  std::uint64_t messages = 0;

  bool operator==(const LengthRecord&) const = default;
};

void describe(Fields& fields, CallRecord& call);
void describe(Fields& fields, LengthRecord& length);
inline bool is_right(const CallRecord&) { return true; }
inline bool is_right(const LengthRecord&) { return true; }

}  // namespace nasvm
