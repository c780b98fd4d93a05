#pragma once
/// \file
/// Lets two threads use one task's message layer in turns: first come, first served. Who waits in the message layer,
/// even asleep, gives way to who comes.
///
/// A thread that has the turn may take it again; it is given away when all have been given back.

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>

#include "vm/net/fd.hpp"
#include "vm/net/poller.hpp"

namespace nasvm::engine {

class Turns final : private net::Watcher {
 public:
  /// Who has the turn sleeps in that poller, which outlives this.
  explicit Turns(net::Poller& poller);
  ~Turns() override;
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Blocks until it is this thread's turn.
  void take();
  /// The same when another thread has failed, too: for who cleans up.
  void take_in_any_case();
  void give();
  /// This thread is done for: its error is everybody's, thrown by their next `take` or `pass`. Wakes who sleeps with
  /// the turn.
  void fail(std::exception_ptr problem);
  /// Gives the turn to who waits for it, however often this thread has it, and takes it again.
  void pass();
  [[nodiscard]] bool others_want() const {
    return next_.load(std::memory_order_relaxed) - serving_.load(std::memory_order_relaxed) > 1 || has_failed_.load();
  }
  /// Somebody has the turn.
  [[nodiscard]] bool held() const { return next_.load() != serving_.load(); }
  /// How often it has been taken.
  [[nodiscard]] std::uint32_t taken() const { return next_.load(); }

 private:
  void ready(std::uint32_t events) override;
  void take_ticket();
  void ring();

  net::Poller& poller_;
  net::Fd bell_;  ///< wakes who sleeps
  std::atomic<std::uint32_t> next_ = 0;
  std::atomic<std::uint32_t> serving_ = 0;
  std::atomic<std::thread::id> holder_;
  int depth_ = 0;  ///< the holder's
  std::atomic<bool> has_failed_ = false;
  std::exception_ptr problem_;
};

/// A turn from here to the end of a block. Null: nobody else is there.
class Turn {
 public:
  explicit Turn(Turns* turns) : turns_(turns) {
    if (turns_ != nullptr) turns_->take();
  }
  ~Turn() {
    if (turns_ != nullptr) turns_->give();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turns* turns_;
};

}  // namespace nasvm::engine
