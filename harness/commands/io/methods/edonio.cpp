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
  Edonio(Task& task, const files::Options& options, std::string path, bool preloads)
      : session_(task, options), files_(session_.files()), path_(std::move(path)), preloads_(preloads) {}

  void open_to_write(std::uint64_t) override {
    fd_ = files_.open(path_, {.access = files::Access::write, .create = true, .truncate = true});
  }
  void write(std::uint64_t position, std::span<const std::byte> data) override {
    files_.seek(fd_, static_cast<std::int64_t>(position), files::Files::Whence::set);
    if (files_.write(fd_, data) != data.size()) throw RunError(path_ + ": was not written whole");
  }
  void close_written() override { files_.close(fd_); }
  void open_to_read() override { fd_ = files_.open(path_, {}); }
  void preload() override {
    if (preloads_) files_.preload(fd_);
  }
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
  bool preloads_;
  int fd_ = -1;
};

}  // namespace

std::unique_ptr<IoMethod> make_edonio_method(const IoGround& ground, const IoOrder& order) {
  files::Options options = options_of(order);
  options.straight_bytes = 0;
  return std::make_unique<Edonio>(*ground.task, options, order.path, true);
}

std::unique_ptr<IoMethod> make_auto_method(const IoGround& ground, const IoOrder& order) {
  files::Options options = options_of(order);
  options.crowded = ground.task->shares_cores();
  // What is read straight from the page cache needs no other one to be filled before. The file has been written
  // through the caches: they have memory ready.
  const bool wants = order.drop_cache || order.access_bytes < options.least_straight(true);
  // Hosts may differ in how many tasks share a core; preloading is collective.
  const bool preloads = ground.comm.allreduce_value(wants ? 1 : 0, Max{}) != 0;
  return std::make_unique<Edonio>(*ground.task, options, order.path, preloads);
}

}  // namespace nasvm
