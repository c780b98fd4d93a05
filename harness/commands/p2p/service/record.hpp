#pragma once
/// \file
/// What `nasvm p2p --service` measured of requests at one size over one path, beside Comm's messages in the same run:
/// one entry of "service" in the result document. Units: bytes, microseconds; times are half a round trip.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/commands/p2p/record.hpp"
#include "harness/conditions/conditions.hpp"
#include "harness/document/records.hpp"

namespace nasvm {

struct ServiceRecord {
  static constexpr std::string_view section = "service";
  static constexpr Role role = Role::result;

  std::string transport;  ///< as asked for
  std::string method;     ///< what carries the requests: "shm" for "auto"
  std::uint64_t bytes = 0;
  int repeat = 0;
  std::int64_t iterations = 0;  ///< round trips of each
  std::optional<bool> bound;    ///< each task to a core of its own
  DataCheck data = DataCheck::none;
  double message_us = 0;  ///< Comm's send and receive, median
  double request_us = 0;  ///< a request whose handler makes one back, in the task's thread, median
  double sealed_us = 0;   ///< the same, encrypted, median
  double thread_us = 0;   ///< as request_us, with a thread for handlers in the task that is asked, median
  Sampled sampled;        ///< when: of its whole run

  bool operator==(const ServiceRecord&) const = default;
};

void describe(Fields& fields, ServiceRecord& record);
inline bool is_right(const ServiceRecord&) { return true; }

}  // namespace nasvm
