#pragma once
/// \file
/// What tasks write in a test that kills one of them: rounds of pieces of one length, each round at other places of
/// the same file, dealt out among the tasks; at the end of each round they flush. The same everywhere by its seed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace nasvm::test {

class ChaosPlan {
 public:
  static constexpr std::size_t pieces = 600;
  static constexpr std::size_t piece_bytes = 1000;  ///< across the ends of blocks, now and then

  ChaosPlan(int seed, int tasks) : seed_(seed), tasks_(tasks) {}

  struct Piece {
    std::size_t place;
    int task;
  };
  /// Half of all places, once each, in no order. Rounds begin at 1.
  [[nodiscard]] std::vector<Piece> round(int number) const {
    std::mt19937 random(static_cast<unsigned>(1000 * seed_ + number));
    std::vector<Piece> all;
    for (std::size_t place = 0; place < pieces; ++place) {
      all.push_back({place, static_cast<int>(random() % static_cast<unsigned>(tasks_))});
    }
    std::shuffle(all.begin(), all.end(), random);
    all.resize(pieces / 2);
    return all;
  }

  [[nodiscard]] static std::byte byte_of(std::uint64_t position, int round) {
    return static_cast<std::byte>((position * 31 + static_cast<std::uint64_t>(round) * 97) % 251 + 1);
  }

  /// Nothing; or what of the file is not as it has to be once so many rounds were flushed: of the last of these, or
  /// of the two after it, which may have been under way (or flushed, before anybody could say so).
  [[nodiscard]] std::string fault_of(std::span<const std::byte> file, int flushed) const {
    std::vector<int> last(pieces, 0);
    for (int number = 1; number <= flushed; ++number) {
      for (const Piece& piece : round(number)) last[piece.place] = number;
    }
    std::vector<std::vector<int>> later(pieces);
    for (int number = flushed + 1; number <= flushed + 2; ++number) {
      for (const Piece& piece : round(number)) later[piece.place].push_back(number);
    }
    for (std::size_t position = 0; position < pieces * piece_bytes; ++position) {
      const std::size_t place = position / piece_bytes;
      const std::byte found = position < file.size() ? file[position] : std::byte{0};
      if (found == (last[place] == 0 ? std::byte{0} : byte_of(position, last[place]))) continue;
      const auto is_it = [&](int number) { return found == byte_of(position, number); };
      if (std::any_of(later[place].begin(), later[place].end(), is_it)) continue;
      return "byte " + std::to_string(position) + " is not that of round " + std::to_string(last[place]) +
             ", after " + std::to_string(flushed) + " rounds";
    }
    return {};
  }

 private:
  int seed_;
  int tasks_;
};

}  // namespace nasvm::test
