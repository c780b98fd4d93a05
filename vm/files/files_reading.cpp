// Files: reads, from the nearest place that has the bytes.

#include <fmt/format.h>

#include "vm/files/files.hpp"

namespace nasvm::files {

void Files::read_slowly(OpenFile& file, std::span<std::byte> into) {
  begin_access(file, into.size());
  if (file.access == Access::write) throw FileError(EBADF, file.path + ": is open for writing only");
  if (into.empty()) return;
  check_end(file, into.size());
  if (copy_straight(file, into)) {
    file.position += into.size();
    return;
  }
  file.run.access(file.position, into.size());
  if (copy_from_runs(file, into)) {
    file.position += into.size();
    return;
  }
  // Parts that others have to be asked for: all are asked first, then waited for.
  struct Part {
    QuestionNumber number;
    std::uint64_t block;
    std::uint64_t position;
    std::span<std::byte> into;
    bool of_copy;
  };
  std::vector<Part> asked;
  std::size_t awaited = 0;
  const auto finish = [&] {
    while (awaited < asked.size()) {
      const Part part = asked[awaited++];
      (void)wait_for(part.number);
      if (!part.of_copy || copy_part(file, part.block, part.position, part.into)) continue;
      (void)wait_for(ask_for(file, part.block, part.position, part.into));
    }
  };
  const auto read_part = [&](std::uint64_t block, std::uint64_t position, std::span<std::byte> part) {
    const auto ahead = file.pattern.next(block, file.layout.block_of(file.size - 1) + 1);
    if (!copy_part(file, block, position, part)) {
      BlockCopies::Copy* copy =
          is_worth_a_copy(file, block, part.size()) ? copies_.add(file.name_of(block)) : nullptr;
      if (copy != nullptr) asked.push_back({ask_for_block(file, block, *copy), block, position, part, true});
      else asked.push_back({ask_for(file, block, position, part), block, position, part, false});
    }
    for (const std::uint64_t next : ahead) read_ahead(file, next);
    if (asked.size() - awaited >= most_questions) finish();
  };
  try {
    std::size_t done = 0;
    file.layout.for_each_part(file.position, into.size(),
                              [&](std::uint64_t block, std::uint64_t position, std::size_t bytes) {
                                read_part(block, position, into.subspan(done, bytes));
                                done += bytes;
                              });
    finish();
  } catch (...) {
    // Another block may have been on its way into the window's place.
    file.read = {};
    // Nothing may come into the caller's buffer any more.
    for (; awaited < asked.size(); ++awaited) abandon(asked[awaited].number);
    throw;
  }
  file.position += into.size();
}

void Files::check_end(OpenFile& file, std::size_t bytes) {
  const std::uint64_t position = file.position;
  const auto fits = [&] { return position <= file.size && bytes <= file.size - position; };
  if (fits()) return;
  if (file.access == Access::read_write) {
    // Others may have written more than this task knows.
    for (const int owner : file.layout.owners()) {
      if (is_self(owner)) continue;
      send_batch(file, owner);
      file.size = std::max(file.size, wait_for(ask(file, owner, {.kind = Kind::size}, {})).value);
    }
    file.size = std::max(file.size, file.owned_end);
    if (fits()) return;
  }
  throw FileError(ENODATA, fmt::format("{}: {} bytes from {} on cannot be read: it has {}", file.path, bytes,
                                       position, file.size));
}

/// From the system's page cache. False: not worth it, not allowed, or it is not there. What this cache or a
/// neighbour's has costs no call, and comes from there.
bool Files::copy_straight(OpenFile& file, std::span<std::byte> into) {
  // Other owners' caches are taken for like this one's.
  const std::size_t least = options_.least_straight(cache_.has_used_room());
  if (!file.is_here || !file.is_saved || !file.straight.tries(into.size(), least)) return false;
  const std::uint64_t block = file.layout.block_of(file.position);
  const int owner = file.layout.owner_of(block);
  const auto& neighbour = neighbours_[static_cast<std::size_t>(owner)];
  const BlockName name = file.name_of(block);
  if (is_self(owner) ? cache_.holds(name) : neighbour != nullptr && neighbour->find(name).has_value()) return false;
  if (!file.disk->read_from_memory(file.position, into)) {
    file.straight.missed();
    return false;
  }
  file.straight.found();
  ++counters_.straight;
  return true;
}

/// From wherever they are at hand. False: their owner has to be asked.
bool Files::copy_part(OpenFile& file, std::uint64_t block, std::uint64_t position, std::span<std::byte> into) {
  const int owner = file.layout.owner_of(block);
  const std::size_t in_block = static_cast<std::size_t>(position - file.layout.begin_of(block));
  if (is_self(owner)) {
    const auto data = cache_.block(file.name_of(block));
    std::memcpy(into.data(), data.data() + in_block, into.size());
    open_window(file, block, data.data(), {});
    return true;
  }
  BlockCopies::Copy* copy = copies_.find(file.name_of(block));
  if (copy != nullptr && !copy->there) {
    (void)wait_for(copy->question);  // and throws when it does not come
    // What neighbours have asked for meanwhile may have taken its place.
    copy = copies_.find(file.name_of(block));
  }
  if (copy != nullptr && copy->there) {
    std::memcpy(into.data(), copy->data.data() + in_block, into.size());
    open_window(file, block, copy->data.data(), {});
    ++counters_.copies_used;
    return true;
  }
  return copy_from_neighbour(file, owner, block, in_block, into);
}

bool Files::copy_from_neighbour(OpenFile& file, int owner, std::uint64_t block, std::size_t in_block,
                                std::span<std::byte> into) {
  const auto& neighbour = neighbours_[static_cast<std::size_t>(owner)];
  if (neighbour == nullptr || !file.is_settled(owner)) return false;
  auto view = neighbour->find(file.name_of(block));
  if (!view.has_value()) {
    (void)wait_for(ask(file, owner, {.kind = Kind::load, .position = block}, {}));
    view = neighbour->find(file.name_of(block));
  }
  if (!view.has_value()) return false;
  std::memcpy(into.data(), view->data + in_block, into.size());
  if (!view->still_shown()) return false;
  open_window(file, block, view->data, view);
  ++counters_.neighbours_used;
  return true;
}

void Files::open_window(OpenFile& file, std::uint64_t block, const std::byte* data, std::optional<FrameView> others) {
  const std::uint64_t begin = file.layout.begin_of(block);
  file.read = {data, begin, std::min(file.layout.end_of(block), file.size), others};
}

Files::QuestionNumber Files::ask_for(OpenFile& file, std::uint64_t block, std::uint64_t position,
                                     std::span<std::byte> into) {
  const bool is_whole = into.size() == file.layout.block_bytes();
  return ask(file, is_whole ? source_of(file, block) : file.layout.owner_of(block),
             {.kind = Kind::read, .position = position, .bytes = into.size()},
             {.into = into.data(), .bytes = into.size()});
}

Files::QuestionNumber Files::ask_for_block(OpenFile& file, std::uint64_t block, BlockCopies::Copy& copy,
                                           Asked asked) {
  return ask(file, source_of(file, block),
             {.kind = Kind::read, .position = file.layout.begin_of(block), .bytes = file.layout.block_bytes()},
             {.into = copy.data.data(), .copy = &copy, .bytes = copy.data.size(), .ahead = asked == Asked::ahead});
}

/// Part of a block: is the rest of it likely to be read, too?
bool Files::is_worth_a_copy(OpenFile& file, std::uint64_t block, std::size_t bytes) {
  if (copies_.limit() == 0) return false;
  // All of it is read at once: a copy is for neighbours.
  if (bytes == file.layout.block_bytes()) return fetcher_of(file, block) == line_.rank();
  std::uint64_t& recent = file.recent[block % std::size(file.recent)];
  const bool again = recent == block + 1;
  recent = block + 1;
  // A few accesses of that length are all that a block has: the rest of it may be nobody's.
  constexpr std::size_t many = 16;
  if (bytes >= file.layout.block_bytes() / many && !file.run.goes_on()) return false;
  return again || file.pattern.holds();
}

void Files::read_ahead(OpenFile& file, std::uint64_t block) {
  if (!options_.prefetch) return;
  const int owner = file.layout.owner_of(block);
  const BlockName name = file.name_of(block);
  if (is_self(owner)) {
    if (!cache_.holds(name)) file.disk->expect(file.layout.begin_of(block), file.layout.block_bytes());
    return;
  }
  if (!file.is_settled(owner) || questions_.size() >= most_questions) return;
  if (const auto& neighbour = neighbours_[static_cast<std::size_t>(owner)]; neighbour != nullptr) {
    if (neighbour->find(name).has_value()) return;
    ++counters_.ahead;
    (void)ask(file, owner, {.kind = Kind::load, .position = block}, {.ahead = true});
    return;
  }
  // Not at the price of what was fetched a moment ago.
  if (copies_.limit() < 2 * AccessPattern::deepest || copies_.find(name) != nullptr) return;
  if (BlockCopies::Copy* copy = copies_.add(name); copy != nullptr) {
    ++counters_.ahead;
    (void)ask_for_block(file, block, *copy, Asked::ahead);
  }
}

/// This task writes to the block, so that its copy is out of date.
void Files::drop_copy(const OpenFile& file, std::uint64_t block) {
  if (BlockCopies::Copy* copy = copies_.find(file.name_of(block)); copy != nullptr) {
    if (!copy->there) (void)wait_for(copy->question);
    copies_.drop(file.name_of(block));
  }
}

}  // namespace nasvm::files
