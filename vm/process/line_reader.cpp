#include "vm/process/line_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace nasvm::process {

LineReader::LineReader(net::Fd pipe, net::Poller& poller, OnLine on_line, std::size_t longest)
    : pipe_(std::move(pipe)), poller_(poller), on_line_(std::move(on_line)), longest_(longest) {
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
  if (at_end() && !pending_.empty()) on_line_(std::exchange(pending_, {}));
}

/// Or so much of it that others have their turn.
void LineReader::read_all() {
  constexpr int most_chunks = 256;
  std::array<char, 4096> chunk;
  for (int chunks = 0; chunks < most_chunks; ++chunks) {
    const ssize_t count = ::read(pipe_.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return close();
    take({chunk.data(), static_cast<std::size_t>(count)});
  }
}

void LineReader::take(std::string_view bytes) {
  for (;;) {
    const std::size_t end = bytes.find('\n');
    const std::size_t room = longest_ - std::min(longest_, pending_.size());
    pending_.append(bytes.substr(0, std::min(end, room)));
    if (end == std::string_view::npos) return;
    on_line_(std::exchange(pending_, {}));
    bytes.remove_prefix(end + 1);
  }
}

}  // namespace nasvm::process
