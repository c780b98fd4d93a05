#pragma once
/// \file
/// Tags of the collectives' own messages. They live in the collective context of a Comm, so they cannot meet
/// the tags of users; they differ so that two tasks in different collectives wait instead of mixing data.

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

}  // namespace nasvm::collective
