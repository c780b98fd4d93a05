#pragma once
/// \file
/// A pipe whose ends close when a program is executed.

#include <fcntl.h>
#include <sys/types.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "vm/net/fd.hpp"
#include "vm/status.hpp"

namespace nasvm::process {

/// Throws RunError when there are no more descriptors.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    read = net::Fd(ends[0]);
    write = net::Fd(ends[1]);
  }

  net::Fd read, write;
};

/// As write(2), but where nobody reads any more it fails with EPIPE whatever the program does with SIGPIPE.
ssize_t write_without_signal(int pipe, std::string_view text);

}  // namespace nasvm::process
