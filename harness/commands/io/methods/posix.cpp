#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "harness/commands/io/methods/method.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

class Posix final : public IoMethod {
 public:
  Posix(std::string path, bool sync) : path_(std::move(path)), sync_(sync) {}
  ~Posix() override {
    if (fd_ >= 0) ::close(fd_);
  }

  void open_to_write(std::uint64_t) override { open(O_RDWR | O_CREAT); }
  void write(std::uint64_t position, std::span<const std::byte> data) override {
    while (!data.empty()) {
      const ssize_t done = ::pwrite(fd_, data.data(), data.size(), static_cast<off_t>(position));
      if (done < 0) fail("cannot be written");
      if (done == 0) throw RunError(path_ + ": cannot be written: the system takes no more of it");
      data = data.subspan(static_cast<std::size_t>(done));
      position += static_cast<std::uint64_t>(done);
    }
  }
  void close_written() override {
    if (sync_ && ::fsync(fd_) != 0) fail("cannot be brought to disk");
    close();
  }
  void open_to_read() override { open(O_RDONLY); }
  void read(std::uint64_t position, std::span<std::byte> into) override {
    while (!into.empty()) {
      const ssize_t done = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(position));
      if (done < 0) fail("cannot be read");
      if (done == 0) throw RunError(path_ + ": ends before all of it is read: something else has cut it");
      into = into.subspan(static_cast<std::size_t>(done));
      position += static_cast<std::uint64_t>(done);
    }
  }
  void close_read() override { close(); }

 private:
  void open(int flags) {
    fd_ = ::open(path_.c_str(), flags | O_CLOEXEC, 0600);
    if (fd_ < 0) fail("cannot be opened");
  }
  void close() {
    ::close(fd_);
    fd_ = -1;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw RunError(path_ + ": " + what + ": " + std::strerror(errno));
  }

  std::string path_;
  bool sync_;
  int fd_ = -1;
};

}  // namespace

std::unique_ptr<IoMethod> make_posix_method(const IoGround&, const IoOrder& order) {
  return std::make_unique<Posix>(order.path, order.sync);
}

std::unique_ptr<IoMethod> make_mounted_method(const IoGround&, const IoOrder& order) {
  return std::make_unique<Posix>(order.mounted, order.sync);
}

}  // namespace nasvm
