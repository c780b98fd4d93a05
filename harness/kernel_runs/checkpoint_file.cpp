#include "harness/kernel_runs/checkpoint_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/measuring/sequential_write.hpp"
#include "harness/statistics.hpp"
#include "vm/metrics/clock.hpp"

namespace nasvm {
namespace {

/// Pieces are long: few, large blocks, so that each goes to disk in one piece.
files::Options cache_options() {
  files::Options options;
  options.block_bytes = std::size_t{1} << 20;
  options.batch_bytes = options.block_bytes;
  options.disk_bytes = std::size_t{8} << 20;
  options.data_bytes = std::size_t{4} << 20;
  return options;
}

std::string rate_text(std::uint64_t bytes, const std::vector<double>& times_s) {
  const double time_s = median(times_s);
  return fmt::format("{:.0f} MB/s ({} bytes in {:.3f} s, median of {})", static_cast<double>(bytes) / time_s * 1e-6,
                     bytes, time_s, times_s.size());
}

}  // namespace

CheckpointFile::CheckpointFile(Task& task, const CheckpointOptions& options, const std::string& kernel,
                               char problem_class, int iterations)
    : task_(task),
      options_(options),
      identity_{.kernel = kernel, .problem_class = problem_class, .layout = {}},
      iterations_(iterations),
      session_(task, cache_options()),
      files_(session_.files()) {
  if (!options_.save.empty()) follow_links();
}

/// A checkpoint takes the place of what has its name: devices and folders had better stay, and so had links to where
/// somebody has room for files. What they lead to the first task says that sees them.
void CheckpointFile::follow_links() {
  const std::optional<std::string> end = end_of_links(options_.save);
  if (!end) throw UsageError(fmt::format("--checkpoint {}: is there, and no ordinary file", options_.save));
  Comm& comm = task_.comm();
  const Rank first = comm.allreduce_value(*end == options_.save ? comm.size() : comm.rank(), Min{});
  if (first == comm.size()) return;
  std::array<std::size_t, 1> length{end->size()};
  comm.broadcast(length, first);
  std::vector<char> name(length[0]);
  if (comm.rank() == first) std::ranges::copy(*end, name.begin());
  comm.broadcast(name, first);
  options_.save.assign(name.begin(), name.end());
}

CheckpointFile::~CheckpointFile() {
  if (spare_) remove_own(beside(), *spare_);
}

bool CheckpointFile::is_due(int iteration, int iterations) const {
  return !options_.save.empty() && iteration < iterations && iteration % options_.every == 0;
}

CheckpointHead CheckpointFile::head_for(int iteration, const KernelState& state) const {
  CheckpointHead head = identity_;
  head.layout = state.layout;
  head.iteration = iteration;
  head.np = task_.comm().size();
  head.number_bytes = state.numbers.size();
  head.array_bytes = state.array_bytes;
  return head;
}

void CheckpointFile::save(int iteration, const KernelState& state) {
  const CheckpointHead head = head_for(iteration, state);
  bytes_ = head.file_bytes();
  // What comes first finds the disk idle: they take turns.
  const bool disk_first = options_.disk_rate && times_s_.size() % 2 == 1;
  if (disk_first) measure_disk(bytes_);
  const Ticks begin = ticks_now();
  try {
    take_file();
    const int file = write(head, state);
    take_name();  // while it is open, and locked: nobody takes it for what a run has left
    files_.close(file);
  } catch (...) {
    remove_made();
    throw;
  }
  times_s_.push_back(to_seconds(ticks_now() - begin));
  if (options_.disk_rate && !disk_first) measure_disk(bytes_);
}

/// The file is still open, and on disk.
int CheckpointFile::write(const CheckpointHead& head, const KernelState& state) {
  // Pieces lie in the array as tasks are numbered: a task that owns its share of the file writes most of it alone.
  const auto tasks = static_cast<std::uint64_t>(task_.comm().size());
  const std::uint64_t share_bytes = (head.file_bytes() + tasks - 1) / tasks;
  const int file = open_locked(share_bytes);
  if (task_.comm().rank() == 0) {
    write_at(file, 0, page_of(head));
    write_at(file, head.numbers_begin(), state.numbers);
  }
  for (const StatePiece& piece : state.pieces) write_at(file, head.array_begin() + piece.position, piece.bytes);
  files_.flush(file);
  return file;
}

/// Another run may have taken the name between the making and the locking of the file.
int CheckpointFile::open_locked(std::uint64_t share_bytes) {
  try {
    const int file = files_.open(beside(), {.access = files::Access::write, .share_bytes = share_bytes});
    const bool is_another = made_ && !leads_to(beside(), *made_);
    if (task_.comm().allreduce_value(is_another ? 1 : 0) == 0) return file;
  } catch (const files::FileError& error) {
    if (error.code() != EBUSY) throw;
  }
  throw RunError(refusal(EBUSY));
}

void CheckpointFile::take_file() {
  if (spare_ && !(spare_->bytes == bytes_ && is_nobody_elses(beside(), *spare_))) {
    remove_own(beside(), *spare_);
    spare_.reset();
  }
  made_ = std::exchange(spare_, std::nullopt);
  Comm& comm = task_.comm();
  if (comm.allreduce_value(made_ ? 1 : 0) != 0) return;
  int first_error = 0;
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    Making making;
    if (rank == comm.rank()) making = make_new(beside());
    made_ = making.made;
    const int error = comm.allreduce_value(making.error);
    if (error == 0) return;
    if (rank == 0) first_error = error;
    if (!files::may_work_elsewhere(error)) throw RunError(refusal(error));
  }
  throw RunError(refusal(first_error));
}

