#include "vm/multicast/erasure/reed_solomon.hpp"

#include <algorithm>
#include <cassert>

#include <isa-l/erasure_code.h>

namespace nasvm::multicast::erasure {
namespace {

using Bytes = std::vector<unsigned char>;

/// What piece `index` of a block of so many contributes to a repair is the piece times this.
unsigned char coefficient(int pieces, int repair, int index) {
  return gf_inv(static_cast<unsigned char>((pieces + repair) ^ index));
}

/// The library reads products from tables of 32 bytes for each coefficient.
void make_tables(Bytes& coefficients, int sources, int targets, Bytes& tables) {
  tables.resize(coefficients.size() * 32);
  ec_init_tables(sources, targets, coefficients.data(), tables.data());
}

/// How the missing pieces follow from what the repairs say of them alone. The row of a piece, the column of a repair.
Bytes invert(std::span<const Repair> repairs, std::span<const Missing> missing, int pieces) {
  Bytes matrix;
  for (const Repair& repair : repairs) {
    for (const Missing& piece : missing) matrix.push_back(coefficient(pieces, repair.number, piece.index));
  }
  Bytes inverse(matrix.size());
  [[maybe_unused]] const int failed =
      gf_invert_matrix(matrix.data(), inverse.data(), static_cast<int>(missing.size()));
  assert(failed == 0);
  return inverse;
}

}  // namespace

void ReedSolomon::encode(std::span<const Piece> pieces, int first, std::span<const std::span<std::byte>> repairs) {
  const int count = static_cast<int>(repairs.size());
  assert(first + count <= most_rows - static_cast<int>(pieces.size()));
  if (count == 0) return;
  make_repair_tables(static_cast<int>(pieces.size()), first, count);
  std::vector<unsigned char*> targets;
  for (const auto repair : repairs) targets.push_back(reinterpret_cast<unsigned char*>(repair.data()));
  multiply(repair_tables_, pieces, pieces.front().size(), targets);
}

void ReedSolomon::decode(std::span<const Piece> pieces, std::span<const Repair> repairs,
                         std::span<const Missing> missing) {
  assert(repairs.size() == missing.size());
  if (missing.empty()) return;
  std::vector<int> present;
  std::vector<Piece> sources;
  for (int index = 0; index < static_cast<int>(pieces.size()); ++index) {
    if (std::ranges::find(missing, index, &Missing::index) != missing.end()) continue;
    present.push_back(index);
    sources.push_back(pieces[static_cast<std::size_t>(index)]);
  }
  for (const Repair& repair : repairs) sources.push_back(repair.bytes);
  make_restoring_tables(repairs, missing, present);

  const std::size_t bytes = repairs.front().bytes.size();
  restored_.resize(bytes);
  std::vector<unsigned char*> targets;
  for (const Missing& piece : missing) {
    const auto target = piece.bytes.size() == bytes ? piece.bytes : std::span(restored_);
    targets.push_back(reinterpret_cast<unsigned char*>(target.data()));
  }
  multiply(restoring_tables_, sources, bytes, targets);
  for (const Missing& piece : missing) {
    if (piece.bytes.size() != bytes) std::copy_n(restored_.begin(), piece.bytes.size(), piece.bytes.begin());
  }
}

void ReedSolomon::multiply(const Bytes& tables, std::span<const Piece> sources, std::size_t bytes,
                           std::span<unsigned char* const> targets) {
  std::vector<unsigned char*> from;
  for (const Piece source : sources) {
    const std::byte* start = source.data();
    if (source.size() < bytes) {
      padded_.assign(bytes, std::byte{0});
      std::ranges::copy(source, padded_.begin());
      start = padded_.data();
    }
    from.push_back(reinterpret_cast<unsigned char*>(const_cast<std::byte*>(start)));
  }
  // The library takes pointers that it does not write through as mutable ones.
  ec_encode_data(static_cast<int>(bytes), static_cast<int>(from.size()), static_cast<int>(targets.size()),
                 const_cast<unsigned char*>(tables.data()), from.data(), const_cast<unsigned char**>(targets.data()));
}

void ReedSolomon::make_repair_tables(int pieces, int first, int repairs) {
  const Made wanted{pieces, first, repairs};
  if (made_ == wanted) return;
  Bytes coefficients;
  for (int repair = first; repair < first + repairs; ++repair) {
    for (int index = 0; index < pieces; ++index) coefficients.push_back(coefficient(pieces, repair, index));
  }
  make_tables(coefficients, pieces, repairs, repair_tables_);
  made_ = wanted;
}

/// A missing piece is the inverse times (each repair, less what the pieces that are present contribute to it); to
/// subtract is to add.
void ReedSolomon::make_restoring_tables(std::span<const Repair> repairs, std::span<const Missing> missing,
                                        std::span<const int> present) {
  const std::size_t count = missing.size();
  const int pieces = static_cast<int>(present.size() + count);
  const Bytes inverse = invert(repairs, missing, pieces);
  Bytes coefficients;
  for (std::size_t row = 0; row < count; ++row) {
    const auto of_row = std::span(inverse).subspan(row * count, count);
    for (const int index : present) {
      unsigned char sum = 0;
      for (std::size_t i = 0; i < count; ++i) {
        sum ^= gf_mul(of_row[i], coefficient(pieces, repairs[i].number, index));
      }
      coefficients.push_back(sum);
    }
    coefficients.insert(coefficients.end(), of_row.begin(), of_row.end());
  }
  make_tables(coefficients, pieces, static_cast<int>(count), restoring_tables_);
}

}  // namespace nasvm::multicast::erasure
