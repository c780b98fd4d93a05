// Files: questions to owners, and what owners do for others.

#include <fmt/format.h>

#include <utility>

#include "vm/files/files.hpp"

namespace nasvm::files {

Files::QuestionNumber Files::ask(OpenFile& file, int owner, Note note, Question question) {
  send_batch(file, owner);
  note.file = file.number;
  note.number = next_question_++;
  if (question.copy != nullptr) question.copy->question = note.number;
  question.file = file.number;
  question.owner = owner;
  question.position = note.position;
  const bool is_relayed =
      note.kind == Kind::read && owner != file.layout.owner_of(file.layout.block_of(note.position));
  if (is_relayed) question.relay = Relay::asked;
  question.writes = file.sent[static_cast<std::size_t>(owner)].writes;
  questions_.emplace(note.number, std::move(question));
  ++counters_.questions;
  line_.post(owner, encode(note));
  return note.number;
}

Files::Question Files::wait_for(QuestionNumber number) {
  Question& waited = questions_.at(number);
  waited.ahead = false;
  try {
    wait_for_answer(number, waited);
  } catch (...) {
    abandon(number);  // when the answer comes, the caller may have other uses for its buffer
    throw;
  }
  Question question = std::move(waited);
  questions_.erase(number);
  if (question.error.has_value()) {
    give_up_place(question);
    throw *question.error;
  }
  return question;
}

FileError Files::error_of_end(const OpenFile& file, int owner) {
  return {EIO, fmt::format("{}: task {}, which has a part of it, has ended", file.path, owner)};
}

/// Until it is done, or has an error.
void Files::wait_for_answer(QuestionNumber number, Question& question) {
  if (question.relay != Relay::none &&
      (silent_[static_cast<std::size_t>(question.owner)] || is_gone(question.owner))) {
    ask_owner(number, question);
  }
  // Who hands it on has to say so, and then to fetch it. It may be at work, and the owner not.
  bool has_to_say_so = question.relay != Relay::none;
  const auto deadline = [&] {
    const auto now = std::chrono::steady_clock::now();
    if (question.relay == Relay::none && is_gone(question.owner)) return now;
    return now + (has_to_say_so ? options_.to_say_so : options_.to_answer);
  };
  while (!line_.wait_until([&] { return question.done; }, deadline())) {
    if (std::exchange(has_to_say_so, false) && question.relay == Relay::coming) continue;
    if (question.relay != Relay::none) {
      silent_[static_cast<std::size_t>(question.owner)] = true;
      ask_owner(number, question);
      continue;
    }
    if (!is_gone(question.owner)) continue;
    question.error = error_of_end(*find(question.file), question.owner);
    return;
  }
}

/// Its bytes do not come: neither copy nor batch has them.
void Files::give_up_place(const Question& question) {
  if (question.copy != nullptr) copies_.drop(question.copy->name);
  if (question.batch != nullptr) question.batch->runs = {};
}

void Files::wait_for_all(std::optional<std::uint32_t> file) {
  for (auto next = questions_.begin(); next != questions_.end();) {
    if (file.has_value() && next->second.file != *file) {
      ++next;
      continue;
    }
    try {
      (void)wait_for(next->first);
    } catch (const FileError&) {
      // Who asked ahead has no use for the error: whoever needs the bytes will ask again.
    }
    next = questions_.begin();
  }
}

void Files::abandon(QuestionNumber number) {
  const auto found = questions_.find(number);
  if (found == questions_.end()) return;
  if (found->second.done) {
    if (found->second.error.has_value()) give_up_place(found->second);
    questions_.erase(found);
    return;
  }
  found->second.ahead = true;
  if (found->second.copy == nullptr) found->second.into = nullptr;
}

void Files::hear(int from, std::span<const std::byte> message) {
  const Note note = decode(message);
  const auto body = body_of(message);
  close_cursors();
  silent_[static_cast<std::size_t>(from)] = false;
  switch (note.kind) {
    case Kind::write:
    case Kind::settle:
    case Kind::read:
    case Kind::runs:
    case Kind::load:
    case Kind::size:
      return hear_question(from, note, body);
    case Kind::done:
    case Kind::data:
    case Kind::coming:
      return hear_answer(from, note, body);
    default:
      return hear_of_call(from, note, body);
  }
}

void Files::hear_question(int from, const Note& note, std::span<const std::byte> body) {
  Note reply{.kind = Kind::done, .file = note.file, .number = note.number};
  try {
    OpenFile* file = find(note.file);
    if (file != nullptr && note.kind == Kind::read &&
        !is_self(file->layout.owner_of(file->layout.block_of(note.position)))) {
      return hand_on(from, note, *file);
    }
    if (file == nullptr || file->disk == nullptr) throw FileError(EBADF, "a file that is not open was asked for");
    if (note.kind == Kind::write) return carry_out(*file, body);
    line_.post(from, answer(note, *file));
  } catch (const FileError& error) {
    reply.code = error.code();
    line_.post(from, encode(reply, std::string_view(error.what())));
  }
}

void Files::carry_out(OpenFile& file, std::span<const std::byte> pieces) {
  std::optional<FileError> trouble;
  for_each_piece(pieces, [&](std::uint64_t position, std::span<const std::byte> data) {
    file.layout.for_each_part(position, data.size(), [&](std::uint64_t block, std::uint64_t at, std::size_t bytes) {
      const auto in_block = static_cast<std::size_t>(at - file.layout.begin_of(block));
      try {
        std::memcpy(cache_.room(file.name_of(block), in_block, bytes).data(), data.data() + (at - position), bytes);
        cache_.wrote(file.name_of(block), in_block, bytes);
        file.owned_end = std::max(file.owned_end, at + bytes);
      } catch (const FileError& error) {
        trouble = error;  // the other blocks may have room
      }
    });
  });
  if (trouble.has_value()) throw *trouble;
}

std::vector<std::byte> Files::answer(const Note& note, OpenFile& file) {
  Note reply{.kind = Kind::done, .file = note.file, .number = note.number};
  switch (note.kind) {
    case Kind::read: {
      const std::uint64_t block = file.layout.block_of(note.position);
      const std::uint64_t in_block = note.position - file.layout.begin_of(block);
      if (note.bytes > file.layout.block_bytes() - in_block) throw FileError(EINVAL, file.path + ": no such bytes");
      reply.kind = Kind::data;
      const auto data = cache_.block(file.name_of(block));
      return encode(reply, data.subspan(static_cast<std::size_t>(in_block), static_cast<std::size_t>(note.bytes)));
    }
    case Kind::runs: {
      reply.kind = Kind::data;
      std::vector<std::byte> message = encode(reply);
      append_runs(note, file, message);
      return message;
    }
    case Kind::load:
      (void)cache_.block(file.name_of(note.position));
      break;
    case Kind::size:
      reply.bytes = file.owned_end;
      break;
    default:
      break;
  }
  return encode(reply);
}

void Files::hear_answer(int from, const Note& note, std::span<const std::byte> body) {
  OpenFile* file = find(note.file);
  if (note.number == 0) {  // nobody has asked: a batch of writes has failed
    if (file != nullptr && !file->lost.has_value()) file->lost.emplace(note.code, std::string(text_of(body)));
    return;
  }
  const auto found = questions_.find(note.number);
  if (found == questions_.end()) return;
  Question& question = found->second;
  if (note.kind == Kind::coming) {
    if (question.relay == Relay::asked) question.relay = Relay::coming;
    return;
  }
  if (note.code != 0 && from != question.owner) return;  // a neighbour refuses, and is not waited for any more
  if (note.code != 0 && question.relay != Relay::none) return ask_owner(note.number, question);
  if (!question.ahead) ++own_calls_;
  if (file != nullptr) {
    std::uint64_t& settled = file->sent[static_cast<std::size_t>(from)].settled;
    settled = std::max(settled, question.writes);
  }
  take_answer(question, note, body);
  answer_followers(question, note, body);
  if (!question.ahead) return;
  if (question.error.has_value()) give_up_place(question);
  questions_.erase(found);
}

void Files::take_answer(Question& question, const Note& note, std::span<const std::byte> body) {
  question.done = true;
  question.value = note.bytes;
  if (note.code != 0) {
    question.error.emplace(note.code, std::string(text_of(body)));
    return;
  }
  if (note.kind != Kind::data || (question.into == nullptr && question.batch == nullptr)) return;
  if (body.size() != question.bytes) {
    question.error.emplace(EIO, "an owner has sent another number of bytes than it was asked for");
    return;
  }
  if (question.batch != nullptr) return put_runs(question, body);
  std::memcpy(question.into, body.data(), body.size());
  if (question.copy != nullptr) question.copy->there = true;
}

}  // namespace nasvm::files
