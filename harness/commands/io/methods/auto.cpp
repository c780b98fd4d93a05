#include <algorithm>

#include "harness/commands/io/methods/method.hpp"
#include "vm/task.hpp"

namespace nasvm {
namespace {

/// From that length on the system's page cache serves reads of one host faster than another cache before it, which
/// has to be filled from there (docs/decisions/io-auto.md).
constexpr std::uint64_t least_for_page_cache = 512;

bool on_one_host(const Task& task) {
  const auto tasks = task.siblings();
  return std::ranges::all_of(tasks, [&](Tid sibling) { return sibling.host() == tasks.front().host(); });
}

/// Writes by the file cache, and reads by whichever of the two is faster there.
class Automatic final : public IoMethod {
 public:
  Automatic(const IoGround& ground, const IoOrder& order)
      : cached_(make_edonio_method(ground, order)),
        plain_(make_posix_method(ground, order)),
        reader_(on_one_host(*ground.task) && order.access_bytes >= least_for_page_cache && !order.drop_cache
                    ? plain_.get()
                    : cached_.get()) {}

  void open_to_write(std::uint64_t file_bytes) override { cached_->open_to_write(file_bytes); }
  void write(std::uint64_t position, std::span<const std::byte> data) override { cached_->write(position, data); }
  void close_written() override { cached_->close_written(); }
  void open_to_read() override { reader_->open_to_read(); }
  void preload() override { reader_->preload(); }
  void read(std::uint64_t position, std::span<std::byte> into) override { reader_->read(position, into); }
  void close_read() override { reader_->close_read(); }
  IoCost cost() const override { return cached_->cost(); }

 private:
  std::unique_ptr<IoMethod> cached_;
  std::unique_ptr<IoMethod> plain_;
  IoMethod* reader_;
};

}  // namespace

std::unique_ptr<IoMethod> make_auto_method(const IoGround& ground, const IoOrder& order) {
  return std::make_unique<Automatic>(ground, order);
}

}  // namespace nasvm
