#include "vm/abi/mpi/buffer.hpp"

#include <algorithm>
#include <limits>

#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/request.hpp"
#include "vm/abi/mpi/turns.hpp"

namespace nasvm::mpi {

bool Buffer::has_room_for(std::size_t more) const {
  if (!is_attached) return false;
  if (is_automatic()) return true;
  for (const Request* request : process().orphans) {
    if (request->buffer() == this) more += request->buffered_bytes();
  }
  return more <= bytes;
}

std::uint64_t Buffer::next_number() {
  static std::uint64_t last = 0;
  return ++last;
}

Request* Buffer::first_message(std::uint64_t up_to) const {
  const auto& orphans = process().orphans;
  const auto found = std::ranges::find_if(orphans, [&](Request* request) {
    const bool is_message = request->work == Request::Work::send;  // flushes that were given up wait for those, too
    return is_message && request->buffer() == this && request->more().buffered_number <= up_to &&
           !request->is_complete();
  });
  return found == orphans.end() ? nullptr : *found;
}

void Buffer::flush() const {
  const std::uint64_t all = next_number();
  while (Request* const request = first_message(all)) {
    // Another thread may give up what has left before this one sees it.
    if (turns().shared()) look();
    else wait_some(std::span(&request, 1));
  }
  sweep_orphans(false);
}

}  // namespace nasvm::mpi
