#pragma once
/// \file
/// Lines between threads of a test: every task is one. Messages are handed over in order, and only while their
/// receiver is in a call of its line.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "support/deadline.hpp"
#include "vm/files/line.hpp"
#include "vm/status.hpp"

namespace nasvm::test {

class ThreadLines {
  struct Message {
    int from;
    std::vector<std::byte> bytes;
  };
  struct Box {
    std::deque<Message> messages;
    bool gone = false;
  };

 public:
  explicit ThreadLines(int tasks) : boxes_(static_cast<std::size_t>(tasks)) {}

  class Line final : public files::Line {
   public:
    Line(ThreadLines& lines, int rank) : lines_(lines), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(lines_.boxes_.size()); }
    void post(int to, std::vector<std::byte> message) override {
      Box& box = lines_.boxes_[static_cast<std::size_t>(to)];
      ++posted_;
      const std::lock_guard lock(lines_.mutex_);
      box.messages.push_back({rank_, std::move(message)});
      lines_.news_.notify_all();
    }
    void progress() override {
      std::unique_lock lock(lines_.mutex_);
      take(lock);
    }
    bool wait_until(const std::function<bool()>& done, files::TimePoint deadline) override {
      std::unique_lock lock(lines_.mutex_);
      for (;;) {
        take(lock);
        if (lines_.failed_) throw RunError("another task has failed");
        if (done()) return true;
        const bool in_time =
            lines_.news_.wait_until(lock, deadline, [this] { return lines_.failed_ || !own().messages.empty(); });
        if (!in_time) return done();
      }
    }
    void listen(Listener listener) override { listener_ = std::move(listener); }
    bool is_gone(int task) const override {
      const std::lock_guard lock(lines_.mutex_);
      return lines_.boxes_[static_cast<std::size_t>(task)].gone;
    }
    std::uint64_t calls() const override { return calls_; }
    int posted() const { return posted_; }

    /// Waits in the message layer for what the other tasks do, as in a receive.
    void wait_elsewhere(const std::function<bool()>& done) {
      ++calls_;
      while (!wait_until(done, std::chrono::steady_clock::now() + std::chrono::milliseconds(20))) {
      }
    }
    /// Waits for what the other tasks do without a look at the line.
    void spin_until(const std::function<bool()>& done) const {
      for (Deadline deadline; !done(); std::this_thread::yield()) {
        if (lines_.failed_) throw RunError("another task has failed");
        if (deadline.passed()) throw RunError("what another task is to do has not come");
      }
    }
    /// At work of its own, as a line with a thread says, until so many messages have been heard.
    void serve_at_work(int messages) {
      at_work_ = true;
      heard_ = 0;
      while (!wait_until([&] { return heard_ >= messages; },
                         std::chrono::steady_clock::now() + std::chrono::seconds(1))) {
      }
      at_work_ = false;
    }
    bool is_waiting() const override { return !at_work_; }
    /// It has left; messages to it vanish.
    void leave() {
      const std::lock_guard lock(lines_.mutex_);
      own().gone = true;
      lines_.news_.notify_all();
    }

   private:
    void take(std::unique_lock<std::mutex>& lock) {
      while (!own().messages.empty()) {
        const Message message = std::move(own().messages.front());
        own().messages.pop_front();
        lock.unlock();
        if (listener_) listener_(message.from, message.bytes);
        ++heard_;
        lock.lock();
      }
    }
    Box& own() const { return lines_.boxes_[static_cast<std::size_t>(rank_)]; }

    ThreadLines& lines_;
    int rank_;
    Listener listener_;
    std::uint64_t calls_ = 0;
    int heard_ = 0;
    int posted_ = 0;
    bool at_work_ = false;
  };

  /// Runs `body` as each task, in threads of their own. The first exception of any is thrown again here.
  static void run(int tasks, const std::function<void(Line&)>& body) {
    ThreadLines lines(tasks);
    std::exception_ptr failure;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < tasks; ++rank) {
      threads.emplace_back([&lines, &failure, &body, rank] {
        Line line(lines, rank);
        try {
          body(line);
        } catch (...) {
          const std::lock_guard lock(lines.mutex_);
          if (!lines.failed_) failure = std::current_exception();
          lines.failed_ = true;
          lines.news_.notify_all();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable news_;
  std::vector<Box> boxes_;
  std::atomic<bool> failed_ = false;
};

}  // namespace nasvm::test
