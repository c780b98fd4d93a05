#pragma once
/// \file
/// Assembly of a block of the sparse matrix from the vectors that define it (random_matrix.hpp).

#include <cstdint>

#include <Eigen/SparseCore>

#include "kernels/cg/intervals.hpp"
#include "kernels/cg/problem.hpp"

namespace nasvm::cg {

using SparseBlock = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;

/// The block of rows `rows` and columns `columns` of the problem's matrix, numbered from 0 inside the block.
/// Compressed, sorted by column in each row, equal positions summed. Walks the whole random sequence twice.
/// Needs 12 bytes for each contribution to the block, of which about one in thirteen is summed into another.
SparseBlock assemble(const Parameters& problem, Range rows, const IntervalSet& columns);

}  // namespace nasvm::cg
