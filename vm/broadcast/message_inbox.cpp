#include "vm/broadcast/message_inbox.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "vm/multicast/window/sequence.hpp"
#include "vm/status.hpp"

namespace nasvm::multicast {

void MessageInbox::check_length() const {
  if (arrived_ == 0 || length_ == buffer_.size()) return;
  throw RunError("a broadcast of " + std::to_string(length_) + " bytes was received with a buffer of " +
                 std::to_string(buffer_.size()));
}

void MessageInbox::expect(std::span<std::byte> buffer) {
  if (given_up_) throw RunError("an earlier broadcast of this group has failed");
  buffer_ = buffer;
  expected_ = true;
  check_length();
  std::ranges::copy(early_, buffer.begin());
  early_ = {};
}

bool MessageInbox::complete() const {
  check_length();
  return before(current_, completed_);
}

void MessageInbox::next() {
  ++current_;
  expected_ = false;
  buffer_ = {};
  arrived_ = 0;
}

void MessageInbox::give_up() {
  next();
  given_up_ = true;
}

bool MessageInbox::take(const Packet& data) {
  if (data.message != current_) return before(data.message, current_);  // nothing new of one that is complete
  if (!expected_ && data.message_bytes > most_early_bytes_) return false;
  if (arrived_ == 0) {
    arrived_ = ticks_now();
    length_ = data.message_bytes;
  }
  if (data.message_bytes != length_) return true;  // no message of ours: the sender's have one length
  if (!expected_) early_.resize(length_);
  const std::span<std::byte> target = expected_ ? buffer_ : std::span(early_);
  if (target.size() != length_) return true;  // `complete` says so
  // Not std::ranges::copy, which the compiler makes a loop of that ends with single bytes.
  if (!data.payload.empty()) std::memcpy(target.data() + data.offset, data.payload.data(), data.payload.size());
  return true;
}

void MessageInbox::complete(std::uint32_t message) {
  completed_ = later_of(completed_, message + 1);
  completed_at_ = std::chrono::steady_clock::now();
}

}  // namespace nasvm::multicast
