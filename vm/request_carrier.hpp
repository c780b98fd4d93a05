#pragma once
/// \file
/// What carries remote service requests (vm/service/) between tasks: an endpoint, with a context of its own for each
/// method of communication, so that each request goes by the method of its link; and who is who. A task is one
/// (Task::request_carrier); tests have theirs between threads.
///
/// Source: Foster, Geisler, Kesselman, Tuecke, Managing Multiple Communication Methods in High-Performance Networked
/// Computing Systems, section 3.1 (communication module, descriptor, object).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/auth.hpp"
#include "vm/endpoint.hpp"
#include "vm/message.hpp"
#include "vm/routes/candidate.hpp"

namespace nasvm {

/// Has something to do now and then for messages that have come. Whoever looks or waits for messages in the task's
/// message layer lets it, outside of all handling of packets.
class Attendant {
 public:
  /// Asked at every look: cheap. Never true while `attend` runs.
  [[nodiscard]] virtual bool wanted() const = 0;
  /// May start operations, and waits for none. Errors are those of the message layer.
  virtual void attend() = 0;
  /// Asked by whoever is about to wait for messages: does this thread run a handler, which must not?
  [[nodiscard]] virtual bool forbids_waiting() const = 0;

 protected:
  ~Attendant() = default;
};

class RequestCarrier {
 public:
  virtual ~RequestCarrier() = default;

  [[nodiscard]] virtual Endpoint& endpoint() = 0;
  [[nodiscard]] virtual Tid self() const = 0;
  /// Throws RunError for what is no task.
  virtual Rank rank_of(Tid task) = 0;
  [[nodiscard]] virtual Tid tid_of(Rank peer) const = 0;
  /// This task has left in good order: to send or wait would be a std::logic_error.
  [[nodiscard]] virtual bool has_left() const { return false; }
  /// It has ended: nothing comes from it any more, and what is sent to it vanishes.
  [[nodiscard]] virtual bool is_gone(Rank peer) const = 0;
  /// The machine's secret, by which requests can be sealed.
  [[nodiscard]] virtual const Secret& secret() const = 0;

  /// A method by which requests may come to this task, and the context of those that do.
  struct Method {
    std::string_view name;
    Context context = 0;
  };
  /// Never empty; the same throughout.
  [[nodiscard]] virtual std::span<const Method> methods() const = 0;
  /// The first method of an order ("direct+daemon") that reaches a peer; an empty order is this task's own for it.
  /// Throws UsageError for what is no order, RunError with every reason when none of it is applicable.
  virtual Method choose(Rank peer, std::string_view order) = 0;
  /// All methods of such an order, best first, with the reasons against those that are not applicable.
  virtual std::vector<RouteCandidate> candidates(Rank peer, std::string_view order) = 0;

  /// Does one message by the method of that context do for several peers, because others hand it on?
  [[nodiscard]] virtual bool multicasts(Context /*context*/) const { return false; }
  /// Starts such a send, to different peers, none of them this task; the operation has any_source for its peer. Does
  /// not block, and keeps the order of messages for each of them.
  virtual void start_multicast(Operation& /*operation*/, std::span<const Rank> /*peers*/) {}

  /// Where the next message is likely to come from, and by which method; any_source: nobody knows.
  struct Hint {
    Rank peer = any_source;
    Context context = 0;
  };
  /// Blocks until one of the operations is complete or abandoned, or a task has ended, or another thread wants the
  /// turn, moving on everything that the task has under way. False: the deadline has come first.
  virtual bool wait(std::span<Operation* const> operations, const Hint& hint,
                    const std::optional<std::chrono::steady_clock::time_point>& deadline) = 0;
  // Two threads.

  /// From now on a second thread may use all of this, and every call takes a turn. Throws UsageError where that
  /// cannot be.
  virtual void share() = 0;
  /// For what takes several calls. Blocks; in a thread that has the turn, it counts how often.
  virtual void take_turn() = 0;
  virtual void give_turn() = 0;
  /// Lets others have theirs.
  virtual void pass_turn() = 0;
  /// The thread that has the turn is done for: its error is thrown in the others.
  virtual void fail(std::exception_ptr problem) = 0;
  [[nodiscard]] virtual bool others_want_turn() const = 0;
  /// How often a turn was taken so far, by anybody; has anybody one now?
  [[nodiscard]] virtual std::uint32_t turns_taken() const = 0;
  [[nodiscard]] virtual bool is_in_use() const = 0;

  /// null: nobody any more.
  virtual void set_attendant(Attendant* attendant) = 0;
  [[nodiscard]] virtual bool has_attendant() const = 0;
};

}  // namespace nasvm
