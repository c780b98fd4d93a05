#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>

#include "vm/abi/launch/stream_socket.hpp"
#include "vm/abi/launch/streams.hpp"
#include "vm/abi/whereabouts/whereabouts.hpp"
#include "vm/auth.hpp"
#include "vm/process/line_pieces.hpp"
#include "vm/process/pipe.hpp"
#include "vm/status.hpp"
#include "vm/write_all.hpp"

namespace nasvm::abi {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw RunError("cannot hand out the standard streams: " + what + ": " + std::strerror(errno));
}

void send_streams(int socket, const StandardStreams& streams) {
  std::array<int, 3> descriptors{streams.output, streams.error, streams.input};
  const std::size_t bytes = (streams.input >= 0 ? 3 : 2) * sizeof(int);
  StreamControl control{};
  StreamParcel parcel(control);
  parcel.message.msg_controllen = CMSG_SPACE(bytes);
  cmsghdr* head = CMSG_FIRSTHDR(&parcel.message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(head), descriptors.data(), bytes);
  (void)::sendmsg(socket, &parcel.message, MSG_NOSIGNAL);
}

/// Not where there is no room for it.
void end_line(int descriptor) {
  pollfd room{descriptor, POLLOUT, 0};
  if (::poll(&room, 1, 0) > 0 && (room.revents & POLLOUT) != 0) (void)!::write(descriptor, "\n", 1);
}

/// Those of the user's own signals that this process does not ignore, and the one after which the terminal may be
/// ours again.
sigset_t heard_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCONT);
  for (const int number : {SIGUSR1, SIGUSR2}) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) ::sigaddset(&set, number);
  }
  return set;
}

/// All of this thread's signals, while it lives: threads that begin meanwhile never take one. Else a signal for which
/// another thread waits later (SignalWatch) would find one that does not block it, and end the process.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

/// Two terminals are one, as a program has one.
bool are_one_place(int output, int error) {
  if (::isatty(output) == 1 && ::isatty(error) == 1) return true;
  struct stat one {};
  struct stat other {};
  return ::fstat(output, &one) == 0 && ::fstat(error, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

}  // namespace

bool has_joined_mpi(std::string_view where) { return where != not_in_mpi; }

StreamHost::StreamHost(const StandardStreams& streams, Programs programs)
    : streams_(streams),
      name_("nasvm-streams-" + to_hex(make_secret())),
      listener_(make_stream_socket()),
      terminal_(TerminalInput::of(streams.input)),
      file_(RepeatedFile::of(streams.input)) {
  if (programs == Programs::several) pipe_ = RepeatedPipe::of(streams.input);
  const StreamAddress address(name_);
  if (::bind(listener_.get(), address.get(), address.length) != 0 || ::listen(listener_.get(), SOMAXCONN) != 0) {
    fail("no socket");
  }
  process::Pipe stop;
  stop_read_ = std::move(stop.read);
  stop_write_ = std::move(stop.write);
  const sigset_t heard = heard_signals();
  ::sigprocmask(SIG_BLOCK, &heard, &signals_before_);
  signals_ = net::Fd(::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK));
  const BlockedSignals blocked;
  server_ = std::thread([this] { serve(); });
}

StreamHost::~StreamHost() {
  stop_write_.reset();
  server_.join();
  ::sigprocmask(SIG_SETMASK, &signals_before_, nullptr);
}

