#pragma once
/// \file
/// Files: one task's part in a file cache that all tasks of a program have together. Blocks of a shared file are
/// wrap-mapped to owners; each owner keeps those of its blocks that were used last, and alone goes to disk for them.
/// Small writes are collected and sent to owners in batches; reads come from the own cache, from a neighbour's memory
/// on the same computer, from copies, or are asked for.
///
/// Descriptors and file positions are each task's own view of the same files. Calls marked collective are made by all
/// tasks in the same order; one in which a task does not take part ends with an error (gathering.hpp). Others are
/// served in every call of the message layer, also by tasks that wait in it for something else; a task that computes
/// for long calls `look` now and then.
///
/// What a task has written, it reads. Others read it after the next `flush` or `close` of that file, `synchronize`,
/// `set_cache_sizes`, or `reserve` or `preload` of any file. `open`, and `flush` and `close` of other files, promise
/// nothing.
///
/// What was accepted by `write` and then got lost (its owner has no room for it, or has ended) is told until the file
/// is closed: by each `write` of that task, and by each collective call above that would say of it that all read it,
/// `close` at last.
///
/// Errors: FileError, whose code is as in errno. One thread; the line may have another one, which serves others while
/// this one computes.
///
/// Source: D'Azevedo and Romine, EDONIO: Extended Distributed Object Network I/O Library, sections 3 and 4.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vm/files/block_copies.hpp"
#include "vm/files/disk_cache.hpp"
#include "vm/files/gathering.hpp"
#include "vm/files/line.hpp"
#include "vm/files/open_file.hpp"
#include "vm/files/straight_reads.hpp"

namespace nasvm::files {

/// Which tasks are responsible for blocks, of those that can open the file.
enum class Owners : std::uint8_t { all, one_per_host, listed };

struct Options {
  std::size_t block_bytes = 64 * 1024;
  std::size_t data_bytes = std::size_t{8} << 20;   ///< read-only data cache of each task
  std::size_t disk_bytes = std::size_t{64} << 20;  ///< disk cache of each task
  std::size_t batch_bytes = 64 * 1024;             ///< of writes to one owner in one message
  Owners owners = Owners::all;
  std::vector<int> owner_list{};  ///< for `listed`
  Eviction eviction = Eviction::least_recent;
  bool durable = true;       ///< flush and close end with fsync
  bool share_memory = true;  ///< read from neighbours' caches on the same computer
  bool prefetch = true;      ///< ask ahead where reads show a pattern
  /// Reads of so many bytes and more come straight from the page cache of this host, where that has the file and all
  /// owners are here; eight times as many, where the disk cache has memory ready for their blocks, or twice, where
  /// tasks share cores; 0: none. By measurement (docs/decisions/io-auto.md).
  std::size_t straight_bytes = 512;
  bool hand_on = true;       ///< tasks of one host fetch blocks of files that are only read for each other
  bool thread = false;       ///< of a Session: others are served by a thread, also while the task computes
  std::vector<int> hosts{};  ///< by task; empty: each on its own
  bool crowded = false;      ///< tasks share cores
  /// A neighbour that is to hand a block on has to say so within the first, and to have it within the second; so does
  /// an owner, or it is looked whether it has ended. No parameters of NASVM_EDONIO: tests have others.
  std::chrono::milliseconds to_say_so{20};
  std::chrono::milliseconds to_answer{1000};

  /// `has_used_room`: the disk cache has memory ready.
  [[nodiscard]] std::size_t least_straight(bool has_used_room) const {
    if (!has_used_room) return straight_bytes;
    return straight_bytes * (crowded ? used_room_factor_in_crowd : used_room_factor);
  }
};

/// Whether a task can have caches of these sizes; 0 for `data_bytes`: none. FileError: EINVAL where they do not hold
/// a block, ENOMEM where they are larger than this computer's memory.
void check_cache_sizes(std::size_t data_bytes, std::size_t disk_bytes, std::size_t block_bytes);

class Files {
 public:
  /// How to open.
  struct Opening {
    Access access = Access::read;
    bool create = false;
    bool exclusive = false;
    bool truncate = false;
    int mode = 0666;
    /// So many bytes that follow each other, in whole blocks, are one owner's: where each task writes a long part of
    /// the file, it can be the owner of most of that, and needs no messages for it. 0: a block.
    std::uint64_t share_bytes = 0;
    /// All of it as numbers.
    [[nodiscard]] std::vector<std::int64_t> digest() const {
      const int flags =
          static_cast<int>(access) + (create ? 4 : 0) + (exclusive ? 8 : 0) + (truncate ? 16 : 0) + 32 * mode;
      return {flags, static_cast<std::int64_t>(share_bytes)};
    }
  };

