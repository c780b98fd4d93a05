#include "harness/commands/io/one_file.hpp"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

#include "vm/net/fd.hpp"
#include "vm/status.hpp"
#include "vm/write_all.hpp"

namespace nasvm {
namespace {

/// What the mark says: another host's file of the same name, left by somebody else, says something else.
std::uint64_t draw_word() {
  std::random_device random;
  return (static_cast<std::uint64_t>(random()) << 32 | random()) | 1;  // not 0, which is no word
}

/// Removed again with this.
class Mark {
 public:
  Mark(std::string path, std::uint64_t word) : path_(std::move(path)) {
    net::Fd file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file) fail("cannot be made", errno);
    const int error = write_all(file.get(), {reinterpret_cast<const char*>(&word), sizeof word});
    if (error == 0 && ::close(file.release()) == 0) return;
    const int reason = error != 0 ? error : errno;
    (void)::unlink(path_.c_str());
    fail("cannot be written", reason);
  }
  ~Mark() { (void)::unlink(path_.c_str()); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

 private:
  [[noreturn]] void fail(const std::string& what, int error) const {
    throw RunError(path_ + ": " + what + ": " + std::strerror(error));
  }

  std::string path_;
};

/// 0 where there is none.
std::uint64_t word_in(const std::string& path) {
  const net::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::uint64_t word = 0;
  return file && ::read(file.get(), &word, sizeof word) == static_cast<ssize_t>(sizeof word) ? word : 0;
}

}  // namespace

std::string mark_beside(const std::string& path) { return path + ".mark"; }

int first_without(Comm& comm, const std::string& path) {
  const std::string mark_path = mark_beside(path);
  std::uint64_t own = 0;
  std::optional<Mark> mark;
  if (comm.rank() == 0) {
    own = draw_word();
    mark.emplace(mark_path, own);
  }
  const std::uint64_t word = comm.allreduce_value(own, Max{});
  const int first = comm.allreduce_value(word_in(mark_path) == word ? comm.size() : comm.rank(), Min{});
  mark.reset();
  comm.barrier();  // whoever gives up now has task 0 killed
  return first;
}

}  // namespace nasvm
