#pragma once
/// \file
/// What `nasvm io` measured of one method: one entry of "io" in the result document (docs/results.md). The phases are
/// those of the tables in D'Azevedo and Romine, EDONIO: Extended Distributed Object Network I/O Library, section 5;
/// each lasts from a barrier to the next. Units: bytes, seconds.

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/conditions/conditions.hpp"
#include "harness/document/records.hpp"

namespace nasvm {

struct IoTimes {
  double open_to_write_s = 0;
  double write_s = 0;
  double close_written_s = 0;
  double open_to_read_s = 0;
  double preload_s = 0;
  double read_s = 0;
  double close_read_s = 0;
  bool operator==(const IoTimes&) const = default;
};

/// What the file cache had to do, over all tasks; of other methods nothing.
struct IoCost {
  std::uint64_t batches = 0;     ///< messages with writes
  std::uint64_t questions = 0;   ///< messages that asked for bytes or blocks
  std::uint64_t hits = 0;        ///< blocks looked for in their owners' disk caches and found there
  std::uint64_t misses = 0;      ///< and not found
  std::uint64_t disk_bytes = 0;  ///< read from disk and written to it, by the cache
  bool operator==(const IoCost&) const = default;
};

/// Read-only data cache of each task, unless it was asked for in another size (--data).
inline constexpr std::uint64_t usual_data_cache_bytes = std::uint64_t{8} << 20;
/// That of the paper's tables (paper/tables.cpp): what documents mean that have a table and no size.
inline constexpr std::uint64_t paper_data_cache_bytes = std::uint64_t{512} << 10;

struct IoRecord {
  static constexpr std::string_view section = "io";
  static constexpr Role role = Role::result;

  std::string method;     ///< "edonio"
  std::string transport;  ///< of messages between tasks
  int np = 1;
  std::string pattern = "elements";
  int grid = 0;                   ///< elements in each direction; 0: the pattern has blocks
  std::uint64_t block_bytes = 0;  ///< of each task; 0: the pattern has a grid
  std::uint64_t access_bytes = 0;
  std::uint64_t disk_cache_bytes = 0;  ///< of each task
  std::uint64_t data_cache_bytes = usual_data_cache_bytes;
  bool preload = false;
  bool sync = true;              ///< each side that writes ends with fsync
  std::string table;             ///< of the paper, for which it was measured; empty: none
  std::string folder{};          ///< of the file, where it was asked for (--dir); older documents have none
  bool cold = false;             ///< the page cache was to forget the file before it was read
  std::uint64_t kept_bytes = 0;  ///< what it did not forget
  int repeat = 0;
  std::uint64_t file_bytes = 0;
  IoTimes time;
  IoCost cost;
  double communication_s =
      0;              ///< inside of messages between tasks, the barriers between phases too: the largest of any task
  double idle_s = 0;  ///< of that waiting, the largest
  bool verified = true;  ///< every byte that was read
  Sampled sampled;

  [[nodiscard]] double write_side_s() const { return time.open_to_write_s + time.write_s + time.close_written_s; }
  [[nodiscard]] double read_side_s() const {
    return time.open_to_read_s + time.preload_s + time.read_s + time.close_read_s;
  }
  bool operator==(const IoRecord&) const = default;
};

void describe(Fields& fields, IoRecord& record);
inline bool is_right(const IoRecord& record) { return record.verified; }

}  // namespace nasvm
