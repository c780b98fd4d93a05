#pragma once
/// \file
/// The messages between the leader of a farm and its workers: packed ones, by their tags.

#include "vm/farm/lead.hpp"
#include "vm/message.hpp"
#include "vm/pack_buffer.hpp"

namespace nasvm::farm {

inline constexpr Tag piece_tag = 1;   ///< to a worker: a piece to compute
inline constexpr Tag result_tag = 2;  ///< to the leader: its result
inline constexpr Tag stop_tag = 3;    ///< to a worker: all is done, in so many seconds
inline constexpr Tag gone_tag = 4;    ///< of the machine to the leader: a worker is gone

PackBuffer pack_piece(const Piece& piece);
PackBuffer pack_result(const Crew::Result& result);
PackBuffer pack_stop(double time_s);

// What was packed so; RunError when it was not.
Piece unpack_piece(PackBuffer& message);
Crew::Result unpack_result(PackBuffer& message);
double unpack_stop(PackBuffer& message);

}  // namespace nasvm::farm
