#include "vm/process/pipe_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace nasvm::process {

PipeReader::PipeReader(net::Fd pipe, net::Poller& poller, OnBytes on_bytes)
    : pipe_(std::move(pipe)), poller_(poller), on_bytes_(std::move(on_bytes)) {
  ::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
  poller_.add(pipe_.get(), EPOLLIN, *this);
}

PipeReader::~PipeReader() { close(); }

void PipeReader::close() {
  if (pipe_) poller_.remove(pipe_.get(), *this);
  pipe_.reset();
}

/// Reads all, or so much of it that others have their turn.
void PipeReader::ready(std::uint32_t) {
  constexpr int most_chunks = 256;
  std::array<char, 4096> chunk;
  for (int chunks = 0; chunks < most_chunks; ++chunks) {
    const ssize_t count = ::read(pipe_.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      close();
      return on_bytes_({});
    }
    on_bytes_({chunk.data(), static_cast<std::size_t>(count)});
  }
}

}  // namespace nasvm::process