  struct Counters {
    std::uint64_t batches = 0;          ///< messages with writes that were sent
    std::uint64_t questions = 0;        ///< reads that others were asked for
    std::uint64_t copies_used = 0;      ///< blocks that were found in the read-only data cache
    std::uint64_t neighbours_used = 0;  ///< and in a neighbour's memory
    std::uint64_t ahead = 0;            ///< asked for before they were wanted
    std::uint64_t handed_on = 0;        ///< blocks of other hosts that this task had or fetched for its neighbours
    std::uint64_t straight = 0;         ///< reads from the system's page cache, past this one
    DiskCache::Counters disk;
  };

  /// Collective. Line and disk outlive it. All tasks hear of `trouble`, which this one has had before, and of that it
  /// has no memory for its cache: FileError.
  Files(Line& line, Disk& disk, Options options, std::optional<FileError> trouble = {});
  ~Files();
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  /// Collective. A descriptor, from 0. EBUSY: another program has the file open, or this one a second time.
  int open(const std::string& path, const Opening& opening);
  /// Collective. Everything that was written is on disk afterwards (with Options::durable), and the file has its
  /// size. With an error the file is closed all the same, unless a task did not take part.
  void close(int fd);
  /// Collective. The same, without closing.
  void flush(int fd);
  /// Collective. All that was written so far, all tasks can read.
  void synchronize();
  /// Collective. Takes space on disk; returns `bytes`. EBADF for a file that is only read.
  std::uint64_t reserve(int fd, std::uint64_t bytes);
  /// Collective. Fills what is empty of the disk caches, from the least position of all tasks on.
  void preload(int fd);
  /// Collective. Sizes of the caches of each task; 0 for `data_bytes`: no copies.
  void set_cache_sizes(std::size_t data_bytes, std::size_t disk_bytes);

  /// Behind the end of the file: ENODATA, and nothing is read.
  void read(int fd, std::span<std::byte> into) {
    const Inside inside(*this);
    OpenFile& file = at(fd);
    if (!file.read_on(into.data(), into.size())) read_slowly(file, into);
  }
  /// Returns how much was written: less than all of it where the next call has an error to tell.
  std::size_t write(int fd, std::span<const std::byte> data) {
    const Inside inside(*this);
    OpenFile& file = at(fd);
    return file.write_on(data.data(), data.size()) ? data.size() : write_slowly(file, data);
  }
  enum class Whence : std::uint8_t { set, current, end };
  /// The new position. Whence::end: right for files that are only read, or after a flush.
  std::uint64_t seek(int fd, std::int64_t offset, Whence whence);
  /// Serves others. Does not wait.
  void look();

  /// Files to which this task has written since all was last on disk.
  [[nodiscard]] std::vector<std::string> unsaved() const;
  [[nodiscard]] Counters counters() const;
  [[nodiscard]] std::string_view path(int fd) { return at(fd).path; }

 private:
  /// Keeps the line's thread out until the end of a block; in every public call.
  class Inside {
   public:
    explicit Inside(const Files& files) : line_(files.has_thread_ ? &files.line_ : nullptr) {
      if (line_ != nullptr) line_->lock();
    }
    ~Inside() {
      if (line_ != nullptr) line_->unlock();
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Line* line_;
  };

