// Files: blocks of other hosts, which tasks of one host fetch for each other, each block once. For files that are
// only read: no copy is ever out of date.

#include "vm/files/files.hpp"

namespace nasvm::files {

/// The task of this host that fetches a block for all of its tasks; the owner, where there is nobody like that.
int Files::fetcher_of(const OpenFile& file, std::uint64_t block) const {
  const int owner = file.layout.owner_of(block);
  const std::size_t tasks = file.fetchers.size();
  if (tasks < 2 || host_of(owner) == host_of(line_.rank())) return owner;
  // Blocks of one owner should not all be one task's.
  return file.fetchers[static_cast<std::size_t>(block / file.layout.owners().size() % tasks)];
}

/// Whom to ask for a whole block.
int Files::source_of(const OpenFile& file, std::uint64_t block) const {
  const int fetcher = fetcher_of(file, block);
  return is_self(fetcher) || silent_[static_cast<std::size_t>(fetcher)] ? file.layout.owner_of(block) : fetcher;
}

/// A neighbour asks for a block of another host: it gets this task's copy, at once or when that has come.
void Files::hand_on(int to, const Note& note, OpenFile& file) {
  const std::uint64_t block = file.layout.block_of(note.position);
  if (note.position != file.layout.begin_of(block) || note.bytes != file.layout.block_bytes()) {
    throw FileError(EINVAL, file.path + ": no whole block");
  }
  const BlockName name = file.name_of(block);
  BlockCopies::Copy* copy = copies_.find(name);
  if (copy != nullptr && copy->there) {
    ++counters_.handed_on;
    return line_.post(to, encode({.kind = Kind::data, .file = note.file, .number = note.number}, copy->data));
  }
  if (copy == nullptr) {
    copy = copies_.add(name);
    if (copy == nullptr) throw FileError(EAGAIN, file.path + ": no room for what others want");
    (void)ask_for_block(file, block, *copy, Asked::ahead);
  }
  const auto fetching = questions_.find(copy->question);
  if (fetching == questions_.end() || fetching->second.done) throw FileError(EAGAIN, file.path + ": has not come");
  fetching->second.followers.push_back({to, note.number});
  line_.post(to, encode({.kind = Kind::coming, .file = note.file, .number = note.number}));
}

/// What has come is also theirs; an error each may hear from the owner.
void Files::answer_followers(Question& question, const Note& note, std::span<const std::byte> body) {
  for (const Follower& follower : question.followers) {
    Note reply{.kind = note.kind, .file = note.file, .code = note.code, .number = follower.number};
    if (note.kind == Kind::data) ++counters_.handed_on;
    line_.post(follower.task, encode(reply, body));
  }
  question.followers.clear();
}

/// A neighbour was asked, and does not hand it on in time, or at all.
void Files::ask_owner(QuestionNumber number, Question& question) {
  const OpenFile& file = *find(question.file);
  question.relay = Relay::none;
  question.owner = file.layout.owner_of(file.layout.block_of(question.position));
  ++counters_.questions;
  line_.post(question.owner, encode({.kind = Kind::read,
                                     .file = question.file,
                                     .number = number,
                                     .position = question.position,
                                     .bytes = question.bytes}));
}

}  // namespace nasvm::files
