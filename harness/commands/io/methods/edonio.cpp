#include "harness/commands/io/methods/method.hpp"
#include "vm/files/session.hpp"
#include "vm/task.hpp"

namespace nasvm {
namespace {

files::Options options_of(const IoOrder& order) {
  files::Options options;
  options.data_bytes = order.data_bytes;
  options.disk_bytes = order.disk_bytes;
  options.durable = order.sync;
  return options;
}

class Edonio final : public IoMethod {
 public:
  Edonio(Task& task, const IoOrder& order)
      : session_(task, options_of(order)), files_(session_.files()), path_(order.path) {}

  void open_to_write(std::uint64_t) override {
    fd_ = files_.open(path_, {.access = files::Access::write, .create = true, .truncate = true});
  }
  void write(std::uint64_t position, std::span<const std::byte> data) override {
    files_.seek(fd_, static_cast<std::int64_t>(position), files::Files::Whence::set);
    if (files_.write(fd_, data) != data.size()) throw RunError(path_ + ": was not written whole");
  }
  void close_written() override { files_.close(fd_); }
  void open_to_read() override { fd_ = files_.open(path_, {}); }
  void preload() override { files_.preload(fd_); }
  void read(std::uint64_t position, std::span<std::byte> into) override {
    files_.seek(fd_, static_cast<std::int64_t>(position), files::Files::Whence::set);
    files_.read(fd_, into);
  }
  void close_read() override { files_.close(fd_); }
  IoCost cost() const override {
    const auto counters = files_.counters();
    return {counters.batches, counters.questions, counters.disk.hits, counters.disk.misses,
            counters.disk.bytes_read + counters.disk.bytes_written};
  }

 private:
  files::Session session_;
  files::Files& files_;
  std::string path_;
  int fd_ = -1;
};

}  // namespace

std::unique_ptr<IoMethod> make_edonio_method(const IoGround& ground, const IoOrder& order) {
  return std::make_unique<Edonio>(*ground.task, order);
}

}  // namespace nasvm
