// Files: reads of runs (run_pattern.hpp), fetched in batches, the next one while the task reads this one.

#include <fmt/format.h>

#include "vm/files/files.hpp"

namespace nasvm::files {
namespace {

/// In one batch: as much as a block.
constexpr std::uint64_t batch_bytes = 64 * 1024;

/// Calls `visit(block, position, place, bytes)` for what that owner has of the runs; `place`: among the bytes of all.
template <typename Visit>
void for_each_part_of(const Layout& layout, int owner, const Runs& runs, Visit visit) {
  for (std::uint64_t run = 0; run < runs.count; ++run) {
    const std::uint64_t begin = runs.first + run * runs.stride;
    layout.for_each_part(begin, runs.length, [&](std::uint64_t block, std::uint64_t position, std::size_t bytes) {
      if (layout.owner_of(block) == owner) visit(block, position, run * runs.length + (position - begin), bytes);
    });
  }
}

}  // namespace

/// False: there is no pattern, or this access is none of it.
bool Files::copy_from_runs(OpenFile& file, std::span<std::byte> into) {
  if (!file.is_apart) return false;
  auto& [first, second] = file.batches_of_runs;
  const auto place_in = [&](const RunBatch& batch) { return batch.runs.place_of(file.position, into.size()); };
  RunBatch* batch = place_in(first) >= 0 ? &first : &second;
  if (place_in(*batch) < 0) {
    if (copies_.find(file.name_of(file.layout.block_of(file.position))) != nullptr) return false;
    const Runs runs = file.run.next(file.size, batch_bytes);
    if (runs.place_of(file.position, into.size()) < 0) return false;
    fetch_runs(file, *batch, runs);
  }
  wait_for_batch(*batch);
  const auto place = place_in(*batch);
  if (place < 0) return false;
  const std::byte* data = batch->data.data() + place;
  std::memcpy(into.data(), data, into.size());
  const std::uint64_t within = static_cast<std::uint64_t>(place) % batch->runs.length;
  file.read = {data - within, file.position - within, file.position - within + batch->runs.length, {}};

  RunBatch& other = batch == &first ? second : first;
  const Runs ahead =
      file.run.from(batch->runs.first + batch->runs.count * batch->runs.stride, file.size, batch_bytes);
  if (ahead.count > 0 && ahead != other.runs) {
    ++counters_.ahead;
    fetch_runs(file, other, ahead);
  }
  return true;
}

void Files::fetch_runs(OpenFile& file, RunBatch& batch, const Runs& runs) {
  wait_for_batch(batch);  // nothing comes into its place any more
  batch.runs = runs;
  batch.data.resize(runs.bytes());
  for (const int owner : file.layout.owners()) {
    std::size_t wanted = 0;
    for_each_part_of(file.layout, owner, runs,
                     [&](std::uint64_t, std::uint64_t, std::uint64_t, std::size_t bytes) { wanted += bytes; });
    if (wanted == 0) continue;
    const Note note{
        .kind = Kind::runs, .position = runs.first, .bytes = runs.length, .stride = runs.stride, .count = runs.count};
    batch.questions.push_back(ask(file, owner, note, {.batch = &batch, .bytes = wanted}));
  }
}

/// It has no runs afterwards when not all of it has come.
void Files::wait_for_batch(RunBatch& batch) {
  for (; !batch.questions.empty(); batch.questions.pop_back()) {
    if (!questions_.contains(batch.questions.back())) continue;  // somebody has waited for all
    try {
      (void)wait_for(batch.questions.back());
    } catch (const FileError&) {
      // Who asks for these bytes alone hears of it.
    }
  }
}

/// An owner's answer.
void Files::put_runs(const Question& question, std::span<const std::byte> body) {
  std::size_t taken = 0;
  for_each_part_of(find(question.file)->layout, question.owner, question.batch->runs,
                   [&](std::uint64_t, std::uint64_t, std::uint64_t place, std::size_t bytes) {
                     std::memcpy(question.batch->data.data() + place, body.data() + taken, bytes);
                     taken += bytes;
                   });
}

/// What this owner answers.
void Files::append_runs(const Note& note, const OpenFile& file, std::vector<std::byte>& message) {
  const Runs runs{note.position, note.bytes, note.stride, note.count};
  if (runs.length > batch_bytes || runs.count > batch_bytes || runs.bytes() > batch_bytes || runs.stride == 0) {
    throw FileError(EINVAL, file.path + ": no such runs");
  }
  message.reserve(message.size() + runs.bytes());
  for_each_part_of(file.layout, line_.rank(), runs,
                   [&](std::uint64_t block, std::uint64_t position, std::uint64_t, std::size_t bytes) {
                     const auto data = cache_.block(file.name_of(block))
                                           .subspan(static_cast<std::size_t>(position - file.layout.begin_of(block)));
                     message.insert(message.end(), data.begin(), data.begin() + static_cast<std::ptrdiff_t>(bytes));
                   });
}

}  // namespace nasvm::files
