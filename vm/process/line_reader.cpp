#include "vm/process/line_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace nasvm::process {

LineReader::LineReader(net::Fd pipe, net::Poller& poller, OnLine on_line)
    : pipe_(std::move(pipe)), poller_(poller), on_line_(std::move(on_line)) {
  ::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
  poller_.add(pipe_.get(), EPOLLIN, *this);
}

LineReader::~LineReader() { close(); }

void LineReader::close() {
  if (pipe_) poller_.remove(pipe_.get(), *this);
  pipe_.reset();
}

void LineReader::ready(std::uint32_t) {
  read_all();
  hand_over_lines();
}

void LineReader::read_all() {
  std::array<char, 4096> chunk;
  for (;;) {
    const ssize_t count = ::read(pipe_.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return close();
    pending_.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

void LineReader::hand_over_lines() {
  std::size_t begin = 0;
  for (std::size_t end; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    on_line_(pending_.substr(begin, end - begin));
  }
  pending_.erase(0, begin);
  if (at_end() && !pending_.empty()) on_line_(std::exchange(pending_, {}));
}

}  // namespace nasvm::process
