#pragma once
/// \file
/// What the console tells the tasks of an io run, and what each reports back: texts that travel through the virtual
/// machine.

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/commands/io/record.hpp"

namespace nasvm {

inline constexpr std::string_view order_kind_io = "io";

struct IoOrder {
  std::string method;
  std::string path;     ///< of the file; it is removed afterwards
  std::string mounted;  ///< its path by way of a network file system, for the method `mounted`
  std::string pattern = "elements";
  int grid = 0;
  std::uint64_t block_bytes = 0;  ///< of each task, for patterns without a grid
  std::uint64_t access_bytes = 0;
  std::uint64_t data_bytes = 0;  ///< read-only data cache of each task
  std::uint64_t disk_bytes = 0;  ///< disk cache of each task
  bool preload = true;
  bool sync = true;
  bool drop_cache = false;  ///< the page cache forgets the file before it is read
};

/// Of one task. Times are those of task 0, between barriers.
struct IoReport {
  IoTimes time;
  IoCost cost;
  std::uint64_t file_bytes = 0;
  std::uint64_t kept_bytes = 0;  ///< that the page cache did not forget
  double communication_s = 0;
  double idle_s = 0;
  std::string wrong;  ///< what was read and not written; empty: nothing
  Sampled sampled{};  ///< when; not part of what tasks report
};

void describe(Fields& fields, IoOrder& order);
void describe(Fields& fields, IoReport& report);

}  // namespace nasvm
