#pragma once
/// \file
/// What `nasvm p2p --collective` measured of one collective at one size over one path: one entry of "collectives" in
/// the result document. Units: bytes, microseconds.

#include <cstdint>
#include <optional>
#include <string>

#include "harness/commands/p2p/record.hpp"
#include "harness/conditions/conditions.hpp"
#include "harness/document/records.hpp"

namespace nasvm {

struct CollectiveRecord {
  static constexpr std::string_view section = "collectives";
  static constexpr Role role = Role::result;

  std::string collective;  ///< "allreduce"
  int np = 1;              ///< tasks that take part
  int hosts_used = 0;      ///< on which they were; 0: not known
  std::string transport;   ///< as asked for
  std::string method;      ///< what carries rank 0's messages: "shm" for "auto"; "shm+direct" where it depends
  std::uint64_t bytes = 0;
  int repeat = 0;
  std::int64_t iterations = 0;
  std::optional<bool> bound;  ///< each task to a core of its own
  DataCheck data = DataCheck::none;
  Latency time;                ///< of single calls, each that of its slowest task
  double average_us = 0;       ///< mean over tasks and calls, as the OSU programs have it
  double back_to_back_us = 0;  ///< of calls without anything between them, the mean, the slowest task's
  Sampled sampled;             ///< when: of its whole run

  bool operator==(const CollectiveRecord&) const = default;
};

void describe(Fields& fields, CollectiveRecord& record);
inline bool is_right(const CollectiveRecord& record) { return record.data != DataCheck::failed; }

}  // namespace nasvm
