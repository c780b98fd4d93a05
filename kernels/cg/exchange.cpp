#include "kernels/cg/exchange.hpp"

#include <stdexcept>

#include <Eigen/Core>

namespace nasvm::cg {
namespace {

constexpr Tag expand_tag = 1;
constexpr Tag fold_tag = 2;

void add(std::span<const double> from, std::span<double> to) {
  const auto size = static_cast<Eigen::Index>(to.size());
  Eigen::Map<Eigen::VectorXd>(to.data(), size) += Eigen::Map<const Eigen::VectorXd>(from.data(), size);
}

}  // namespace

Exchange::Exchange(Comm& comm, const Grid& grid) : comm_(comm) {
  if (comm.size() != grid.tasks()) throw std::invalid_argument("the process grid does not match the Comm");
  const int my_row = grid.row_of(comm.rank());
  const int my_col = grid.col_of(comm.rank());
  const Range rows = grid.row_block(my_row);
  const IntervalSet columns = grid.column_block(my_col);

  const auto column_part = [&](int row) -> Part {
    const auto interval = static_cast<std::size_t>(row);
    return {grid.rank_at(row, my_col), static_cast<std::size_t>(columns.first(interval)),
            static_cast<std::size_t>(columns.intervals()[interval].size())};
  };
  const auto row_part = [&](int col) -> Part {
    const Range piece = grid.piece(grid.rank_at(my_row, col));
    return {grid.rank_at(my_row, col), static_cast<std::size_t>(piece.begin - rows.begin),
            static_cast<std::size_t>(piece.size())};
  };
  own_column_ = column_part(my_row);
  own_row_ = row_part(my_col);
  // Everybody begins with its successor, so that not all tasks send to the same one first.
  for (int i = 1; i < grid.rows(); ++i) column_peers_.push_back(column_part((my_row + i) % grid.rows()));
  for (int j = 1; j < grid.cols(); ++j) row_peers_.push_back(row_part((my_col + j) % grid.cols()));
  arrivals_.resize(row_peers_.size() * own_row_.size);
}

void Exchange::expand(std::span<double> columns) {
  for (const Part& peer : column_peers_) start_receive(peer.in(columns), peer.rank, expand_tag);
  for (const Part& peer : column_peers_) start_send(own_column_.in(columns), peer.rank, expand_tag);
  comm_.wait_all(receives_);
  comm_.wait_all(sends_);
  receives_.clear();
  sends_.clear();
}

void Exchange::fold(std::span<double> rows) {
  for (std::size_t i = 0; i < row_peers_.size(); ++i) start_receive(arrival(i), row_peers_[i].rank, fold_tag);
  for (const Part& peer : row_peers_) start_send(peer.in(rows), peer.rank, fold_tag);
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    comm_.wait(receives_[i]);
    add(arrival(i), own_row_.in(rows));
  }
  comm_.wait_all(sends_);
  receives_.clear();
  sends_.clear();
}

// With more tasks than vector elements some pieces are empty; their owners know it, and nothing is sent.
void Exchange::start_receive(std::span<double> data, Rank from, Tag tag) {
  if (!data.empty()) receives_.push_back(comm_.irecv(data, from, tag));
}

void Exchange::start_send(std::span<const double> data, Rank to, Tag tag) {
  if (!data.empty()) sends_.push_back(comm_.isend(data, to, tag));
}

std::span<double> Exchange::arrival(std::size_t i) {
  return std::span(arrivals_).subspan(i * own_row_.size, own_row_.size);
}

}  // namespace nasvm::cg
