#include "harness/commands/io/task.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "harness/commands/io/methods/method.hpp"
#include "harness/commands/io/order.hpp"
#include "vm/metrics/clock.hpp"

namespace nasvm {
namespace {

using Element = std::array<std::int32_t, 8>;

/// The columns of elements of one task.
class ElementColumns {
 public:
  ElementColumns(int grid, int rank, int size) : grid_(grid), rank_(rank), size_(size) {}

  [[nodiscard]] std::uint64_t file_bytes() const {
    return static_cast<std::uint64_t>(grid_) * grid_ * grid_ * sizeof(Element);
  }
  /// Calls `visit(position, column)` for each, in their order in the file.
  template <typename Visit>
  void for_each(Visit visit) const {
    std::vector<Element> column(static_cast<std::size_t>(grid_));
    for (int y = 0; y < grid_; ++y) {
      for (int x = 0; x < grid_; ++x) {
        if ((x + 1 + y * grid_) % size_ != rank_) continue;
        fill(column, x, y);
        visit((static_cast<std::uint64_t>(y) * grid_ + x) * grid_ * sizeof(Element),
              std::as_writable_bytes(std::span(column)));
      }
    }
  }

 private:
  void fill(std::vector<Element>& column, int x, int y) const {
    static constexpr std::array<int, 8> dx{0, 1, 1, 0, 0, 1, 1, 0};
    static constexpr std::array<int, 8> dy{0, 0, 1, 1, 0, 0, 1, 1};
    static constexpr std::array<int, 8> dz{0, 0, 0, 0, 1, 1, 1, 1};
    const int points = grid_ + 1;
    for (int z = 0; z < grid_; ++z) {
      for (std::size_t i = 0; i < dx.size(); ++i) {
        column[static_cast<std::size_t>(z)][i] = z + dz[i] + (x + dx[i]) * points + (y + dy[i]) * points * points;
      }
    }
  }

  int grid_;
  int rank_;
  int size_;
};

/// How long something takes that all tasks do.
template <typename Action>
double seconds_of(Comm& comm, Action action) {
  comm.barrier();
  const Ticks begin = ticks_now();
  action();
  comm.barrier();
  return to_seconds(ticks_now() - begin);
}

/// Calls `access(position, part)` for each piece of so many bytes.
template <typename Access>
void in_pieces(std::uint64_t position, std::span<std::byte> data, std::size_t bytes, Access access) {
  for (std::size_t at = 0; at < data.size(); at += bytes) {
    access(position + at, data.subspan(at, std::min(bytes, data.size() - at)));
  }
}

void read_back(IoMethod& method, const ElementColumns& columns, std::size_t bytes, std::string& wrong) {
  std::vector<std::byte> read;
  columns.for_each([&](std::uint64_t position, std::span<std::byte> expected) {
    read.resize(expected.size());
    in_pieces(position, read, bytes, [&](std::uint64_t at, std::span<std::byte> part) { method.read(at, part); });
    if (!wrong.empty() || std::equal(read.begin(), read.end(), expected.begin())) return;
    wrong = fmt::format("of the {} bytes from {} on", expected.size(), position);
  });
}

IoMethodRow row_of(const std::string& name) {
  const auto found = std::ranges::find(io_methods(), name, &IoMethodRow::name);
  if (found == io_methods().end()) throw UsageError("there is no method \"" + name + "\" in this program");
  return *found;
}

}  // namespace

std::string measure_io(std::string_view text, Task& task) {
  const auto order = record_of_text<IoOrder>(text);
  Comm& comm = task.comm();
  const ElementColumns columns(order.grid, comm.rank(), comm.size());
  const auto bytes = static_cast<std::size_t>(order.access_bytes);
  IoReport report;
  report.file_bytes = columns.file_bytes();
  {
    const auto method = row_of(order.method).make(task, order);
    IoTimes& time = report.time;
    time.open_to_write_s = seconds_of(comm, [&] { method->open_to_write(report.file_bytes); });
    time.write_s = seconds_of(comm, [&] {
      columns.for_each([&](std::uint64_t position, std::span<std::byte> column) {
        in_pieces(position, column, bytes,
                  [&](std::uint64_t at, std::span<const std::byte> part) { method->write(at, part); });
      });
    });
    time.close_written_s = seconds_of(comm, [&] { method->close_written(); });
    time.open_to_read_s = seconds_of(comm, [&] { method->open_to_read(); });
    if (order.preload) time.preload_s = seconds_of(comm, [&] { method->preload(); });
    time.read_s = seconds_of(comm, [&] { read_back(*method, columns, bytes, report.wrong); });
    time.close_read_s = seconds_of(comm, [&] { method->close_read(); });
    report.cost = method->cost();
  }
  comm.barrier();
  if (comm.rank() == 0) (void)::unlink(order.path.c_str());
  return text_of_record(report);
}

}  // namespace nasvm
