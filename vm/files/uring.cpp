#include "vm/files/uring.hpp"

#ifdef NASVM_URING

#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

namespace nasvm::files {
namespace {

constexpr unsigned ring_entries = 32;

/// Trying again is no use: this is no ring, or none any more.
bool is_final(int result) { return result < 0 && result != -EINTR && result != -EAGAIN && result != -EBUSY; }

class Ring final : public Uring {
 public:
  Ring() : works_(::io_uring_queue_init(ring_entries, &ring_, 0) == 0) {}
  ~Ring() override {
    if (works_) ::io_uring_queue_exit(&ring_);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  [[nodiscard]] bool works() const { return works_; }

  void run(std::span<Transfer> transfers, Direction direction, std::size_t at_a_time) override {
    if (is_broken_) return;
    at_a_time = std::min<std::size_t>(at_a_time, ring_entries);
    std::size_t begun = 0;
    std::size_t over = 0;
    while (!is_broken_ && over < transfers.size()) {
      for (; begun < transfers.size() && begun - over < at_a_time; ++begun) begin(transfers[begun], direction);
      is_broken_ = is_final(::io_uring_submit_and_wait(&ring_, 1));
      over += take_complete();
    }
    // Whatever it says: what is under way has to come back before its memory may be used for anything else.
    while (is_broken_ && over < begun - ::io_uring_sq_ready(&ring_)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      over += take_complete();
    }
  }

 private:
  /// Returns how many.
  std::size_t take_complete() {
    std::size_t taken = 0;
    for (io_uring_cqe* done = nullptr; ::io_uring_peek_cqe(&ring_, &done) == 0; ++taken) {
      static_cast<Transfer*>(::io_uring_cqe_get_data(done))->result = done->res;
      ::io_uring_cqe_seen(&ring_, done);
    }
    return taken;
  }

  void begin(Transfer& transfer, Direction direction) {
    io_uring_sqe* const entry = ::io_uring_get_sqe(&ring_);
    const auto count = static_cast<unsigned>(transfer.parts.size());
    if (direction == Direction::read) {
      ::io_uring_prep_readv(entry, transfer.fd, transfer.parts.data(), count, transfer.position);
    } else {
      ::io_uring_prep_writev(entry, transfer.fd, transfer.parts.data(), count, transfer.position);
    }
    ::io_uring_sqe_set_data(entry, &transfer);
  }

  io_uring ring_{};
  bool works_;
  bool is_broken_ = false;  ///< since it was made
};

}  // namespace

std::unique_ptr<Uring> Uring::make() {
  auto ring = std::make_unique<Ring>();
  if (!ring->works()) return nullptr;
  return ring;
}

}  // namespace nasvm::files

#else

namespace nasvm::files {

std::unique_ptr<Uring> Uring::make() { return nullptr; }

}  // namespace nasvm::files

#endif
