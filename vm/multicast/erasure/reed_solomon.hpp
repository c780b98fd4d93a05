#pragma once
/// \file
/// A systematic Reed-Solomon code over GF(2^8): for a block of k data pieces up to 256 - k repairs, of which any m
/// stand in for any m pieces that are missing. One repair mends different losses at different receivers
/// (Nonnenmacher, Biersack and Towsley, Parity-based loss recovery for reliable multicast transmission, IEEE/ACM
/// Transactions on Networking 6(4), 1998).
///
/// Repair j is the sum over all pieces i of the piece times 1 / ((k + j) xor i): rows of a Cauchy matrix, of which
/// every square part can be inverted, so that any pieces and repairs will do (Blömer et al., An XOR-based
/// erasure-resilient coding scheme, ICSI TR-95-048, 1995). The arithmetic is ISA-L's. All pieces of a block but the
/// last are equally long; that one counts as if zeros filled it up.
///
/// Nothing blocks. One object may not be used by two threads at once: it keeps tables and buffers between calls.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nasvm::multicast::erasure {

/// Data pieces and repairs of a block, together, at most.
inline constexpr int most_rows = 256;

using Piece = std::span<const std::byte>;

/// A repair that has come.
struct Repair {
  int number = 0;
  Piece bytes;
};

/// A piece that is to be restored into a buffer of its length.
struct Missing {
  int index = 0;
  std::span<std::byte> bytes;
};

class ReedSolomon {
 public:
  /// Makes repairs `first`, `first` + 1 and so on of the block `pieces`, one in each of `repairs`, all as long as the
  /// first piece. first + repairs.size() <= most_rows - pieces.size().
  void encode(std::span<const Piece> pieces, int first, std::span<const std::span<std::byte>> repairs);

  /// Restores what is missing of a block. Of `pieces`, those at the places of `missing` are not read; `repairs` are
  /// different ones, as many as are missing, and as long as the longest piece.
  void decode(std::span<const Piece> pieces, std::span<const Repair> repairs, std::span<const Missing> missing);

 private:
  /// Of each target, the sum of all sources, each times its coefficient in `tables`.
  void multiply(const std::vector<unsigned char>& tables, std::span<const Piece> sources, std::size_t bytes,
                std::span<unsigned char* const> targets);
  void make_repair_tables(int pieces, int first, int repairs);
  void make_restoring_tables(std::span<const Repair> repairs, std::span<const Missing> missing,
                             std::span<const int> present);

  /// For which repairs `repair_tables_` are.
  struct Made {
    int pieces = 0;
    int first = 0;
    int repairs = 0;
    bool operator==(const Made&) const = default;
  };
  Made made_;
  std::vector<unsigned char> repair_tables_;
  std::vector<unsigned char> restoring_tables_;
  std::vector<std::byte> padded_;
  std::vector<std::byte> restored_;  ///< with its padding
};

}  // namespace nasvm::multicast::erasure
