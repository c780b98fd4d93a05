// Files: how tasks open a file together, and find out who can.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "vm/files/files.hpp"

namespace nasvm::files {

/// What came of opening the file in one task.
struct Files::Attempt {
  int code = 0;  ///< 0: it is open
  std::string error;
  std::uint64_t identity = 0;
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;
  std::unique_ptr<DiskFile> file{};
  bool is_locked = false;

  [[nodiscard]] bool works() const { return code == 0; }
  /// A file of the same name on a disk of another host's own is another one, and most often looks so. The other way
  /// round nothing is lost: who does not know a file again only owns nothing of it.
  [[nodiscard]] bool has_file_of(const Attempt& other) const {
    return works() && identity == other.identity && size == other.size && changed_ns == other.changed_ns;
  }
  void look() {
    identity = file->identity();
    size = file->size();
    changed_ns = file->changed_ns();
  }
  void lock(Access access) {
    file->lock(access);
    is_locked = true;
    look();  // whoever had it open before may have written to it
  }
};

Files::Attempt Files::attempt(const std::string& path, const Way& way) {
  Attempt made;
  try {
    made.file = disk_.open(path, way);
    made.look();
  } catch (const FileError& error) {
    made.file.reset();
    made.code = error.code();
    made.error = error.what();
  }
  return made;
}

/// Collective. Those of all tasks, without their files. Throws a task's `trouble`.
std::vector<Files::Attempt> Files::tell_all(const std::string& call, const Opening& opening, const Attempt& own,
                                            const std::optional<FileError>& trouble) {
  const std::string text = fmt::format("{} {} {} {} {}", own.code, own.identity, own.size, own.changed_ns, own.error);
  std::vector<Attempt> all;
  const Outcome met = meet(call, opening.digest(), text, trouble);
  if (met.least != met.most) throw FileError(EINVAL, call + ": tasks open it with different flags, modes or shares");
  for (const std::string& said : met.texts) {
    Attempt attempt;
    unsigned long long identity = 0;
    unsigned long long size = 0;
    long long changed_ns = 0;
    int error_at = 0;
    if (std::sscanf(said.c_str(), "%d %llu %llu %lld %n", &attempt.code, &identity, &size, &changed_ns, &error_at) !=
        4) {
      throw FileError(EIO, call + ": a task's attempt is not understood");
    }
    attempt.identity = identity;
    attempt.size = size;
    attempt.changed_ns = changed_ns;
    attempt.error = said.substr(static_cast<std::size_t>(error_at));
    all.push_back(std::move(attempt));
  }
  return all;
}

int Files::open(const std::string& path, const Opening& opening) {
  const Inside inside(*this);
  const std::string call = "do_open " + path;
  auto file = std::make_unique<OpenFile>();
  file->number = next_file_;
  file->path = path;
  file->access = opening.access;
  std::optional<FileError> trouble = open_with_others(*file, opening, call);
  for (int task = 0; task < line_.size(); ++task) {
    file->batches.emplace_back(std::max(options_.batch_bytes, options_.block_bytes) + 64);
  }
  file->sent.resize(static_cast<std::size_t>(line_.size()));
  const auto place = std::find(files_.begin(), files_.end(), nullptr);
  const auto fd = static_cast<int>(place - files_.begin());
  if (place == files_.end()) files_.push_back(std::move(file));
  else *place = std::move(file);
  OpenFile& opened = *files_[static_cast<std::size_t>(fd)];
  if (opened.disk != nullptr) cache_.add(opened.number, *opened.disk, opened.size);
  try {
    (void)meet(call, {}, "", trouble);  // nobody is asked before it knows the file
  } catch (...) {
    cache_.remove(opened.number);
    files_[static_cast<std::size_t>(fd)].reset();
    throw;
  }
  ++next_file_;  // here, where all tasks come or none: what has not met may be one task's call alone
  return fd;
}

/// Collective. The first task that can keeps the lock; what others open has to be the same file. Returns what has
/// gone wrong since all knew that it can be opened.
std::optional<FileError> Files::open_with_others(OpenFile& file, const Opening& opening, const std::string& call) {
  Way way{.access = opening.access};
  Attempt own;
  own.code = ENOENT;
  std::optional<FileError> trouble;
  if (!opening.exclusive) own = attempt(file.path, way);
  // Where task 0 can open it, that is the first one: it need not be told before it takes the lock.
  if (is_self(0) && own.works()) try_to(trouble, [&] { own.lock(opening.access); });
  auto all = tell_all(call, opening, own, trouble);
  auto keeper = std::find_if(all.begin(), all.end(), [](const Attempt& attempt) { return attempt.works(); });
  // One system: what a task has opened before the lock was taken is what it would open afterwards.
  if (keeper == all.begin() && is_one_host()) return share(file, opening, std::move(own), all);
  if (keeper == all.end() && !opening.create) throw FileError(all[0].code, all[0].error);
  way.create = true;
  way.exclusive = opening.exclusive;
  way.mode = opening.mode;
  for (int candidate = 0; keeper == all.end(); ++candidate) {
    if (is_self(candidate)) own = attempt(file.path, way);
    const auto told = tell_all(call, opening, own, {});
    const Attempt& theirs = told[static_cast<std::size_t>(candidate)];
    if (candidate == 0) {
      all[0].code = theirs.code;
      all[0].error = theirs.error;
    }
    if (theirs.works()) keeper = all.begin() + candidate;
    else if (!may_work_elsewhere(theirs.code)) throw FileError(theirs.code, theirs.error);
    else if (candidate + 1 == line_.size()) throw FileError(all[0].code, all[0].error);
  }
  if (keeper == all.begin() && is_one_host()) {
    if (is_self(0)) try_to(trouble, [&] { own.lock(opening.access); });
    else own = attempt(file.path, {.access = opening.access});
    all = tell_all(call, opening, own, trouble);
    return share(file, opening, std::move(own), all);
  }
  file.keeper = static_cast<int>(keeper - all.begin());
  prepare(file, opening, call, std::move(own));
  return {};
}

bool Files::is_one_host() const {
  for (int task = 0; task < line_.size(); ++task) {
    if (host_of(task) != host_of(0)) return false;
  }
  return true;
}

/// All that have opened task 0's file use what they have; task 0, which has the lock, cuts it.
std::optional<FileError> Files::share(OpenFile& file, const Opening& opening, Attempt own,
                                      const std::vector<Attempt>& all) {
  file.keeper = 0;
  file.size = opening.truncate ? 0 : all[0].size;
  std::vector<int> able;
  for (int task = 0; task < line_.size(); ++task) {
    if (all[static_cast<std::size_t>(task)].has_file_of(all[0])) able.push_back(task);
  }
  if (std::ranges::find(able, line_.rank()) != able.end()) file.disk = std::move(own.file);
  deal_out(file, opening, able);
  std::optional<FileError> trouble;
  if (is_self(0) && opening.truncate) try_to(trouble, [&] { file.disk->resize(0); });
  return trouble;
}

/// Collective. The keeper, which has opened the file, locks and cuts it; then the others open it.
void Files::prepare(OpenFile& file, const Opening& opening, const std::string& call, Attempt own) {
  std::optional<FileError> trouble;
  if (is_self(file.keeper)) {
    try_to(trouble, [&] {
      if (!own.is_locked) own.lock(opening.access);
      if (opening.truncate) own.file->resize(0);
      own.look();
    });
    file.disk = std::move(own.file);
  }
  const std::string text = fmt::format("{} {} {}", own.identity, own.size, own.changed_ns);
  const std::string said = meet(call, {}, text, trouble).texts[static_cast<std::size_t>(file.keeper)];
  unsigned long long identity = 0;
  unsigned long long size = 0;
  long long changed_ns = 0;
  (void)std::sscanf(said.c_str(), "%llu %llu %lld", &identity, &size, &changed_ns);
  Attempt kept;
  kept.identity = identity;
  kept.size = file.size = size;
  kept.changed_ns = changed_ns;
  if (!is_self(file.keeper)) {
    own = attempt(file.path, {.access = opening.access});
    if (own.has_file_of(kept)) file.disk = std::move(own.file);
  }
  std::vector<int> able;
  const auto opened_by = meet(call, {}, file.disk != nullptr ? "open" : "").texts;
  for (std::size_t task = 0; task < opened_by.size(); ++task) {
    if (!opened_by[task].empty()) able.push_back(static_cast<int>(task));
  }
  deal_out(file, opening, able);
}

/// Its blocks, to owners among those that have it open.
void Files::deal_out(OpenFile& file, const Opening& opening, const std::vector<int>& able) {
  const std::uint64_t share_blocks = (std::max<std::uint64_t>(opening.share_bytes, 1) - 1) / options_.block_bytes + 1;
  file.layout = Layout(options_.block_bytes, choose_owners(able), share_blocks);
  const auto is_on_this_host = [this](int owner) { return host_of(owner) == host_of(line_.rank()); };
  file.is_here = file.disk != nullptr && std::ranges::all_of(file.layout.owners(), is_on_this_host);
  for (int task = 0; task < line_.size() && options_.hand_on && file.access == Access::read; ++task) {
    if (is_on_this_host(task)) file.fetchers.push_back(task);
  }
  const auto is_at_hand = [this](int owner) {
    return is_self(owner) || neighbours_[static_cast<std::size_t>(owner)] != nullptr;
  };
  file.is_apart =
      options_.prefetch && file.access == Access::read && std::ranges::none_of(file.layout.owners(), is_at_hand);
}

std::vector<int> Files::choose_owners(const std::vector<int>& able) const {
  std::vector<int> chosen;
  std::vector<int> hosts;
  for (const int task : able) {
    const auto has = [](const std::vector<int>& list, int value) {
      return std::find(list.begin(), list.end(), value) != list.end();
    };
    if (options_.owners == Owners::listed && !has(options_.owner_list, task)) continue;
    if (options_.owners == Owners::one_per_host && has(hosts, host_of(task))) continue;
    hosts.push_back(host_of(task));
    chosen.push_back(task);
  }
  return chosen.empty() ? able : chosen;
}

}  // namespace nasvm::files
