#include "vm/engine/run_delay.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace nasvm {

RunDelay::RunDelay() : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

std::chrono::nanoseconds RunDelay::total() const {
  std::array<char, 96> text;  // "time-run time-waited turns"
  const ssize_t bytes = file_ ? ::pread(file_.get(), text.data(), text.size(), 0) : 0;
  const std::string_view line(text.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  const std::size_t second = line.find(' ') + 1;  // 0 where there is none
  std::int64_t nanoseconds = 0;
  if (second != 0) (void)std::from_chars(line.data() + second, line.data() + line.size(), nanoseconds);
  return std::chrono::nanoseconds(nanoseconds);
}

}  // namespace nasvm
