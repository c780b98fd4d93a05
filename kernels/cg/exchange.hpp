#pragma once
/// \file
/// The communication of kernel CG: collect a vector in a grid column, sum a product in a grid row, and sum a few
/// numbers over all tasks on the way.
///
///   expand: every task gets the pieces of the vector of its column, each with its two numbers (gather_rounds), and
///           the sums of the numbers over all tasks;
///   fold:   every task gets the sum of the partial results of its row for its own piece: the same rounds backwards;
///   swap_common: two tasks that keep half of their common block each complete the result of a product;
///   sum_over_columns: of numbers that the tasks of a column know alike.
///
/// With few rounds, or two columns, the tasks of every row exchange their columns' sums. With few messages some rows
/// *lead*, whose first task adds up and tells the row. The sums of expand come from rows that send their last pieces
/// when they have all others (leading_rows), and go along with those. Otherwise row 0 leads, and tells its columns.
/// Over all tasks, with g(m) = m - 1 messages for each member, or ceil(log2 m) if they are to be few, expand sends
/// NP g(rows) messages with 8 n (rows - 1) + 16 NP (rows - 1) bytes, fold NP g(cols) with 8 n (cols - 1) bytes, a row
/// cols (cols - 1) or 2 (cols - 1) messages for sums. Pieces are received in place, or behind one copy where a
/// message has the first piece after the last; sums are formed in a fixed order, so that all tasks get the same
/// bits, and so do all runs, as far as they multiply in the same forms (slab.hpp: these may be found by trial).
///
/// Source: White et al., section 4.3; the pieces are such that nothing is transposed. docs/decisions/cg-messages.md.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cg/grid.hpp"
#include "kernels/cg/rounds.hpp"
#include "vm/comm.hpp"

namespace nasvm::cg {

/// Two numbers to be summed over all tasks, or their sums.
using Sums = std::array<double, 2>;

/// Few rounds on one host, few messages between hosts: what is sent does not depend on the transport.
[[nodiscard]] Prefer preferred(const Comm& comm);

/// With few messages, rows 0 .. leading_rows - 1 have all pieces of their columns before their last messages of
/// expand. Row i gets one of those from row i % leading_rows. 0: no rows do, or waiting for each other would spare no
/// message.
[[nodiscard]] int leading_rows(const Grid& grid);

class Exchange {
 public:
  /// `comm` must outlive it and have as many tasks as the grid.
  Exchange(Comm& comm, const Grid& grid, Prefer prefer);

  [[nodiscard]] Prefer preference() const { return prefer_; }

  /// The numbering of a vector over the columns of this task's block: behind each piece is room for two numbers.
  [[nodiscard]] const IntervalSet& columns() const { return columns_; }

  /// Completes a vector over the columns of this task's block, in which its own piece is filled in; between the
  /// pieces is 0 afterwards. Returns the sums of `own` over all tasks. Blocks until the other pieces have come.
  /// Collective.
  Sums expand(std::span<double> columns, const Sums& own);

  /// Sums the partial results over the rows of this task's block: its own piece is complete afterwards, the rest has
  /// no meaning. Blocks until all contributions have come. Collective over the grid row.
  void fold(std::span<double> rows);

  /// Of two tasks: sends what this one has formed of the other's piece, and adds to its own what comes. Blocks until
  /// that is there. Collective.
  void swap_common(std::span<const double> theirs, std::span<double> own);

  /// Adds up, in place, at most two numbers that are the same on all tasks of a grid column. Blocks until the sums
  /// are there. Collective.
  void sum_over_columns(std::span<double> numbers);

  /// Zeros between the pieces of a vector over the columns.
  void clear_gaps(std::span<double> columns) const;

  /// This task's own piece in a vector over the columns, and in one over the rows, of its block.
  [[nodiscard]] Range own_of_columns() const;
  [[nodiscard]] Range own_of_rows() const;

 private:
  /// The members of a grid column or row, and their parts of a vector over the block: part i is
  /// [begins[i], begins[i + 1]).
  struct Line {
    std::vector<Rank> ranks;
    std::vector<std::int64_t> begins;
    int self = 0;
    std::vector<Round> rounds;

    /// A group's place, in two pieces where the first part comes after the last; else the second is empty.
    [[nodiscard]] std::array<std::span<double>, 2> in(std::span<double> vector, Group group) const;
    [[nodiscard]] std::size_t size(Group group) const;
    /// Numbers in the messages of a round that need room of their own: in all, or in those that are in two pieces.
    enum class Room { for_split, for_all };
    [[nodiscard]] std::size_t room_for(std::span<const Round::Message> messages, Room room) const;
  };
  /// A message that is on its way into room of its own, and where it belongs.
  struct Arrival {
    std::span<const double> message;
    std::array<std::span<double>, 2> place;
  };

  void start_receives(const Line& line, std::span<const Round::Message> messages, std::span<double> vector);
  void start_fold_receives(std::span<const Round::Message> messages, std::span<double> rows);
  void start_sends(const Line& line, std::span<const Round::Message> messages, std::span<double> vector, Tag tag);
  /// Waits for the receives in the order of their start; calls `arrived` with each arrival. Then waits for the sends.
  template <typename Arrived>
  void finish(Arrived arrived);
  [[nodiscard]] std::span<double> numbers_behind(std::span<double> columns, int row) const;
  [[nodiscard]] Sums sums_of_column(std::span<double> columns) const;
  /// Every task of the row adds up, in the order of the columns.
  void swap_sums(std::span<double> numbers);
  /// The first task adds up, in the order of the columns, and tells the others.
  void sum_over_row(std::span<double> numbers);

  Comm& comm_;
  IntervalSet columns_;
  Prefer prefer_;
  int leading_rows_;
  Line column_;
  Line row_;
  std::vector<double> arriving_;   ///< room for messages of a round that do not go straight into their place
  std::vector<double> departing_;  ///< and for those that do not come straight out of it
  std::size_t arriving_used_ = 0;
  std::size_t departing_used_ = 0;
  std::vector<double> row_numbers_;  ///< those to be summed, by column
  std::vector<Request> receives_;
  std::vector<Arrival> arrivals_;  ///< by receive
  std::vector<Request> sends_;
};

}  // namespace nasvm::cg
