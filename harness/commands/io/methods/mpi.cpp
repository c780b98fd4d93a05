#include "harness/commands/io/methods/method.hpp"

namespace nasvm {
namespace {

/// The message system's own shared files.
class Shared final : public IoMethod {
 public:
  Shared(const IoGround& ground, const IoOrder& order)
      : open_(ground.open_shared), path_(order.path), sync_(order.sync) {}

  void open_to_write(std::uint64_t) override { file_ = open_(path_, SharedFile::Access::write); }
  void write(std::uint64_t position, std::span<const std::byte> data) override { file_->write(position, data); }
  void close_written() override {
    if (sync_) file_->sync();
    file_->close();
  }
  void open_to_read() override { file_ = open_(path_, SharedFile::Access::read); }
  void read(std::uint64_t position, std::span<std::byte> into) override { file_->read(position, into); }
  void close_read() override { file_->close(); }

 private:
  decltype(IoGround::open_shared) open_;
  std::string path_;
  bool sync_;
  std::unique_ptr<SharedFile> file_;
};

}  // namespace

std::unique_ptr<IoMethod> make_mpi_method(const IoGround& ground, const IoOrder& order) {
  return std::make_unique<Shared>(ground, order);
}

}  // namespace nasvm
