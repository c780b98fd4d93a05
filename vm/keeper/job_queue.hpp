#pragma once
/// \file
/// Who wants what of a kept machine: first come, first served, and one at a time, so that nobody disturbs what
/// another measures. Bookkeeping alone.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "vm/keeper/requests.hpp"

namespace nasvm::keeper {

class JobQueue {
 public:
  struct Entry {
    std::uint32_t client = 0;
    Message request;  ///< Run, Add or Remove
    Job job;
  };

  /// How many come before it.
  int push(Entry entry) {
    const auto before = static_cast<int>(waiting_.size()) + (running_.has_value() ? 1 : 0);
    waiting_.push_back(std::move(entry));
    return before;
  }
  /// The next one begins, when there is one and none is under way. Its turn lasts until `end`.
  const Entry* begin(std::int64_t now_s) {
    if (running_.has_value() || waiting_.empty()) return nullptr;
    running_ = std::move(waiting_.front());
    waiting_.pop_front();
    running_->job.since_s = now_s;
    return &*running_;
  }
  void end() { running_.reset(); }
  /// A client is gone: what it still waits for is dropped. True: what is under way is its.
  bool drop(std::uint32_t client) {
    std::erase_if(waiting_, [client](const Entry& entry) { return entry.client == client; });
    return running_.has_value() && running_->client == client;
  }

  /// Does it wait for something, or is its under way?
  [[nodiscard]] bool has(std::uint32_t client) const {
    const auto is_its = [client](const Entry& entry) { return entry.client == client; };
    return (running_.has_value() && is_its(*running_)) || std::ranges::any_of(waiting_, is_its);
  }

  [[nodiscard]] const Entry* running() const { return running_.has_value() ? &*running_ : nullptr; }
  [[nodiscard]] const std::deque<Entry>& waiting() const { return waiting_; }
  /// What is under way, and what waits.
  [[nodiscard]] std::vector<Job> jobs() const {
    std::vector<Job> jobs;
    if (running_.has_value()) jobs.push_back(running_->job);
    for (const Entry& entry : waiting_) jobs.push_back(entry.job);
    return jobs;
  }

 private:
  std::optional<Entry> running_;
  std::deque<Entry> waiting_;
};

}  // namespace nasvm::keeper
