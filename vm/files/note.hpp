#pragma once
/// \file
/// What tasks that share a file tell each other: notes with a head of fixed form and a body. The integers of heads
/// are little-endian; bodies are bytes of the file, a text or a PackBuffer.
///
/// | note     | from, to        | means                                                                      |
/// |----------|-----------------|----------------------------------------------------------------------------|
/// | write    | task, owner     | body: pieces (write_batch.hpp) for the owner's blocks; no answer           |
/// | settle   | task, owner     | answer when all writes of this task before it are in the cache: `done`     |
/// | read     | task, owner     | answer with so many bytes of a block from `position` on: `data`            |
/// | runs     | task, owner     | the same of all parts of `count` runs that are in the owner's blocks       |
/// | load     | task, owner     | have this block in the cache, where the asker can see it: `done`           |
/// | size     | task, owner     | how long is the file, as far as the owner knows: `done`                    |
/// | done     | owner, task     | the answer to `number`; `code` not 0: an error, whose text is the body     |
/// | data     | owner, task     | the same; the body is what was to be read                                  |
/// | coming   | task, neighbour | a block of another host, asked for by `read`, is handed on when it is here |
/// | arrive   | task, task 0    | it has come to a collective call (gathering.hpp)                           |
/// | outcome  | task 0, task    | what came of the call                                                      |
/// | who      | task, task 0    | who has come to the call?                                                  |
/// | here     | task 0, task    | these                                                                      |
/// | where    | task, task      | what are you doing? Without a thread not answered before the next call     |
/// | waiting  | task, task      | in the message layer, after so many calls, answers and batches             |
/// | working  | task, task      | outside it; only a thread can say so                                       |
/// | give_up  | task, task 0    | these will not come any more                                               |
/// | left     | task, task      | it takes part in nothing of the session `number` any more                  |

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vm/little_endian.hpp"
#include "vm/status.hpp"

namespace nasvm::files {

enum class Kind : std::uint8_t {
  write = 1,
  settle,
  read,
  runs,
  load,
  size,
  done,
  data,
  coming,
  arrive,
  outcome,
  who,
  here,
  where,
  waiting,
  working,
  give_up,
  left,
};

struct Note {
  Kind kind = Kind::done;
  std::uint32_t file = 0;
  std::int32_t code = 0;
  std::uint64_t number = 0;  ///< names a question among those of its task; in collective calls the number of the call
  std::uint64_t position = 0;  ///< in the file; `load`: block
  std::uint64_t bytes = 0;     ///< `runs`: of each
  std::uint64_t stride = 0;    ///< `runs`: from one to the next
  std::uint32_t count = 0;     ///< `runs`
  bool operator==(const Note&) const = default;
};

inline constexpr std::size_t note_bytes = 48;

inline void put(std::span<std::byte> out, const Note& note) {
  little_endian::put(out, 0, static_cast<std::uint32_t>(note.kind));
  little_endian::put(out, 4, note.file);
  little_endian::put(out, 8, static_cast<std::uint32_t>(note.code));
  little_endian::put(out, 12, note.count);
  little_endian::put(out, 16, note.number);
  little_endian::put(out, 24, note.position);
  little_endian::put(out, 32, note.bytes);
  little_endian::put(out, 40, note.stride);
}

/// A note and its body in one message.
inline std::vector<std::byte> encode(const Note& note, std::span<const std::byte> body = {}) {
  std::vector<std::byte> message;
  message.reserve(note_bytes + body.size());
  message.resize(note_bytes);
  put(message, note);
  message.insert(message.end(), body.begin(), body.end());
  return message;
}

inline std::vector<std::byte> encode(const Note& note, std::string_view text) {
  return encode(note, std::as_bytes(std::span(text.data(), text.size())));
}

/// Throws RunError for what is no note.
inline Note decode(std::span<const std::byte> message) {
  if (message.size() < note_bytes) throw RunError("a message to the file cache is too short");
  const auto kind = little_endian::get<std::uint32_t>(message, 0);
  if (kind < static_cast<std::uint32_t>(Kind::write) || kind > static_cast<std::uint32_t>(Kind::left)) {
    throw RunError("a message to the file cache is of no known kind");
  }
  return {static_cast<Kind>(kind),
          little_endian::get<std::uint32_t>(message, 4),
          static_cast<std::int32_t>(little_endian::get<std::uint32_t>(message, 8)),
          little_endian::get<std::uint64_t>(message, 16),
          little_endian::get<std::uint64_t>(message, 24),
          little_endian::get<std::uint64_t>(message, 32),
          little_endian::get<std::uint64_t>(message, 40),
          little_endian::get<std::uint32_t>(message, 12)};
}

inline std::span<const std::byte> body_of(std::span<const std::byte> message) { return message.subspan(note_bytes); }

inline std::string_view text_of(std::span<const std::byte> body) {
  return {reinterpret_cast<const char*>(body.data()), body.size()};
}

}  // namespace nasvm::files
