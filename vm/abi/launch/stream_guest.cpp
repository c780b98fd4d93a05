#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "vm/abi/launch/stream_socket.hpp"
#include "vm/abi/launch/streams.hpp"
#include "vm/write_all.hpp"

namespace nasvm::abi {
namespace {

/// Output, error, and input where there is one; empty where none have come.
std::vector<net::Fd> receive_streams(int socket) {
  StreamControl control{};
  StreamParcel parcel(control);
  if (::recvmsg(socket, &parcel.message, MSG_CMSG_CLOEXEC) != 1) return {};
  const cmsghdr* head = CMSG_FIRSTHDR(&parcel.message);
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS) return {};
  std::array<int, 3> descriptors{};
  const std::size_t bytes = std::min(head->cmsg_len - CMSG_LEN(0), sizeof descriptors);
  std::memcpy(&descriptors, CMSG_DATA(head), bytes);
  std::vector<net::Fd> streams;
  for (std::size_t i = 0; i < bytes / sizeof(int); ++i) streams.emplace_back(descriptors[i]);
  return streams;
}

}  // namespace

StreamGuest::StreamGuest(const std::string& name, int rank, bool has_tags)
    : rank_(rank), tag_(has_tags ? "[" + std::to_string(rank) + "] " : "") {
  const StreamAddress address(name);
  net::Fd socket = make_stream_socket();
  if (name.empty() || ::connect(socket.get(), address.get(), address.length) != 0 || !is_own_process(socket.get())) {
    return;
  }
  const std::string hello = packet_of({rank, Word::Kind::hello, {}});
  if (::send(socket.get(), hello.data(), hello.size(), MSG_NOSIGNAL) < 0) return;
  std::vector<net::Fd> streams = receive_streams(socket.get());
  if (streams.size() < 2) return;
  output_ = std::move(streams[0]);
  error_ = std::move(streams[1]);
  if (streams.size() > 2) input_ = std::move(streams[2]);
  socket_ = std::move(socket);
}

int StreamGuest::write(int stream, std::string_view text, bool is_ended) {
  const bool was_open = std::exchange(stands_open_[stream == STDERR_FILENO ? 1 : 0], !is_ended);
  std::string piece = was_open ? "" : tag_;
  piece += text;
  if (!socket_) {
    tell_piece(stream, piece, is_ended);
    return 0;
  }
  if (is_ended) piece += '\n';
  const int error = write_all(stream == STDERR_FILENO ? error_.get() : output_.get(), piece);
  // At once: who is interrupted at a prompt has no time for it at the end.
  if (!is_ended || was_open) tell(is_ended ? Word::Kind::closed : Word::Kind::open, std::to_string(stream));
  return error;
}

void StreamGuest::tell_piece(int stream, std::string_view piece, bool is_ended) const {
  using Kind = Word::Kind;
  const bool is_error = stream == STDERR_FILENO;
  for (; piece.size() > longest_remark_text; piece.remove_prefix(longest_remark_text)) {
    tell(is_error ? Kind::error_part : Kind::part, piece.substr(0, longest_remark_text));
  }
  if (is_ended) tell(is_error ? Kind::error_line : Kind::line, piece);
  else tell(is_error ? Kind::error_unfinished : Kind::unfinished, piece);
}

bool StreamGuest::is_looked_at(int stream) const {
  if (!tag_.empty()) return false;  // a piece that goes on in a line has no tag to tell whose it is
  return !socket_ || ::isatty(stream == STDERR_FILENO ? error_.get() : output_.get()) == 1;
}

void StreamGuest::tell(Word::Kind kind, std::string_view text) const {
  const Word word{rank_, kind, std::string(text.substr(0, longest_remark_text))};
  if (!socket_) {
    (void)write_all(STDERR_FILENO, remark_of(word) + "\n");
    return;
  }
  const std::string packet = packet_of(word);
  (void)::send(socket_.get(), packet.data(), packet.size(), MSG_NOSIGNAL);
}

int StreamGuest::read_signal() const {
  char number = 0;
  return ::recv(socket_.get(), &number, 1, MSG_DONTWAIT) == 1 ? number : 0;
}

}  // namespace nasvm::abi
