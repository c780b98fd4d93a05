#include <poll.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "vm/abi/launch/stream_socket.hpp"
#include "vm/abi/launch/streams.hpp"
#include "vm/auth.hpp"
#include "vm/process/pipe.hpp"
#include "vm/status.hpp"
#include "vm/write_all.hpp"

namespace nasvm::abi {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw RunError("cannot hand out the standard streams: " + what + ": " + std::strerror(errno));
}

void send_streams(int socket, const StandardStreams& streams, bool with_input) {
  std::array<int, 3> descriptors{streams.output, streams.error, streams.input};
  const std::size_t bytes = (with_input ? 3 : 2) * sizeof(int);
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

/// Those of the user's own signals that this process does not ignore.
sigset_t forwarded_signals() {
  sigset_t set;
  ::sigemptyset(&set);
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

}  // namespace

StreamHost::StreamHost(const StandardStreams& streams)
    : streams_(streams), name_("nasvm-streams-" + to_hex(make_secret())), listener_(make_stream_socket()) {
  const StreamAddress address(name_);
  if (::bind(listener_.get(), address.get(), address.length) != 0 || ::listen(listener_.get(), SOMAXCONN) != 0) {
    fail("no socket");
  }
  process::Pipe stop;
  stop_read_ = std::move(stop.read);
  stop_write_ = std::move(stop.write);
  const sigset_t forwarded = forwarded_signals();
  ::sigprocmask(SIG_BLOCK, &forwarded, &signals_before_);
  signals_ = net::Fd(::signalfd(-1, &forwarded, SFD_CLOEXEC | SFD_NONBLOCK));
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
    {
      const std::lock_guard lock(mutex_);
      for (const Guest& guest : guests_) watched.push_back({guest.socket.get(), POLLIN, 0});
    }
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;
    if (watched[0].revents != 0) return;
    const std::lock_guard lock(mutex_);
    if (watched[1].revents != 0) welcome();
    hear_all();  // whose word is there gets the signal, too
    if (watched[2].revents != 0) pass_signal_on();
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
    send_streams(guest.socket.get(), streams_, word->rank == 0 && streams_.input >= 0);
    guest.has_streams = true;
  }
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
    case Word::Kind::expected:
      told_.expected = true;
      return;
    case Word::Kind::waits:
      told_.waits[word.rank] = std::move(word.text);
      return;
    case Word::Kind::refused:
      if (told_.refused.empty()) told_.refused = std::move(word.text);
      return;
    case Word::Kind::part:
      parts_[{word.rank, streams_.output}] += word.text;
      return;
    case Word::Kind::error_part:
      parts_[{word.rank, streams_.error}] += word.text;
      return;
    case Word::Kind::line:
      return print(streams_.output, std::exchange(parts_[{word.rank, streams_.output}], {}) + word.text);
    case Word::Kind::error_line:
      return print(streams_.error, std::exchange(parts_[{word.rank, streams_.error}], {}) + word.text);
    case Word::Kind::hello:
      return;
  }
}

void StreamHost::print(int stream, const std::string& text) {
  const int error = write_all(stream, text + "\n");
  if (error != 0 && told_.refused.empty()) told_.refused = std::strerror(error);
}

void StreamHost::hear_remark(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (auto word = word_in_remark(line)) return take(std::move(*word));
  std::fprintf(stderr, "%s\n", line.c_str());
}

void StreamHost::pass_signal_on() {
  signalfd_siginfo info{};
  if (::read(signals_.get(), &info, sizeof info) != sizeof info) return;
  const char number = static_cast<char>(info.ssi_signo);
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
  parts_.clear();
  return std::exchange(told_, {});
}

}  // namespace nasvm::abi
