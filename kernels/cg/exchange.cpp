#include "kernels/cg/exchange.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace nasvm::cg {
namespace {

constexpr Tag expand_tag = 1;
constexpr Tag fold_tag = 2;
constexpr Tag sums_tag = 3;
constexpr Tag common_tag = 4;

void add(std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

/// A message's head and tail, to where they belong.
template <typename Take>
void split(std::span<const double> message, const std::array<std::span<double>, 2>& place, Take take) {
  take(message.first(place[0].size()), place[0]);
  take(message.subspan(place[0].size()), place[1]);
}

void put(std::span<const double> from, std::span<double> to) { std::ranges::copy(from, to.begin()); }

/// The next `size` numbers of a buffer.
std::span<double> take_room(std::vector<double>& buffer, std::size_t& used, std::size_t size) {
  used += size;
  if (buffer.size() < used) throw std::logic_error("a round of messages is larger than its room");
  return std::span(buffer).subspan(used - size, size);
}

}  // namespace

Prefer preferred(const Comm& comm) { return comm.is_on_one_host() ? Prefer::few_rounds : Prefer::few_messages; }

int leading_rows(const Grid& grid) {
  if (grid.cols() < 3) return 0;  // two columns swap sums in one round less, and as many messages
  if (grid.rows() == 3) return 1;
  return std::has_single_bit(static_cast<unsigned>(grid.rows())) ? grid.rows() / 2 : 0;
}

Exchange::Exchange(Comm& comm, const Grid& grid, Prefer prefer)
    : comm_(comm),
      columns_(grid.column_block(grid.col_of(comm.rank()), std::tuple_size_v<Sums>)),
      prefer_(prefer),
      leading_rows_(prefer == Prefer::few_messages ? leading_rows(grid) : 0) {
  if (comm.size() != grid.tasks()) throw std::invalid_argument("the process grid does not match the Comm");
  column_.self = grid.row_of(comm.rank());
  row_.self = grid.col_of(comm.rank());
  for (int row = 0; row < grid.rows(); ++row) {
    column_.ranks.push_back(grid.rank_at(row, row_.self));
    column_.begins.push_back(columns_.first(static_cast<std::size_t>(row)));
  }
  column_.begins.push_back(columns_.size());
  const Range rows = grid.row_block(column_.self);
  for (int col = 0; col < grid.cols(); ++col) {
    row_.ranks.push_back(grid.rank_at(column_.self, col));
    row_.begins.push_back(grid.piece(row_.ranks.back()).begin - rows.begin);
  }
  row_.begins.push_back(rows.size());
  column_.rounds = gather_rounds(grid.rows(), column_.self, prefer);
  row_.rounds = gather_rounds(grid.cols(), row_.self, prefer);
  row_numbers_.resize(static_cast<std::size_t>(grid.cols()) * Sums{}.size());

  std::size_t arriving = 0;
  std::size_t departing = 0;
  for (const Round& round : column_.rounds) {
    arriving = std::max(arriving, column_.room_for(round.in, Line::Room::for_split));
    departing = std::max(departing, column_.room_for(round.out, Line::Room::for_split));
  }
  for (const Round& round : row_.rounds) {
    arriving = std::max(arriving, row_.room_for(round.out, Line::Room::for_all));
    departing = std::max(departing, row_.room_for(round.in, Line::Room::for_split));
  }
  arriving_.resize(arriving);
  departing_.resize(departing);
}

std::array<std::span<double>, 2> Exchange::Line::in(std::span<double> vector, Group group) const {
  const auto members = static_cast<int>(ranks.size());
  const auto part = [&](int first, int last) {
    const auto begin = static_cast<std::size_t>(begins[static_cast<std::size_t>(first)]);
    return vector.subspan(begin, static_cast<std::size_t>(begins[static_cast<std::size_t>(last)]) - begin);
  };
  const int end = group.first + group.count;
  return {part(group.first, std::min(end, members)), part(0, std::max(end - members, 0))};
}

std::size_t Exchange::Line::size(Group group) const {
  std::size_t size = 0;
  for (int i = 0; i < group.count; ++i) {
    const std::size_t part = static_cast<std::size_t>(group.first + i) % ranks.size();
    size += static_cast<std::size_t>(begins[part + 1] - begins[part]);
  }
  return size;
}

std::size_t Exchange::Line::room_for(std::span<const Round::Message> messages, Room room) const {
  std::size_t needed = 0;
  for (const Round::Message& message : messages) {
    const bool is_split = message.parts.first + message.parts.count > static_cast<int>(ranks.size());
    if (is_split || room == Room::for_all) needed += size(message.parts);
  }
  return needed;
}

Range Exchange::own_of_columns() const {
  const auto row = static_cast<std::size_t>(column_.self);
  return {columns_.first(row), columns_.first(row) + columns_.intervals()[row].size()};
}

Range Exchange::own_of_rows() const {
  const auto col = static_cast<std::size_t>(row_.self);
  return {row_.begins[col], row_.begins[col + 1]};
}

Sums Exchange::expand(std::span<double> columns, const Sums& own) {
  const bool leads = column_.self < leading_rows_;
  put(own, numbers_behind(columns, column_.self));
  for (std::size_t i = 0; i < column_.rounds.size(); ++i) {
    const Round& round = column_.rounds[i];
    const bool is_last = i + 1 == column_.rounds.size();
    start_receives(column_, round.in, columns);
    if (!leads || !is_last) start_sends(column_, round.out, columns, expand_tag);
    finish([](const Arrival& arrival) { split(arrival.message, arrival.place, put); });
  }
  Sums sums = sums_of_column(columns);
  if (leads) {
    sum_over_row(sums);
    put(sums, numbers_behind(columns, column_.self));
    start_sends(column_, column_.rounds.back().out, columns, expand_tag);
    finish([](const Arrival&) {});
  } else if (leading_rows_ > 0) {
    std::ranges::copy(numbers_behind(columns, column_.self % leading_rows_), sums.begin());
  } else {
    sum_over_columns(sums);
  }
  clear_gaps(columns);
  return sums;
}

void Exchange::fold(std::span<double> rows) {
  for (std::size_t i = row_.rounds.size(); i-- > 0;) {
    const Round& round = row_.rounds[i];
    start_fold_receives(round.out, rows);
    start_sends(row_, round.in, rows, fold_tag);
    finish([](const Arrival& arrival) { split(arrival.message, arrival.place, add); });
  }
}

void Exchange::swap_common(std::span<const double> theirs, std::span<double> own) {
  const Rank other = column_.ranks[static_cast<std::size_t>(1 - column_.self)];
  arriving_.resize(std::max(arriving_.size(), own.size()));
  const std::span<double> message = take_room(arriving_, arriving_used_, own.size());
  receives_.push_back(comm_.irecv(message, other, common_tag));
  arrivals_.push_back({message, {own, {}}});
  sends_.push_back(comm_.isend(theirs, other, common_tag));
  finish([](const Arrival& arrival) { add(arrival.message, arrival.place[0]); });
}

void Exchange::sum_over_columns(std::span<double> numbers) {
  if (row_.ranks.size() == 1) return;
  if (row_.ranks.size() == 2 || prefer_ == Prefer::few_rounds) {
    swap_sums(numbers);
  } else if (column_.self > 0) {
    comm_.recv(numbers, column_.ranks[0], sums_tag);
  } else {
    sum_over_row(numbers);
    for (std::size_t row = 1; row < column_.ranks.size(); ++row) {
      sends_.push_back(comm_.isend(numbers, column_.ranks[row], sums_tag));
    }
    finish([](const Arrival&) {});
  }
}

void Exchange::swap_sums(std::span<double> numbers) {
  const auto of_col = [&](int col) {
    return std::span(row_numbers_).subspan(static_cast<std::size_t>(col) * numbers.size(), numbers.size());
  };
  put(numbers, of_col(row_.self));
  const Round& round = row_.rounds.front();
  for (const auto& [peer, parts] : round.in) {
    receives_.push_back(comm_.irecv(of_col(peer), row_.ranks[static_cast<std::size_t>(peer)], sums_tag));
    arrivals_.emplace_back();
  }
  for (const auto& [peer, parts] : round.out) {
    sends_.push_back(comm_.isend(of_col(row_.self), row_.ranks[static_cast<std::size_t>(peer)], sums_tag));
  }
  finish([](const Arrival&) {});
  std::ranges::fill(numbers, 0.0);
  for (int col = 0; col < static_cast<int>(row_.ranks.size()); ++col) add(of_col(col), numbers);
}

void Exchange::sum_over_row(std::span<double> numbers) {
  if (row_.self > 0) {
    comm_.send(numbers, row_.ranks[0], sums_tag);
    comm_.recv(numbers, row_.ranks[0], sums_tag);
    return;
  }
  for (std::size_t col = 1; col < row_.ranks.size(); ++col) {
    const auto place = std::span(row_numbers_).subspan(col * numbers.size(), numbers.size());
    receives_.push_back(comm_.irecv(place, row_.ranks[col], sums_tag));
    arrivals_.push_back({place, {numbers, {}}});
  }
  finish([](const Arrival& arrival) { add(arrival.message, arrival.place[0]); });
  for (std::size_t col = 1; col < row_.ranks.size(); ++col) {
    sends_.push_back(comm_.isend(numbers, row_.ranks[col], sums_tag));
  }
  finish([](const Arrival&) {});
}

void Exchange::clear_gaps(std::span<double> columns) const {
  for (int row = 0; row < static_cast<int>(column_.ranks.size()); ++row) {
    std::ranges::fill(numbers_behind(columns, row), 0.0);
  }
}

std::span<double> Exchange::numbers_behind(std::span<double> columns, int row) const {
  const auto end = static_cast<std::size_t>(column_.begins[static_cast<std::size_t>(row) + 1]);
  return columns.subspan(end - Sums{}.size(), Sums{}.size());
}

Sums Exchange::sums_of_column(std::span<double> columns) const {
  Sums sums{};
  for (int row = 0; row < static_cast<int>(column_.ranks.size()); ++row) add(numbers_behind(columns, row), sums);
  return sums;
}

void Exchange::start_receives(const Line& line, std::span<const Round::Message> messages, std::span<double> vector) {
  for (const auto& [peer, parts] : messages) {
    const auto place = line.in(vector, parts);
    const bool is_whole = place[1].empty();
    const std::span<double> message = is_whole ? place[0] : take_room(arriving_, arriving_used_, line.size(parts));
    receives_.push_back(comm_.irecv(message, line.ranks[static_cast<std::size_t>(peer)], expand_tag));
    arrivals_.push_back(is_whole ? Arrival{} : Arrival{message, place});
  }
}

// With more tasks than vector elements groups may be empty; both sides know it, and nothing is sent.
void Exchange::start_fold_receives(std::span<const Round::Message> messages, std::span<double> rows) {
  for (const auto& [peer, parts] : messages) {
    if (row_.size(parts) == 0) continue;
    const std::span<double> message = take_room(arriving_, arriving_used_, row_.size(parts));
    receives_.push_back(comm_.irecv(message, row_.ranks[static_cast<std::size_t>(peer)], fold_tag));
    arrivals_.push_back({message, row_.in(rows, parts)});
  }
}

void Exchange::start_sends(const Line& line, std::span<const Round::Message> messages, std::span<double> vector,
                           Tag tag) {
  for (const auto& [peer, parts] : messages) {
    const auto place = line.in(vector, parts);
    std::span<double> message = place[0];
    if (!place[1].empty()) {
      message = take_room(departing_, departing_used_, line.size(parts));
      put(place[0], message);
      put(place[1], message.subspan(place[0].size()));
    }
    if (!message.empty()) sends_.push_back(comm_.isend(message, line.ranks[static_cast<std::size_t>(peer)], tag));
  }
}

template <typename Arrived>
void Exchange::finish(Arrived arrived) {
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    comm_.wait(receives_[i]);
    arrived(arrivals_[i]);
  }
  comm_.wait_all(sends_);
  receives_.clear();
  arrivals_.clear();
  sends_.clear();
  arriving_used_ = 0;
  departing_used_ = 0;
}

}  // namespace nasvm::cg
