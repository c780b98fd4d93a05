#include "vm/abi/mpi/buffer.hpp"

#include <span>

#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/request.hpp"
#include "vm/abi/mpi/turns.hpp"

namespace nasvm::mpi {

std::uint64_t Buffer::next_number() {
  static std::uint64_t last = 0;
  return ++last;
}

Request* Buffer::last_message(std::uint64_t up_to, std::size_t& end) const {
  for (; end > 0; --end) {
    Request* const request = process().orphans[end - 1];
    const bool is_message = request->work == Request::Work::send;  // flushes that were given up wait for those, too
    if (is_message && request->buffer() == this && request->more().buffered_number <= up_to &&
        !request->is_complete()) {
      return request;
    }
  }
  return nullptr;
}

void Buffer::flush() const {
  const std::uint64_t all = next_number();
  std::size_t end = process().orphans.size();
  while (Request* const request = last_message(all, end)) {
    if (turns().shared()) {
      // Another thread may give up what has left before this one sees it.
      look();
      end = process().orphans.size();
    } else {
      wait_some(std::span(&request, 1));
    }
  }
  sweep_orphans(false);
}

}  // namespace nasvm::mpi
