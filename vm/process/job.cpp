#include "vm/process/job.hpp"

#include <utility>

#include "vm/status.hpp"

namespace nasvm::process {
namespace {

using namespace std::chrono_literals;

constexpr auto pipe_patience = 500ms;  ///< for what has been said to come through once the program has ended
constexpr auto pause = 2ms;            ///< between two looks at a program that is to end

}  // namespace

Job::Job(StartOptions options, net::Poller& poller, OnLine on_output, OnLine on_error)
    : poller_(poller),
      session_(std::move(options)),
      output_(session_.take_output(), poller, std::move(on_output)),
      error_(session_.take_error(), poller, std::move(on_error)) {}

std::optional<int> Job::ended() {
  const auto wait_status = session_.ended();
  if (!wait_status.has_value()) return std::nullopt;
  if (!ended_at_.has_value()) ended_at_ = Clock::now();
  const bool all_read = output_.at_end() && error_.at_end();
  return all_read || Clock::now() > *ended_at_ + pipe_patience ? wait_status : std::nullopt;
}

bool Job::ending() const { return output_.at_end() || ended_at_.has_value(); }

void Job::end(std::chrono::milliseconds patience) {
  session_.terminate();
  const auto deadline = Clock::now() + patience;
  while (!session_.ended().has_value() && Clock::now() < deadline) {
    try {
      (void)poller_.wait(pause);
    } catch (const Error&) {
      // It is ending already.
    }
  }
  session_.kill_all();
}

}  // namespace nasvm::process
