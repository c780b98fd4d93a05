#pragma once
/// \file
/// Service: a task's part in remote service requests. It makes and takes them, runs handlers, and bounds what waits.
/// Endpoints (endpoint.hpp) and startpoints (startpoint.hpp) belong to one.
///
/// Handlers run one at a time: in the task's own thread whenever that is in the message layer, in a call of this
/// service or in one of Comm or Task that waits or looks for messages; or in a thread of their own
/// (Options::handlers), also while the task computes.
///
/// Flow control: docs/decisions/remote-service-requests.md.
///
/// Source: Foster, Geisler, Kesselman, Tuecke, Managing Multiple Communication Methods in High-Performance Networked
/// Computing Systems, sections 2.3, 3 and 5.1.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "vm/message.hpp"
#include "vm/request_carrier.hpp"
#include "vm/service/endpoint.hpp"
#include "vm/service/startpoint.hpp"

namespace nasvm {
class Task;
}

namespace nasvm::service {

class Hold;

/// A request that was not carried out, or not to its end: what its handler has thrown, or why there was none.
struct Failure {
  RequestNumber request = 0;  ///< as Startpoint::request has returned it
  Tid task;                   ///< where it should have been carried out
  std::string text;           ///< for people: "handler "read" of endpoint 3 of t1.2: no space left on device"
};

/// What a task's requests have been so far.
struct Counters {
  std::uint64_t requests_made = 0;  ///< to a multicast's endpoints: one each
  std::uint64_t bytes_made = 0;     ///< of their data
  std::uint64_t requests_served = 0;
  std::uint64_t bytes_served = 0;
  std::uint64_t failures = 0;  ///< of requests that this task has made
  std::uint64_t waits = 0;     ///< how often a request had to wait for room at its receiver
};

/// own_thread: a thread of the service runs them; the rest of the task goes on. Handlers may then block.
enum class HandlersIn : std::uint8_t { task, own_thread };

class Service {
 public:
  struct Options {
    HandlersIn handlers = HandlersIn::task;
    /// Data of requests, and 64 bytes for each, that may be made to a task and not carried out yet. One request may
    /// always be under way.
    std::size_t window_bytes = std::size_t{1} << 20;
  };

  /// One for each task at a time (UsageError). All siblings that use requests make one, which outlives nothing of the
  /// task's.
  explicit Service(Task& task);
  Service(Task& task, const Options& options);
  explicit Service(RequestCarrier& carrier);
  Service(RequestCarrier& carrier, const Options& options);
  /// Blocks until what was requested has left this task. Before the task leaves (Task::finish, depart). What comes
  /// later is not carried out, and who waits for it waits until this task has ended: end with `flush` and a barrier
  /// where it matters. Startpoints are of no use afterwards.
  ~Service();
  /// For one that cannot be closed because the message layer has failed and the program goes on all the same: it does
  /// nothing any more, and its memory stays, for messages may be on their way into it. Does not block.
  static void abandon(std::unique_ptr<Service> service) noexcept;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Bound to an endpoint with a known number in any task, without having been sent a startpoint.
  [[nodiscard]] Startpoint startpoint(Tid task, std::uint32_t number, std::string_view order = {});

  // These may run handlers. Outside of handlers only (RunError), but for `progress`, which does nothing there. They
  // throw RunError for a request that failed since, unless `on_failure` has been told who hears of them.

  /// Carries out what has come. Does not wait.
  void progress();
  /// Carries out requests until `done()`, which is asked after each. Blocks, asleep when nothing comes; a failure
  /// that comes meanwhile ends it, for what is waited for may depend on that request. With handlers in a thread of
  /// their own, that one runs them, and `done` is asked with none running.
  void serve_until(const std::function<bool()>& done);
  /// The same, no longer than until the deadline; false: that has come first.
  bool serve_until(const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline);
  /// Blocks until all that this task has requested has been carried out, and all its failures are known.
  void flush();

  /// That task carries out nothing any more, as its siblings know and the message layer does not yet, or may not:
  /// nothing that it was asked for is waited for. Nor does the end of this service wait until long data for it has
  /// left: that goes on from a copy. Also within handlers.
  void forget(Tid task);

  /// Where handlers have a thread of their own, it ends: what comes from now on is the next service's, and fails
  /// nobody who asks endpoints that are gone. Not within handlers.
  void end_handlers() noexcept;

  /// Hears of requests that failed, in the task's thread, when it enters the message layer. What the listener throws
  /// leaves that call; of the others it is told in the next one.
  void on_failure(std::function<void(const Failure&)> listener);

  [[nodiscard]] Tid self() const;
  [[nodiscard]] HandlersIn handlers() const;
  [[nodiscard]] Counters counters() const;

 private:
  friend class Endpoint;
  friend class Hold;
  friend class Incoming;
  friend class Startpoint;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace nasvm::service
