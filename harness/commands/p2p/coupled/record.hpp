#pragma once
/// \file
/// What `nasvm p2p --coupled` measured of one way of running the coupled model: one entry of "coupled" in the result
/// document. Units: bytes, microseconds.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/commands/p2p/record.hpp"
#include "harness/conditions/conditions.hpp"
#include "harness/document/records.hpp"

namespace nasvm {

struct CoupledRecord {
  static constexpr std::string_view section = "coupled";
  static constexpr Role role = Role::result;

  std::string transport;  ///< the scenario's name
  std::string method;     ///< empty: the name says it
  int np = 0;
  std::uint64_t bytes = 0;  ///< of a halo
  int repeat = 0;
  std::int64_t iterations = 0;  ///< steps of the ocean
  std::optional<bool> bound;    ///< each task to a core of its own
  DataCheck data = DataCheck::none;
  Latency latency;    ///< a step of the ocean, by rank 0's clock
  Sampled sampled{};  ///< when: of its whole run

  bool operator==(const CoupledRecord&) const = default;
};

void describe(Fields& fields, CoupledRecord& record);
inline bool is_right(const CoupledRecord& record) { return record.data != DataCheck::failed; }

}  // namespace nasvm
