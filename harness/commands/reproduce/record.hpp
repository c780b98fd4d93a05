#pragma once
/// \file
/// What `nasvm reproduce` adds to the result document: the emulated testbed that all of its runs were on,
/// and what plain sockets reach there.

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/commands/reproduce/paper.hpp"
#include "harness/document/records.hpp"

namespace nasvm {

/// One for each document.
struct TestbedRecord {
  static constexpr std::string_view section = "testbeds";
  static constexpr Role role = Role::reference;

  std::string name;  ///< "ethernet"
  int hosts = 0;
  int rate_mbit_s = 0;  ///< 10^6 bit/s
  Medium medium = Medium::shared;
  bool quick = false;  ///< smaller problems on fewer hosts than the paper's

  bool operator==(const TestbedRecord&) const = default;
};

/// Plain TCP sockets that have moved as many messages of as many bytes between the same ranks as a run, or, where
/// that takes long, a part of them (lab/exchange.hpp).
struct YardstickRecord {
  static constexpr std::string_view section = "yardsticks";
  static constexpr Role role = Role::reference;

  std::string kernel;  ///< of the run, as what follows
  char problem_class = 'S';
  int np = 1;
  std::string variant;
  std::uint64_t volume_bytes = 0;  ///< that they have moved
  std::uint64_t messages = 0;
  double time_s = 0;  ///< from when all have connected until all have finished

  bool operator==(const YardstickRecord&) const = default;
};

void describe(Fields& fields, TestbedRecord& testbed);
void describe(Fields& fields, YardstickRecord& yardstick);
inline bool is_right(const TestbedRecord&) { return true; }
inline bool is_right(const YardstickRecord&) { return true; }

}  // namespace nasvm