std::string CheckpointFile::refusal(int error) const {
  if (error == EBUSY) {
    return fmt::format(
        "{}: another run is writing this checkpoint: let it end first, or give --checkpoint another file",
        options_.save);
  }
  if (error == EEXIST) return beside() + ": is no file, and in the way of a checkpoint: remove it";
  return fmt::format("{}: cannot be opened: {}", beside(), std::strerror(error));
}

void CheckpointFile::remove_made() {
  if (made_) remove_own(beside(), *made_);
  made_.reset();
}

void CheckpointFile::write_at(int file, std::uint64_t position, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  files_.seek(file, static_cast<std::int64_t>(position), files::Files::Whence::set);
  // Where not all was written the flush has the error.
  (void)files_.write(file, bytes);
}

void CheckpointFile::take_name() {
  Naming naming;
  if (made_ && !leads_to(beside(), *made_)) naming.error = EBUSY;
  // A file that this run has not written is not for it to write over.
  else if (made_) naming = give_name(beside(), options_.save, named_);
  named_ = naming.named;
  spare_ = naming.spare;
  const int error = task_.comm().allreduce_value(naming.error);
  if (error == EBUSY) throw RunError(refusal(error));
  if (error != 0) {
    throw RunError(fmt::format("{}: cannot be given its name: {}", options_.save, std::strerror(error)));
  }
  made_.reset();
}

void CheckpointFile::measure_disk(std::uint64_t bytes) {
  if (task_.comm().rank() == 0) {
    disk_times_s_.push_back(sequential_write_s(fmt::format("{}.rate-{}", options_.save, ::getpid()), bytes));
  }
  task_.comm().barrier();
}

int CheckpointFile::restore(const KernelState& state) {
  std::optional<int> file;
  try {
    file = files_.open(options_.restart, {});
  } catch (const files::FileError& error) {
    throw UsageError(fmt::format("--restart {}", error.what()));
  }
  const CheckpointHead head = read_head(*file, state);
  read_at(*file, head.numbers_begin(), state.numbers);
  for (const StatePiece& piece : state.pieces) read_at(*file, head.array_begin() + piece.position, piece.bytes);
  files_.close(*file);
  restored_ = head.iteration;
  return head.iteration;
}

CheckpointHead CheckpointFile::read_head(int file, const KernelState& state) {
  const std::uint64_t bytes = files_.seek(file, 0, files::Files::Whence::end);
  std::vector<std::byte> page(std::min<std::uint64_t>(bytes, checkpoint_page_bytes));
  read_at(file, 0, page);
  const CheckpointHead head = head_of(page, options_.restart);
  check_checkpoint(head, bytes, head_for(iterations_ - 1, state), options_.restart);
  return head;
}

void CheckpointFile::read_at(int file, std::uint64_t position, std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  files_.seek(file, static_cast<std::int64_t>(position), files::Files::Whence::set);
  files_.read(file, bytes);
}

NamedTexts CheckpointFile::details() const {
  NamedTexts details;
  if (restored_ > 0) details.emplace_back("restarted after iteration", std::to_string(restored_));
  if (!times_s_.empty()) details.emplace_back(checkpoints_written, rate_text(bytes_, times_s_));
  if (!disk_times_s_.empty()) details.emplace_back("disk in one sequence", rate_text(bytes_, disk_times_s_));
  return details;
}

}  // namespace nasvm