void StreamHost::serve() {
  for (;;) {
    std::vector<pollfd> watched{
        {stop_read_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
    int patience = -1;
    {
      const std::lock_guard lock(mutex_);
      for (const Guest& guest : guests_) watched.push_back({guest.socket.get(), POLLIN, 0});
      if (terminal_) {
        terminal_->watch(watched);
        patience = terminal_->patience();
      }
      if (pipe_) pipe_->watch(watched);
    }
    if (::poll(watched.data(), watched.size(), patience) < 0) continue;
    if (watched[0].revents != 0) return;
    const std::lock_guard lock(mutex_);
    if (watched[1].revents != 0) welcome();
    hear_all();  // whose word is there gets the signal, too
    if (watched[2].revents != 0) pass_signal_on();
    if (terminal_) terminal_->go_on();
    if (pipe_) pipe_->go_on();
  }
}

void StreamHost::hear_all() {
  for (Guest& guest : guests_) {
    if (!hear(guest)) guest.socket.reset();
  }
  std::erase_if(guests_, [](const Guest& guest) { return !guest.socket; });
}

void StreamHost::welcome() {
  net::Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (socket && is_own_process(socket.get())) guests_.push_back({std::move(socket)});
}

/// False: nothing more will come.
bool StreamHost::hear(Guest& guest) {
  std::array<char, longest_packet> packet;
  for (;;) {
    const ssize_t count = ::recv(guest.socket.get(), packet.data(), packet.size(), MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    const auto word = word_in_packet({packet.data(), static_cast<std::size_t>(count)});
    if (!word.has_value()) return false;
    if (word->kind != Word::Kind::hello) {
      take(*word);
      continue;
    }
    send_streams_to(guest, word->rank);
  }
}

void StreamHost::send_streams_to(Guest& guest, int rank) {
  StandardStreams streams = streams_;
  net::Fd input;  // ours until it has been sent
  if (rank != 0) {
    streams.input = -1;
  } else if (terminal_ || pipe_) {
    input = terminal_ ? terminal_->open() : pipe_->open();
    streams.input = input.get();
  } else if (file_) {
    file_->rewind();
  }
  send_streams(guest.socket.get(), streams);
  guest.has_streams = true;
}

void StreamHost::take(Word word) {
  switch (word.kind) {
    case Word::Kind::status: {
      const int status = std::atoi(word.text.c_str());
      ++told_.ended;
      if (told_.failure == 0) told_.failure = status;
      return;
    }
    case Word::Kind::stranger:
      told_.stranger = true;
      return;
    case Word::Kind::early:
      told_.early = true;
      return;
    case Word::Kind::expected:
      told_.expected = true;
      return;
    case Word::Kind::waits:
      told_.waits[word.rank] = std::move(word.text);
      return;
    case Word::Kind::refused:
      if (told_.refused.empty()) told_.refused = std::move(word.text);
      return;
    case Word::Kind::open:
    case Word::Kind::closed:
      return note_line(std::atoi(word.text.c_str()), word.kind == Word::Kind::open);
    case Word::Kind::part:
      parts_[{word.rank, STDOUT_FILENO}] += word.text;
      return;
    case Word::Kind::error_part:
      parts_[{word.rank, STDERR_FILENO}] += word.text;
      return;
    case Word::Kind::line:
      return print(word.rank, STDOUT_FILENO, word.text, true);
    case Word::Kind::error_line:
      return print(word.rank, STDERR_FILENO, word.text, true);
    case Word::Kind::unfinished:
      return take_unfinished(word, STDOUT_FILENO);
    case Word::Kind::error_unfinished:
      return take_unfinished(word, STDERR_FILENO);
    case Word::Kind::hello:
      return;
  }
}

int StreamHost::descriptor_of(int stream) const { return stream == STDERR_FILENO ? streams_.error : streams_.output; }

/// Only where somebody looks; else lines stay whole, unless that is too much to keep.
void StreamHost::take_unfinished(const Word& word, int stream) {
  std::string& so_far = parts_[{word.rank, stream}];
  so_far += word.text;
  if (so_far.size() >= process::longest_piece || ::isatty(descriptor_of(stream)) == 1)
    print(word.rank, stream, {}, false);
}

/// After the parts that have come before.
void StreamHost::print(int rank, int stream, std::string_view text, bool is_ended) {
  std::string whole = std::exchange(parts_[{rank, stream}], {});
  whole += text;
  if (is_ended) whole += '\n';
  if (whole.empty()) return;
  note_line(stream, !is_ended);
  const int error = write_all(descriptor_of(stream), whole);
  if (error != 0 && told_.refused.empty()) told_.refused = std::strerror(error);
}

void StreamHost::hear_remark(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (auto word = word_in_remark(line)) return take(std::move(*word));
  end_open_lines();
  (void)write_all(streams_.error, line + "\n");
}

void StreamHost::pass_signal_on() {
  signalfd_siginfo info{};
  if (::read(signals_.get(), &info, sizeof info) != sizeof info) return;
  const char number = static_cast<char>(info.ssi_signo);
  if (number == SIGCONT) return;  // it has woken us to look at the terminal
  for (const Guest& guest : guests_) {
    if (guest.has_streams) (void)::send(guest.socket.get(), &number, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

int StreamHost::ended() {
  const std::lock_guard lock(mutex_);
  hear_all();
  return told_.ended;
}

Told StreamHost::take() {
  const std::lock_guard lock(mutex_);
  hear_all();
  for (const auto& [from, text] : std::exchange(parts_, {})) print(from.first, from.second, text, false);
  parts_.clear();
  return std::exchange(told_, {});
}

bool StreamHost::has_lost_input() {
  const std::lock_guard lock(mutex_);
  return pipe_ && pipe_->is_too_long();
}

void StreamHost::end_lines() {
  const std::lock_guard lock(mutex_);
  end_open_lines();
}

/// Of one of several tasks that is told last: another's newline ends it as well.
void StreamHost::note_line(int stream, bool is_open) {
  if (is_open) open_streams_.insert(stream);
  else open_streams_.erase(stream);
}

/// Files and pipes of standard output keep the program's bytes, unless our own words go there as well.
void StreamHost::end_open_lines() {
  hear_all();
  const bool are_one = are_one_place(streams_.output, streams_.error);
  const bool ends_error = open_streams_.erase(STDERR_FILENO) > 0;
  const bool ends_output = open_streams_.erase(STDOUT_FILENO) > 0 && (are_one || ::isatty(streams_.output) == 1);
  if (ends_error) end_line(streams_.error);
  if (ends_output && !(ends_error && are_one)) end_line(streams_.output);
}

}  // namespace nasvm::abi
