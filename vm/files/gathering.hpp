#pragma once
/// \file
/// Collective calls of the file cache: every task comes, says what it has, and gets what came of all. Task 0 keeps
/// the list. The calls of a task are numbered; the same number on all tasks has to be the same call.
///
/// A call in which a task does not take part ends with an error that names it, on all tasks that have come: when that
/// task has ended, or its part in the cache has, at once; when it waits elsewhere, and so does every other task that
/// has not come, after `Absence::patience`. Tasks that compute are waited for: they do not answer, or say so. A task
/// that comes later gets the same error.
///
/// Gathering and Absence are bookkeeping: no messages, and time is an argument.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vm/files/line.hpp"
#include "vm/pack_buffer.hpp"

namespace nasvm::files {

/// What a task brings.
struct Arrival {
  std::string call;                  ///< "do_open a.bin": the same for all
  std::vector<std::int64_t> values;  ///< as many for all
  std::string text;
  int code = 0;  ///< not 0: it has failed, for what `error` says
  std::string error;
};

/// What came of it.
struct Outcome {
  std::vector<std::int64_t> least;  ///< of each value
  std::vector<std::int64_t> most;
  std::vector<std::string> texts;  ///< by task
  int code = 0;                    ///< not 0: that of the first task that has failed
  std::string error;
};

/// The list, at task 0.
class Gathering {
 public:
  explicit Gathering(int tasks) : tasks_(tasks) {}

  /// A task has come to its call of that number. The outcome, once all are there (and also for one that comes too
  /// late): it goes to `receivers`.
  struct Settled {
    Outcome outcome;
    std::vector<int> receivers;
  };
  std::optional<Settled> arrive(int task, std::uint64_t number, Arrival arrival);
  /// Who has come to a call.
  [[nodiscard]] std::vector<int> arrived(std::uint64_t number) const;
  /// A task takes part in nothing any more: what waits for it, and what will, is given up.
  std::vector<std::pair<std::uint64_t, Settled>> leave(int task);
  /// Nobody else is waited for; none when it is settled already.
  std::optional<Settled> give_up(std::uint64_t number, const std::string& error);

 private:
  int tasks_;
  std::map<std::uint64_t, std::map<int, Arrival>> waiting_;
  std::map<std::uint64_t, Outcome> given_up_;
  std::set<int> left_;
};

Outcome outcome_of(const std::map<int, Arrival>& arrivals);

PackBuffer pack(const Arrival& arrival);
PackBuffer pack(const Outcome& outcome);
Arrival unpack_arrival(PackBuffer message);
Outcome unpack_outcome(PackBuffer message);

/// What a task that waits for others knows of those that have not come.
class Absence {
 public:
  /// So long a task has to be found in one and the same call.
  static constexpr std::chrono::seconds patience{4};
  static constexpr std::chrono::seconds asks_every{1};

  /// Whether to ask a task now what it does: not while it owes an answer.
  bool ask(int task, TimePoint now);
  /// It has answered: it is in the message layer, in its call of that number.
  void hear(int task, std::uint64_t calls, TimePoint now);
  /// It has answered: it is at work of its own, and may have been so all the time. May be asked again.
  void hear_working(int task) { seen_[task] = {}; }
  /// It is known to have ended.
  void lose(int task) { gone_.insert(task); }
  /// The error, once nobody of `missing` can be waited for; empty before.
  [[nodiscard]] std::string verdict(std::span<const int> missing) const;

 private:
  struct Seen {
    std::optional<TimePoint> asked;  ///< and not answered
    std::uint64_t calls = 0;
    std::optional<TimePoint> since;  ///< in that call
    TimePoint last{};                ///< was asked when it was in that call
  };
  [[nodiscard]] bool is_stuck(int task) const;

  std::map<int, Seen> seen_;
  std::set<int> gone_;
};

}  // namespace nasvm::files
