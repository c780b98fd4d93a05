#include "harness/commands/io/page_cache.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "vm/net/fd.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw RunError(path + ": " + what + ": " + std::strerror(errno));
}

std::uint64_t bytes_in_memory(const std::string& path, int fd, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) fail(path, "cannot be mapped");
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  const int result = ::mincore(memory, bytes, pages.data());
  ::munmap(memory, bytes);
  if (result != 0) fail(path, "cannot be looked for in memory");
  return page *
         static_cast<std::uint64_t>(std::ranges::count_if(pages, [](unsigned char is) { return (is & 1) != 0; }));
}

}  // namespace

std::uint64_t drop_from_page_cache(const std::string& path) {
  const net::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && errno == ENOENT) return 0;
  struct stat found {};
  if (!fd || ::fstat(fd.get(), &found) != 0) fail(path, "cannot be opened");
  if (found.st_size == 0) return 0;
  if (::fsync(fd.get()) != 0) fail(path, "cannot be brought to disk");
  (void)::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
  return bytes_in_memory(path, fd.get(), static_cast<std::size_t>(found.st_size));
}

}  // namespace nasvm
