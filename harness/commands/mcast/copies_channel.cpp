#include "harness/commands/mcast/copies_channel.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "harness/commands/mcast/clocks.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// One for each core, and no more than there are copies; of all ranks but the first none beside itself.
std::size_t threads_of(const Comm& comm) {
  if (comm.rank() != 0) return 1;
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, std::max(1, comm.size() - 1));
}

}  // namespace

CopiesChannel::CopiesChannel(Comm& comm)
    : comm_(comm),
      copies_(static_cast<std::size_t>(comm.rank() == 0 ? comm.size() - 1 : 0)),
      threads_(threads_of(comm)),
      begin_(static_cast<std::ptrdiff_t>(threads_)),
      end_(static_cast<std::ptrdiff_t>(threads_)) {
  try {
    for (std::size_t thread = 1; thread < threads_; ++thread) {
      others_.emplace_back([this, thread] {
        for (begin_.arrive_and_wait(); !ending_; begin_.arrive_and_wait()) {
          copy(thread);
          end_.arrive_and_wait();
        }
      });
    }
  } catch (const std::system_error& error) {
    ending_ = true;
    // For itself and for those that are not there: the others wait for all.
    (void)begin_.arrive(static_cast<std::ptrdiff_t>(threads_ - others_.size()));
    throw RunError(fmt::format("{}: cannot start {}: {}; the limits of system and user have to allow that",
                               copies_name, counted(threads_ - 1, "thread"), error.code().message()));
  }
}

CopiesChannel::~CopiesChannel() {
  ending_ = true;
  begin_.arrive_and_wait();
}

void CopiesChannel::copy(std::size_t thread) {
  for (std::size_t i = thread; i < copies_.size(); i += threads_) std::ranges::copy(message_, copies_[i].begin());
}

void CopiesChannel::send(std::span<const std::byte> message) {
  for (auto& copy : copies_) copy.resize(std::max(copy.size(), message.size()));  // before the first, which warms up
  message_ = message;
  begin_.arrive_and_wait();
  copy(0);
  end_.arrive_and_wait();
}

std::int64_t CopiesChannel::receive(std::span<std::byte> /*message*/) { return steady_ns(); }

}  // namespace nasvm