  /// A block of another host that a neighbour hands on: was it asked for it, and has it said that it will?
  enum class Relay : std::uint8_t { none, asked, coming };
  /// Somebody else's question for the same.
  struct Follower {
    int task = 0;
    std::uint64_t number = 0;
  };
  /// Something that another task was asked for.
  struct Question {
    std::byte* into = nullptr;          ///< where the bytes go; null: none are expected
    BlockCopies::Copy* copy = nullptr;  ///< of which it fills the whole
    RunBatch* batch = nullptr;          ///< of which it fills the owner's parts
    std::uint32_t file = 0;
    int owner = 0;
    std::uint64_t writes = 0;  ///< batches that were sent to the owner before it
    std::uint64_t value = 0;   ///< of the answer
    std::size_t bytes = 0;
    Relay relay = Relay::none;
    std::uint64_t position = 0;         ///< in the file, of what is handed on
    std::vector<Follower> followers{};  ///< to whom the answer is handed on
    bool ahead = false;                 ///< nobody waits for it
    bool done = false;
    std::optional<FileError> error{};
  };
  using QuestionNumber = std::uint64_t;
  /// Under way at a time, for one read, and ahead.
  static constexpr std::size_t most_questions = 32;

  OpenFile& at(int fd);
  OpenFile* find(std::uint32_t number);
  [[nodiscard]] bool is_self(int task) const { return task == line_.rank(); }

  void begin_access(OpenFile& file, std::size_t bytes);

  // files_writing.cpp
  std::size_t write_slowly(OpenFile& file, std::span<const std::byte> data);
  void open_cursor(OpenFile& file, std::size_t least);
  /// Tells cache or batch what was written, and closes the read window.
  void close_cursor(OpenFile& file);
  /// Those of all files: before anything happens to the cache, or is sent.
  void close_cursors();
  void send_batch(OpenFile& file, int owner);
  void settle_writes(OpenFile& file);

  // files_reading.cpp
  void read_slowly(OpenFile& file, std::span<std::byte> into);
  void check_end(OpenFile& file, std::size_t bytes);
  bool copy_straight(OpenFile& file, std::span<std::byte> into);
  bool copy_part(OpenFile& file, std::uint64_t block, std::uint64_t position, std::span<std::byte> into);
  bool copy_from_neighbour(OpenFile& file, int owner, std::uint64_t block, std::size_t in_block,
                           std::span<std::byte> into);
  static void open_window(OpenFile& file, std::uint64_t block, const std::byte* data,
                          std::optional<FrameView> others);
  QuestionNumber ask_for(OpenFile& file, std::uint64_t block, std::uint64_t position, std::span<std::byte> into);
  enum class Asked : std::uint8_t { wanted, ahead };
  QuestionNumber ask_for_block(OpenFile& file, std::uint64_t block, BlockCopies::Copy& copy,
                               Asked asked = Asked::wanted);
  void read_ahead(OpenFile& file, std::uint64_t block);
  [[nodiscard]] bool is_worth_a_copy(OpenFile& file, std::uint64_t block, std::size_t bytes);
  void drop_copy(const OpenFile& file, std::uint64_t block);

  // files_runs.cpp
  bool copy_from_runs(OpenFile& file, std::span<std::byte> into);
  void fetch_runs(OpenFile& file, RunBatch& batch, const Runs& runs);
  void wait_for_batch(RunBatch& batch);
  void put_runs(const Question& question, std::span<const std::byte> body);
  void append_runs(const Note& note, const OpenFile& file, std::vector<std::byte>& message);

  // files_handing_on.cpp
  [[nodiscard]] int fetcher_of(const OpenFile& file, std::uint64_t block) const;
  [[nodiscard]] int source_of(const OpenFile& file, std::uint64_t block) const;
  void hand_on(int to, const Note& note, OpenFile& file);
  void answer_followers(Question& question, const Note& note, std::span<const std::byte> body);
  void ask_owner(QuestionNumber number, Question& question);

  // files_serving.cpp
  /// Sends what was written before, so that the answer knows of it.
  QuestionNumber ask(OpenFile& file, int owner, Note note, Question question);
  /// Blocks until the question is answered; throws its error. After an error, also one of the line, nothing comes
  /// into the caller's buffer any more.
  Question wait_for(QuestionNumber number);
  static FileError error_of_end(const OpenFile& file, int owner);
  void wait_for_answer(QuestionNumber number, Question& question);
  void give_up_place(const Question& question);
  /// Until those of a file are, or of all files; their errors are nobody's.
  void wait_for_all(std::optional<std::uint32_t> file = {});
  /// Nobody waits for it any more, and its bytes go nowhere.
  void abandon(QuestionNumber number);
  void take_answer(Question& question, const Note& note, std::span<const std::byte> body);
  void hear(int from, std::span<const std::byte> message);
  void hear_question(int from, const Note& note, std::span<const std::byte> body);
  void hear_answer(int from, const Note& note, std::span<const std::byte> body);
  void carry_out(OpenFile& file, std::span<const std::byte> pieces);
  std::vector<std::byte> answer(const Note& note, OpenFile& file);

