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

StreamGuest::StreamGuest(const std::string& name, int rank) : rank_(rank) {
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

int StreamGuest::write(int stream, const std::string& line) const {
  const bool is_error = stream == STDERR_FILENO;
  if (socket_) return write_all(is_error ? error_.get() : output_.get(), line + "\n");
  const auto part = is_error ? Word::Kind::error_part : Word::Kind::part;
  std::size_t at = 0;
  for (; line.size() - at > longest_remark_text; at += longest_remark_text) {
    tell(part, line.substr(at, longest_remark_text));
  }
  tell(is_error ? Word::Kind::error_line : Word::Kind::line, line.substr(at));
  return 0;
}

void StreamGuest::tell(Word::Kind kind, const std::string& text) const {
  const Word word{rank_, kind, text.substr(0, longest_remark_text)};
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
