#include "harness/commands/io/task.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/commands/io/methods/method.hpp"
#include "harness/commands/io/one_file.hpp"
#include "harness/commands/io/order.hpp"
#include "harness/commands/io/page_cache.hpp"
#include "harness/commands/io/pattern.hpp"
#include "vm/metrics/clock.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

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
template <typename Byte, typename Access>
void in_pieces(std::uint64_t position, std::span<Byte> data, std::size_t bytes, Access access) {
  for (std::size_t at = 0; at < data.size(); at += bytes) {
    access(position + at, data.subspan(at, std::min(bytes, data.size() - at)));
  }
}

void read_back(IoMethod& method, IoPattern& pattern, std::size_t bytes, std::string& wrong) {
  std::vector<std::byte> read;
  pattern.for_each_read([&](std::uint64_t position, std::span<const std::byte> expected) {
    read.resize(expected.size());
    in_pieces(position, std::span(read), bytes,
              [&](std::uint64_t at, std::span<std::byte> part) { method.read(at, part); });
    if (!wrong.empty() || std::equal(read.begin(), read.end(), expected.begin())) return;
    wrong = fmt::format("of the {} bytes from {} on", expected.size(), position);
  });
}

void write_all(IoMethod& method, IoPattern& pattern, std::size_t bytes) {
  pattern.for_each_written([&](std::uint64_t position, std::span<const std::byte> content) {
    in_pieces(position, content, bytes,
              [&](std::uint64_t at, std::span<const std::byte> part) { method.write(at, part); });
  });
}

/// How much of the file memory keeps all the same. A network file system's client has a cache of its own.
std::uint64_t drop_caches(const IoOrder& order) {
  std::uint64_t kept = drop_from_page_cache(order.path);
  if (order.method == mounted_method) kept = std::max(kept, drop_from_page_cache(order.mounted));
  return kept;
}

/// Where hosts have a file each, what is measured means nothing, and the others' files stay. Collective.
void require_one_file(Comm& comm, const IoOrder& order) {
  if (comm.size() == 1 || !io_method(order.method).needs_one_file) return;
  const bool is_mounted = order.method == mounted_method;
  const std::string& path = is_mounted ? order.mounted : order.path;
  const int task = first_without(comm, path);
  if (task == comm.size()) return;
  throw UsageError(
      fmt::format("{}: task {} does not see what task 0 has there: --method {} needs a folder that all "
                  "hosts share ({}); edonio and auto do not",
                  path, task, order.method, is_mounted ? "--mounted" : "--dir"));
}

/// What all of it has cost in messages, as Comm sees it: for methods that send some.
void add_communication(IoReport& report, const Counters& counters) {
  report.communication_s = to_seconds(counters.communication);
  report.idle_s = to_seconds(counters.idle);
}

}  // namespace

std::string measure_io(std::string_view text, const IoGround& ground) {
  const auto order = record_of_text<IoOrder>(text);
  Comm& comm = ground.comm;
  const auto pattern =
      io_pattern(order.pattern).make({comm.rank(), comm.size(), order.grid, order.access_bytes, order.block_bytes});
  const auto bytes = static_cast<std::size_t>(order.access_bytes);
  require_one_file(comm, order);
  const Counters before = comm.counters();
  IoReport report;
  report.file_bytes = pattern->file_bytes();
  {
    const auto method = io_method(order.method).make(ground, order);
    IoTimes& time = report.time;
    time.open_to_write_s = seconds_of(comm, [&] { method->open_to_write(report.file_bytes); });
    time.write_s = seconds_of(comm, [&] { write_all(*method, *pattern, bytes); });
    time.close_written_s = seconds_of(comm, [&] { method->close_written(); });
    if (order.drop_cache) report.kept_bytes = drop_caches(order);
    time.open_to_read_s = seconds_of(comm, [&] { method->open_to_read(); });
    if (order.preload) time.preload_s = seconds_of(comm, [&] { method->preload(); });
    time.read_s = seconds_of(comm, [&] { read_back(*method, *pattern, bytes, report.wrong); });
    time.close_read_s = seconds_of(comm, [&] { method->close_read(); });
    report.cost = method->cost();
  }
  comm.barrier();
  add_communication(report, comm.counters() - before);
  if (comm.rank() == 0) {
    (void)::unlink(order.path.c_str());
    if (order.method == mounted_method) (void)::unlink(order.mounted.c_str());  // another folder, by mistake
  }
  return text_of_record(report);
}

}  // namespace nasvm