  // files_meeting.cpp
  /// Collective. Throws what a task has brought as an error, and that a task did not take part.
  Outcome meet(const std::string& call, std::vector<std::int64_t> values = {}, std::string text = {},
               const std::optional<FileError>& error = {});
  /// All tasks came to the last collective call, and know what each has brought.
  [[nodiscard]] bool have_all_met() const {
    return outcome_.has_value() && outcome_->texts.size() == static_cast<std::size_t>(line_.size());
  }
  /// `message`: by which task 0 has heard of this one.
  void look_for_absent(const std::string& call, const std::vector<std::byte>& message, Absence& absence);
  void hear_of_call(int from, const Note& note, std::span<const std::byte> body);
  void settle(const std::optional<Gathering::Settled>& settled, std::uint64_t number);
  void leave() noexcept;
  void hear_of_end(int from, std::uint64_t session);
  void hear_of_outcome(std::uint64_t number, const Outcome& outcome);
  /// It takes part in nothing any more, as far as this task has heard.
  [[nodiscard]] bool is_gone(int task) const { return left_[static_cast<std::size_t>(task)] || line_.is_gone(task); }

  void gather_all(const std::string& call);
  void exchange_places(const std::string& call, const std::optional<FileError>& trouble = {});
  void gather_writes(OpenFile& file, const std::string& call);
  enum class Then : std::uint8_t { go_on, close };
  void write_out(OpenFile& file, const std::string& call, Then then);
  void forget_copies();
  [[nodiscard]] bool synchronizes(const OpenFile& file) const;

  // files_opening.cpp
  struct Attempt;
  Attempt attempt(const std::string& path, const Way& way);
  std::vector<Attempt> tell_all(const std::string& call, const Opening& opening, const Attempt& own,
                                const std::optional<FileError>& trouble);
  std::optional<FileError> open_with_others(OpenFile& file, const Opening& opening, const std::string& call);
  [[nodiscard]] bool is_one_host() const;
  std::optional<FileError> share(OpenFile& file, const Opening& opening, Attempt own,
                                 const std::vector<Attempt>& all);
  void prepare(OpenFile& file, const Opening& opening, const std::string& call, Attempt own);
  void deal_out(OpenFile& file, const Opening& opening, const std::vector<int>& able);
  [[nodiscard]] std::vector<int> choose_owners(const std::vector<int>& able) const;
  [[nodiscard]] int host_of(int task) const {
    return options_.hosts.empty() ? task : options_.hosts[static_cast<std::size_t>(task)];
  }

  Line& line_;
  bool has_thread_ = line_.has_thread();
  Disk& disk_;
  Options options_;
  DiskCache cache_;
  BlockCopies copies_;
  std::vector<std::unique_ptr<NeighbourFrames>> neighbours_;  ///< by task; null: out of reach
  std::vector<std::unique_ptr<OpenFile>> files_;              ///< by descriptor
  std::uint32_t next_file_ = 1;
  std::unordered_map<QuestionNumber, Question> questions_;
  QuestionNumber next_question_ = 1;
  std::vector<bool> silent_;  ///< by task: has let a question for what it hands on wait, and not been heard since
  Counters counters_;

  // Collective calls
  Gathering gathering_;
  std::uint64_t call_ = 0;  ///< number of the last one
  std::optional<Outcome> outcome_;
  std::uint64_t own_part_;                   ///< how many parts this process has had
  std::uint64_t session_ = 0;                ///< the same for all its tasks; 0: they have not met
  std::vector<bool> left_;                   ///< by task: its part has ended
  std::optional<std::vector<int>> arrived_;  ///< as task 0 knows them
  Absence* absence_ = nullptr;               ///< while waiting for others
  bool has_asked_who_ = false;
  std::uint64_t own_calls_ = 0;  ///< and answers and batches: in a long call a task gets on, too
};

}  // namespace nasvm::files
