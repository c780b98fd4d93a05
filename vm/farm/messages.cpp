#include "vm/farm/messages.hpp"

#include <array>

namespace nasvm::farm {

PackBuffer pack_piece(const Piece& piece) {
  PackBuffer message;
  message.pack(
      std::array<std::int64_t, 3>{static_cast<std::int64_t>(piece.id), piece.units.first, piece.units.count});
  return message;
}

PackBuffer pack_result(const Crew::Result& result) {
  PackBuffer message;
  message.pack_value(result.piece).pack_value(result.spent_s).pack(result.row);
  return message;
}

PackBuffer pack_stop(double time_s) {
  PackBuffer message;
  message.pack_value(time_s);
  return message;
}

Piece unpack_piece(PackBuffer& message) {
  std::array<std::int64_t, 3> numbers{};
  message.unpack(numbers);
  return {static_cast<std::uint64_t>(numbers[0]), {numbers[1], numbers[2]}};
}

Crew::Result unpack_result(PackBuffer& message) {
  Crew::Result result;
  result.piece = message.unpack_value<std::uint64_t>();
  result.spent_s = message.unpack_value<double>();
  result.row.resize(message.next_count());
  message.unpack(result.row);
  return result;
}

double unpack_stop(PackBuffer& message) { return message.unpack_value<double>(); }

}  // namespace nasvm::farm
