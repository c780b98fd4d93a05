#pragma once
/// \file
/// Tags of the collectives' own messages. They live in the collective context of a Comm, so they cannot meet
/// the tags of users; they differ so that two tasks in different collectives wait instead of mixing data.

#include <string_view>

#include "vm/endpoint.hpp"

namespace nasvm::collective {

inline constexpr Tag barrier_tag = 1;
inline constexpr Tag broadcast_tag = 2;
inline constexpr Tag reduce_tag = 3;
inline constexpr Tag allreduce_tag = 4;
inline constexpr Tag scan_tag = 5;
inline constexpr Tag gather_tag = 6;
inline constexpr Tag scatter_tag = 7;
inline constexpr Tag allgather_tag = 8;
inline constexpr Tag alltoall_tag = 9;
inline constexpr Tag exchange_tag = 10;

/// Which collective a tag is of, for people: "a broadcast".
[[nodiscard]] constexpr std::string_view name_of(Tag tag) {
  switch (tag) {
    case barrier_tag:
      return "a barrier";
    case broadcast_tag:
      return "a broadcast";
    case reduce_tag:
      return "a reduce";
    case allreduce_tag:
      return "an allreduce";
    case scan_tag:
      return "a scan";
    case gather_tag:
      return "a gather";
    case scatter_tag:
      return "a scatter";
    case allgather_tag:
      return "an allgather";
    case alltoall_tag:
      return "an alltoall";
    default:
      return "an exchange";
  }
}

}  // namespace nasvm::collective
