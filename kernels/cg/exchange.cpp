#include "kernels/cg/exchange.hpp"

#include <algorithm>
#include <stdexcept>

namespace nasvm::cg {
namespace {

constexpr Tag expand_tag = 1;
constexpr Tag fold_tag = 2;
constexpr Tag sums_tag = 3;

void add(std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

}  // namespace

Exchange::Exchange(Comm& comm, const Grid& grid)
    : comm_(comm), columns_(grid.column_block(grid.col_of(comm.rank()), std::tuple_size_v<Sums>)) {
  if (comm.size() != grid.tasks()) throw std::invalid_argument("the process grid does not match the Comm");
  const int my_row = grid.row_of(comm.rank());
  const int my_col = grid.col_of(comm.rank());
  const Range rows = grid.row_block(my_row);

  const auto column_part = [&](int row) -> Part {
    const auto interval = static_cast<std::size_t>(row);
    return {grid.rank_at(row, my_col), columns_.first(interval), columns_.intervals()[interval].size()};
  };
  const auto row_part = [&](int col) -> Part {
    const Range piece = grid.piece(grid.rank_at(my_row, col));
    return {grid.rank_at(my_row, col), piece.begin - rows.begin, piece.size()};
  };
  own_column_ = column_part(my_row);
  own_row_ = row_part(my_col);
  // Each task begins with its successor, so that not all tasks send to the same one first.
  for (int i = 1; i < grid.rows(); ++i) column_peers_.push_back(column_part((my_row + i) % grid.rows()));
  for (int j = 1; j < grid.cols(); ++j) row_peers_.push_back(row_part((my_col + j) % grid.cols()));
  arrivals_.resize(row_peers_.size() * static_cast<std::size_t>(own_row_.size));
  sums_by_col_.resize(static_cast<std::size_t>(grid.cols()));
}

Sums Exchange::expand(std::span<double> columns, const Sums& own) {
  std::ranges::copy(own, own_column_.message_in(columns).last(own.size()).begin());
  for (const Part& peer : column_peers_) start_receive(peer.message_in(columns), peer.rank, expand_tag);
  for (const Part& peer : column_peers_) start_send(own_column_.message_in(columns), peer.rank, expand_tag);
  finish([](std::size_t) {});
  Sums sums{};
  for (std::size_t i = 0; i < columns_.intervals().size(); ++i) {
    const auto behind = static_cast<std::size_t>(columns_.first(i) + columns_.intervals()[i].size());
    add(columns.subspan(behind, sums.size()), sums);
  }
  return sum_of_row(sums);
}

Sums Exchange::sum_of_row(const Sums& own) {
  if (row_peers_.empty()) return own;
  const auto col_of = [&](const Part& part) { return static_cast<std::size_t>(part.rank) % sums_by_col_.size(); };
  for (const Part& peer : row_peers_) start_receive(sums_by_col_[col_of(peer)], peer.rank, sums_tag);
  for (const Part& peer : row_peers_) start_send(own, peer.rank, sums_tag);
  finish([](std::size_t) {});
  sums_by_col_[col_of(own_row_)] = own;
  Sums sums{};
  for (const Sums& column : sums_by_col_) add(column, sums);
  return sums;
}

void Exchange::fold(std::span<double> rows) {
  for (std::size_t i = 0; i < row_peers_.size(); ++i) start_receive(arrival(i), row_peers_[i].rank, fold_tag);
  for (const Part& peer : row_peers_) start_send(peer.in(rows), peer.rank, fold_tag);
  finish([&](std::size_t i) { add(arrival(i), own_row_.in(rows)); });
}

// With more tasks than vector elements some pieces are empty; their owners know it, and nothing is sent.
void Exchange::start_receive(std::span<double> data, Rank from, Tag tag) {
  if (!data.empty()) receives_.push_back(comm_.irecv(data, from, tag));
}

void Exchange::start_send(std::span<const double> data, Rank to, Tag tag) {
  if (!data.empty()) sends_.push_back(comm_.isend(data, to, tag));
}

template <typename Arrived>
void Exchange::finish(Arrived arrived) {
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    comm_.wait(receives_[i]);
    arrived(i);
  }
  comm_.wait_all(sends_);
  receives_.clear();
  sends_.clear();
}

std::span<double> Exchange::arrival(std::size_t i) {
  const auto size = static_cast<std::size_t>(own_row_.size);
  return std::span(arrivals_).subspan(i * size, size);
}

}  // namespace nasvm::cg
