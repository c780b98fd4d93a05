#pragma once
/// \file
/// How the engine waits: looks at the awaited peer, now and then at everything, offers its core, and sleeps in one
/// epoll over all descriptors, as Patience and SkipPoll advise (docs/decisions/waiting.md).

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vm/engine/away_from_core.hpp"
#include "vm/engine/peers.hpp"
#include "vm/engine/run_delay.hpp"
#include "vm/net/poller.hpp"
#include "vm/waiting/patience.hpp"
#include "vm/waiting/skip_poll.hpp"
#include "vm/waiting/stand_apart.hpp"

namespace nasvm::engine {

class Waiting {
 public:
  /// What is waited for: messages of one peer (or any), and where to look for them most of the time.
  struct Target {
    Transport* transport = nullptr;  ///< nullptr: look at everything each time
    Rank peer = any_source;
    unsigned skip = 0;       ///< looks for each at everything; 0: as SkipPoll says from look to look
    bool sending = false;    ///< a send is waited for
    bool in_memory = false;  ///< what others write into memory without a message; to look there must move nothing
    bool looked = false;     ///< once already, just now
    Patience::Awaited awaited = Patience::Awaited::anything;
  };

  Waiting(net::Poller& poller, const Peers& peers, const Patience::Options& patience, unsigned skip)
      : poller_(poller), peers_(peers), patience_(patience), skip_(skip) {}

  /// A transport by which packets may come, whether or not any leave by it.
  void listen_to(Transport& transport);
  /// Comm's messages of a peer come by that route.
  void expect(const Route& route);
  /// `run_delay`: that of the thread that has made this, where nothing else is said.
  void set_patience(const Patience::Options& options, Patience::RunDelay run_delay = {});
  /// Called once when programs of others are found to want this task's core.
  void on_disturbance(std::function<void()> callback) { on_disturbance_ = std::move(callback); }
  /// So many more, or fewer, answer others through the poller: it gets its turn often, whatever is waited for here.
  void answer(int more);
  /// Looks for each look at everything; 0: adaptive.
  void set_skip(unsigned looks) { skip_ = SkipPoll(looks); }

  /// Where to look for what completes an operation.
  [[nodiscard]] Target target_of(const Operation& operation) const;
  /// Where to look for a message.
  [[nodiscard]] Target target_of(Rank source, Context context) const;
  /// Where to look for anything of Comms.
  [[nodiscard]] Target anything() const;

  [[nodiscard]] net::Poller& poller() { return poller_; }
  /// Looks once, without waiting.
  void progress();

  /// Looks once where that is expected. True: something has moved.
  bool look(const Target& target) { return poll_once(target); }

  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  /// Blocks until `done()`, making progress on everything. False: the deadline has come first.
  template <typename Done>
  bool until(const Target& target, Done done, const Deadline& deadline = {}) {
    look_to_come_back();
    if (done()) return true;
    // Never asleep before one cheap look: the message is often there already.
    if (!target.looked) (void)poll_once(target);
    // Patience learns from waits: this is none.
    if (done()) return true;
    SendWait waiting(memory_);
    for (Patience::Advice advice = patience_.begin(target.awaited); advice != Patience::Advice::sleep;) {
      bool moved = false;
      // What is waited for comes by what moves here; only what another thread says may come without.
      for (unsigned looks = 0; looks < patience_.looks(); ++looks) {
        if (!poll_once(target)) continue;
        moved = true;
        if (done()) return true;
      }
      if (done()) return true;
      if (is_over(deadline)) return false;
      if (target.sending) waiting.tell();
      advice = take_advice(moved);
    }
    while (!done()) {
      if (is_over(deadline)) return false;
      sleep(target, done, deadline);
      // Packets through memory may go on to come before each sleep; descriptors must get their turn.
      if (++polls_ >= SkipPoll::least && !done()) (void)look_everywhere();
    }
    return true;
  }

 private:
  /// A transport whose packets do not come through the poller while the task is awake.
  struct Memory {
    Transport* transport;
    MemoryPath* path;
  };

  /// Tells the transports through memory that this task waits for a send, until the end of the wait.
  class SendWait {
   public:
    explicit SendWait(const std::vector<Memory>& memory) : memory_(memory) {}
    SendWait(const SendWait&) = delete;
    SendWait& operator=(const SendWait&) = delete;
    ~SendWait() {
      if (!told_) return;
      for (const Memory& memory : memory_) memory.path->end_waiting();
    }
    void tell() {
      if (std::exchange(told_, true)) return;
      for (const Memory& memory : memory_) memory.path->begin_waiting();
    }

   private:
    const std::vector<Memory>& memory_;
    bool told_ = false;
  };

  bool poll_once(const Target& target) {
    const unsigned looks = target.skip != 0 ? target.skip : skip_.for_memory();
    if (target.transport == nullptr || ++polls_ >= looks) return look_everywhere();
    return target.transport->poll(target.peer);
  }
  bool look_everywhere();
  [[nodiscard]] unsigned limit() const;
  Patience::Advice take_advice(bool moved);
  /// Until something has come, or may have. What others change without a message is looked at once more when they
  /// have been told.
  template <typename Done>
  void sleep(const Target& target, Done& done, const Deadline& deadline) {
    if (!tell_of_sleep()) return;
    if (!target.in_memory || !done()) {
      polls_ = 0;
      (void)poller_.wait(time_until(deadline));
    }
    tell_of_end();
  }
  /// False: something has come meanwhile.
  bool tell_of_sleep();
  void tell_of_end();
  void learn_from(const MemoryPath::Ring& ring);
  /// The while away from a core has passed: by the clock, or now.
  void look_to_come_back() {
    if (back_at_ != 0 && ticks_now() >= back_at_) may_come_back();
  }
  void may_come_back();
  static std::chrono::nanoseconds time_until(const Deadline& deadline);
  static bool is_over(const Deadline& deadline) {
    return deadline.has_value() && std::chrono::steady_clock::now() >= *deadline;
  }

  net::Poller& poller_;
  const Peers& peers_;
  RunDelay run_delay_;
  Patience patience_;
  StandApart stand_apart_;
  AwayFromCore away_;  ///< a core that it has left
  Ticks back_at_ = 0;  ///< when that ends; 0: it is not away
  SkipPoll skip_;
  std::function<void()> on_disturbance_;
  std::vector<Memory> memory_;
  Transport* near_ = nullptr;  ///< one of those, which some peer is reached by
  bool all_near_ = true;       ///< and all others are, too
  unsigned polls_ = 0;         ///< since the last look at everything
  int answering_ = 0;          ///< so many answer others through the poller
};

}  // namespace nasvm::engine
