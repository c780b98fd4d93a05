// Files: writes on their way to the caches of owners.

#include <fmt/format.h>

#include "vm/files/files.hpp"

namespace nasvm::files {

std::size_t Files::write_slowly(OpenFile& file, std::span<const std::byte> data) {
  begin_access(file, data.size());
  if (file.access == Access::read) throw FileError(EBADF, file.path + ": is open for reading only");
  if (data.size() > longest_file - file.position) {
    throw FileError(EFBIG, fmt::format("{}: no file is longer than {} bytes", file.path, longest_file));
  }
  // What was accepted and then got lost is told as soon as it is known, and from then on until the file is closed.
  if (file.lost.has_value()) throw *file.lost;
  if (file.trouble.has_value()) throw *file.trouble;
  std::size_t done = 0;
  file.layout.for_each_part(file.position, data.size(), [&](std::uint64_t, std::uint64_t, std::size_t bytes) {
    if (file.trouble.has_value() || file.lost.has_value()) return;
    close_cursor(file);
    try {
      open_cursor(file, bytes);
    } catch (const FileError& error) {
      file.trouble = error;
      return;
    }
    std::memcpy(file.write.at, data.data() + done, bytes);
    file.write.at += bytes;
    file.write.room -= bytes;
    file.write.position = file.position += bytes;
    done += bytes;
  });
  if (done == 0 && file.trouble.has_value()) throw *file.trouble;
  return done;
}

/// At the file's position, for so many bytes at least, which lie in one block.
void Files::open_cursor(OpenFile& file, std::size_t least) {
  file.is_saved = false;
  const std::uint64_t block = file.layout.block_of(file.position);
  const auto in_block = static_cast<std::size_t>(file.position - file.layout.begin_of(block));
  const int owner = file.layout.owner_of(block);
  std::span<std::byte> room;
  if (is_self(owner)) {
    room = cache_.room(file.name_of(block), in_block, least);
  } else {
    drop_copy(file, block);
    WriteBatch& batch = file.batches[static_cast<std::size_t>(owner)];
    room = batch.open(file.position, least);
    if (room.empty()) {
      send_batch(file, owner);
      room = batch.open(file.position, least);
    }
    room = room.first(std::min(room.size(), file.layout.block_bytes() - in_block));
  }
  file.write = {room.data(), room.size(), file.position, file.position, block, owner, true};
}

void Files::close_cursor(OpenFile& file) {
  file.read = {};
  if (!file.write.open) return;
  const WriteCursor& write = file.write;
  const auto bytes = static_cast<std::size_t>(write.position - write.begin);
  if (is_self(write.owner)) {
    const auto in_block = static_cast<std::size_t>(write.begin - file.layout.begin_of(write.block));
    cache_.wrote(file.name_of(write.block), in_block, bytes);
    file.owned_end = std::max(file.owned_end, write.position);
  } else {
    file.batches[static_cast<std::size_t>(write.owner)].close(bytes);
  }
  file.size = std::max(file.size, file.write.position);
  file.write = {};
}

void Files::close_cursors() {
  for (const auto& file : files_) {
    if (file != nullptr) close_cursor(*file);
  }
}

void Files::send_batch(OpenFile& file, int owner) {
  WriteBatch& batch = file.batches[static_cast<std::size_t>(owner)];
  if (batch.empty()) return;
  if (is_gone(owner)) {
    (void)batch.take({});
    if (!file.lost.has_value()) file.lost = error_of_end(file, owner);
    return;
  }
  ++file.sent[static_cast<std::size_t>(owner)].writes;
  ++counters_.batches;
  line_.post(owner, batch.take({.kind = Kind::write, .file = file.number}));
  ++own_calls_;
}

/// Everything that this task has written is in the caches of the owners afterwards.
void Files::settle_writes(OpenFile& file) {
  close_cursors();
  std::vector<QuestionNumber> asked;
  for (const int owner : file.layout.owners()) {
    if (is_self(owner) || file.is_settled(owner)) continue;
    send_batch(file, owner);
    asked.push_back(ask(file, owner, {.kind = Kind::settle}, {}));
  }
  std::optional<FileError> trouble;
  for (const QuestionNumber number : asked) {
    try {
      (void)wait_for(number);
    } catch (const FileError& error) {
      trouble = error;
    }
  }
  if (trouble.has_value()) throw *trouble;
}

}  // namespace nasvm::files
