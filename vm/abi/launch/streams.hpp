#pragma once
/// \file
/// The user's standard streams for programs of others. Tasks of this computer ask the console for them, by a socket
/// whose name is random and which only this user's processes may use, and write to them: lines, and pieces of lines.
/// On other computers these travel among what daemons say, and there is no input.

#include <signal.h>

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "vm/abi/launch/repeated_input.hpp"
#include "vm/abi/launch/terminal_input.hpp"
#include "vm/abi/launch/words.hpp"
#include "vm/net/fd.hpp"

namespace nasvm::abi {

/// Of a task that has told where it is (Told::waits): has it come out of MPI_Init? Tasks by do_nio never do.
[[nodiscard]] bool has_joined_mpi(std::string_view where);

/// What tasks have told since they were asked last.
struct Told {
  int ended = 0;                       ///< programs that have told of their end, the last that they tell
  int failure = 0;                     ///< exit status of the first program that has told of one that is not 0
  bool stranger = false;               ///< one has ended without MPI_Init
  bool early = false;                  ///< one has ended by itself before MPI_Finalize
  bool expected = false;               ///< one has seen the line that was waited for
  std::string refused{};               ///< why output could not be written; empty: it could
  std::map<int, std::string> waits{};  ///< by rank: where those are whose time is up
};

/// The descriptors that programs get; -1: none.
struct StandardStreams {
  int input = 0;
  int output = 1;
  int error = 2;
};

/// How many programs of rank 0 there will be.
enum class Programs { one, several };

/// Hands out streams and hears what is told, while it exists. Meanwhile SIGUSR1 and SIGUSR2 do not end this process,
/// but go to the programs of this computer that have their streams, unless it ignores them. Input from a terminal it
/// reads itself while that is this process's to read (terminal_input.hpp), for one task of rank 0 after the other. Of
/// several programs each has other input, files and pipes, from its beginning (repeated_input.hpp).
class StreamHost {
 public:
  /// The streams must outlive it. Throws RunError.
  explicit StreamHost(const StandardStreams& streams = {}, Programs programs = Programs::one);
  ~StreamHost();
  StreamHost(const StreamHost&) = delete;
  StreamHost& operator=(const StreamHost&) = delete;

  /// The socket's name, for tasks.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// A line that a daemon has said: of a task's words, or for the user. Blocks while output is written.
  void hear_remark(const std::string& line);
  /// How many programs have told of their end since `take`.
  [[nodiscard]] int ended();
  /// What tasks of this computer had told before they ended is among it; words of others may be under way. Writes
  /// what has come of lines without an end.
  Told take();
  /// Before this process says something itself, or programs of another run do: a newline where a task's line stands
  /// open on standard error or a terminal. Not where there is no room for it: never blocks.
  void end_lines();
  /// Is there no input for one more program, as it was too long to be kept?
  [[nodiscard]] bool has_lost_input();

 private:
  /// A task that has connected. What it reads first has to be the streams.
  struct Guest {
    net::Fd socket;
    bool has_streams = false;
  };

  void serve();
  void hear_all();
  void welcome();
  [[nodiscard]] bool hear(Guest& guest);
  void send_streams_to(Guest& guest, int rank);
  void take(Word word);
  [[nodiscard]] int descriptor_of(int stream) const;
  void take_unfinished(const Word& word, int stream);
  void print(int rank, int stream, std::string_view text, bool is_ended);
  void note_line(int stream, bool is_open);
  void end_open_lines();
  void pass_signal_on();

  StandardStreams streams_;
  std::string name_;
  net::Fd listener_;
  net::Fd stop_read_, stop_write_;
  net::Fd signals_;
  sigset_t signals_before_;
  std::mutex mutex_;  ///< of what follows
  std::vector<Guest> guests_;
  Told told_;
  std::map<std::pair<int, int>, std::string> parts_;  ///< of lines, by rank and stream
  std::set<int> open_streams_;                        ///< 1 and 2, where the last line that was told of stands open
  // None of them: the input is handed out as it is.
  std::optional<TerminalInput> terminal_;
  std::optional<RepeatedFile> file_;
  std::optional<RepeatedPipe> pipe_;
  std::thread server_;
};

/// A task's end of it.
class StreamGuest {
 public:
  /// Asks for the streams. Where they cannot be had, words go as remarks to this process's standard error.
  /// `has_tags`: "[rank] " in front of each line.
  StreamGuest(const std::string& name, int rank, bool has_tags = false);

  /// Of rank 0, and on the console's computer; else none.
  [[nodiscard]] const net::Fd& input() const { return input_; }
  /// The program alone has it from now on: when it closes it, the console sees that nobody reads.
  void close_input() { input_.reset(); }
  /// Writes a line, or a piece of one that has no end yet, in one piece where others write, too. `stream` is 1 or 2.
  /// Blocks until it is taken. Returns why it cannot be written, or 0.
  [[nodiscard]] int write(int stream, std::string_view text, bool is_ended = true);
  /// Whether a piece is wanted while its line goes on: on a terminal, but for lines with tags. Of other computers the
  /// console decides that.
  [[nodiscard]] bool is_looked_at(int stream) const;
  void tell(Word::Kind kind, std::string_view text) const;
  /// Can be read when the console has sent a signal; -1: it does not.
  [[nodiscard]] int signal_descriptor() const { return socket_.get(); }
  /// That signal; 0: none, and nothing will come.
  [[nodiscard]] int read_signal() const;

 private:
  void tell_piece(int stream, std::string_view piece, bool is_ended) const;

  int rank_;
  std::string tag_;
  std::array<bool, 2> stands_open_{};  ///< its own line of output, of error
  net::Fd socket_;
  net::Fd input_, output_, error_;
};

}  // namespace nasvm::abi
