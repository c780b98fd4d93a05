#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "harness/commands/io/methods/method.hpp"
#include "vm/net/fd.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

class Mapped final : public IoMethod {
 public:
  Mapped(const IoOrder& order, bool is_first) : path_(order.path), sync_(order.sync), is_first_(is_first) {}
  ~Mapped() override { unmap(); }

  void open_to_write(std::uint64_t file_bytes) override {
    open(O_RDWR | O_CREAT);
    // All tasks do it: the size is the same.
    if (::ftruncate(fd_.get(), static_cast<off_t>(file_bytes)) != 0) fail("cannot be given its size");
    // A page for which the disk has no room would end the task by a signal. Not all file systems can say before.
    if (is_first_ && file_bytes != 0 && ::fallocate(fd_.get(), 0, 0, static_cast<off_t>(file_bytes)) != 0 &&
        errno != EOPNOTSUPP) {
      fail("cannot be given its space");
    }
    map(file_bytes, PROT_READ | PROT_WRITE);
  }
  void write(std::uint64_t position, std::span<const std::byte> data) override {
    std::memcpy(memory_ + position, data.data(), data.size());
  }
  void close_written() override {
    if (sync_ && (::msync(memory_, bytes_, MS_SYNC) != 0 || ::fsync(fd_.get()) != 0))
      fail("cannot be brought to disk");
    close_read();
  }
  void open_to_read() override {
    open(O_RDONLY);
    struct stat found {};
    if (::fstat(fd_.get(), &found) != 0) fail("cannot be looked at");
    map(static_cast<std::size_t>(found.st_size), PROT_READ);
  }
  void read(std::uint64_t position, std::span<std::byte> into) override {
    std::memcpy(into.data(), memory_ + position, into.size());
  }
  void close_read() override {
    unmap();
    fd_.reset();
  }

 private:
  void open(int flags) {
    fd_.reset(::open(path_.c_str(), flags | O_CLOEXEC, 0600));
    if (!fd_) fail("cannot be opened");
  }
  void map(std::size_t bytes, int protection) {
    void* memory = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd_.get(), 0);
    if (memory == MAP_FAILED) fail("cannot be mapped");
    memory_ = static_cast<std::byte*>(memory);
    bytes_ = bytes;
  }
  void unmap() {
    if (memory_ != nullptr) ::munmap(memory_, bytes_);
    memory_ = nullptr;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw RunError(path_ + ": " + what + ": " + std::strerror(errno));
  }

  std::string path_;
  bool sync_;
  bool is_first_;  ///< of the tasks: one takes the space for all
  net::Fd fd_;
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<IoMethod> make_mmap_method(const IoGround& ground, const IoOrder& order) {
  return std::make_unique<Mapped>(order, ground.comm.rank() == 0);
}

}  // namespace nasvm
