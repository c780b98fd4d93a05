#include "vm/abi/launch/input_pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "vm/process/pipe.hpp"
#include "vm/status.hpp"

namespace nasvm::abi {

net::Fd InputPipe::open() {
  end();
  try {
    process::Pipe pipe;
    ::fcntl(pipe.write.get(), F_SETFL, O_NONBLOCK);
    pipe_ = std::move(pipe.write);
    return std::move(pipe.read);
  } catch (const RunError&) {
    return {};
  }
}

bool InputPipe::is_read() {
  pollfd one = watched(false);
  if (pipe_ && ::poll(&one, 1, 0) > 0) end();
  return static_cast<bool>(pipe_);
}

std::size_t InputPipe::pass_on(std::string_view text) {
  const ssize_t count = process::write_without_signal(pipe_.get(), text);
  if (count < 0 && errno != EAGAIN && errno != EINTR) end();
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

pollfd InputPipe::watched(bool for_room) const {
  return {pipe_.get(), static_cast<short>(for_room ? POLLOUT : 0), 0};
}

}  // namespace nasvm::abi
