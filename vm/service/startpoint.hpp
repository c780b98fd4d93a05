#pragma once
/// \file
/// Startpoint: the end of a communication link where requests are made. It is bound to an endpoint, or to several
/// (then each request goes to all of them), here or in other tasks; can be copied, and packed into messages, by which
/// other tasks get links to the same endpoints; and knows the methods by which each endpoint may be reached.
///
/// One thread at a time uses a startpoint; with handlers in a thread of their own, handlers have copies of their own.
///
/// Source: Foster, Geisler, Kesselman, Tuecke, Managing Multiple Communication Methods in High-Performance Networked
/// Computing Systems, sections 2.3, 3.1 and 3.2.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/message.hpp"
#include "vm/pack_buffer.hpp"
#include "vm/routes/candidate.hpp"
#include "vm/service/handler.hpp"

namespace nasvm::service {

class Endpoint;
class Incoming;
class Service;
struct Outgoing;

/// Names a request among those of this task: what `request` returns, and Failure says.
using RequestNumber = std::uint32_t;

/// Whether what a link carries is encrypted and authenticated on its way, by the machine's secret: security as a
/// property of a method (section 3.3).
enum class Protection : std::uint8_t { open, sealed };

class Startpoint {
 public:
  /// Bound to nothing: requests are a RunError.
  Startpoint() = default;

  /// Adds the endpoints of another startpoint of the same service: requests go to all of them, in the order of
  /// binding.
  void bind(const Startpoint& other);
  /// How many endpoints it is bound to.
  [[nodiscard]] std::size_t size() const { return targets_.size(); }
  [[nodiscard]] bool bound() const { return !targets_.empty(); }
  /// The task of an endpoint. Throws RunError where it is bound to none, as `method` and `candidates` do.
  [[nodiscard]] Tid task(std::size_t target = 0) const { return at(target).task; }

  /// Asks the endpoints to run a handler on this data. Requests of one task to one endpoint are carried out in their
  /// order, each once. Asynchronous: `data` may be used again afterwards, and the handler may not have begun. Blocks,
  /// serving others meanwhile, only while requests of more than Service::Options::window_bytes that this task has
  /// made outside of handlers wait at the receiver; within a handler it never blocks. `answers`: where answers
  /// should go, an endpoint of this task (Incoming::asker).
  /// Throws RunError when a task that it is bound to has ended.
  RequestNumber request(HandlerName handler, std::span<const std::byte> data = {}, const Endpoint* answers = nullptr);
  /// Without data.
  RequestNumber request(HandlerName handler, const Endpoint& answers) {
    return request(handler, std::span<const std::byte>(), &answers);
  }
  /// Packed data. Taken over, not copied, where it cannot leave at once.
  RequestNumber request(HandlerName handler, PackBuffer message, const Endpoint* answers = nullptr);
  /// Raw data that is taken over, for long ones that cannot leave at once.
  RequestNumber request(HandlerName handler, std::vector<std::byte> data, const Endpoint* answers = nullptr);

  /// Into a message: where the endpoints are, and, only where it is not the default one, the order of methods by
  /// which each is to be reached. Does not hold the endpoint: one that has ended answers with a failure.
  void pack(PackBuffer& into) const;
  /// Out of a message. The receiver chooses the methods anew. Throws RunError when none is applicable.
  static Startpoint unpack(Service& service, PackBuffer& from);

  // How

  /// Name of the method that carries requests to an endpoint: the first of its order that is applicable.
  [[nodiscard]] std::string_view method(std::size_t target = 0) const { return at(target).method; }
  /// All methods of its order, with what speaks against them.
  [[nodiscard]] std::vector<RouteCandidate> candidates(std::size_t target = 0) const;
  /// Another order of preference for all endpoints, "daemon" or "direct+daemon"; empty: the task's own. Goes with the
  /// startpoint when it is packed. Blocks until what was requested before has been carried out, so that nothing
  /// overtakes it. Throws UsageError for what is no order, RunError when it reaches an endpoint by no method; then
  /// nothing has changed. Not within a handler (RunError).
  void use(std::string_view order);
  /// Encrypts from the next request on. Goes with the startpoint when it is packed.
  void protect(Protection protection);
  [[nodiscard]] Protection protection() const { return protection_; }

 private:
  friend class Incoming;
  friend class Service;

  struct Target {
    Tid task;
    std::uint32_t endpoint = 0;
    Rank rank = any_source;
    Context context = 0;
    std::string_view method;
    std::string order;  ///< empty: the default one
  };

  [[nodiscard]] const Target& at(std::size_t target) const;
  RequestNumber request_all(HandlerName handler, const Outgoing& data, const Endpoint* answers);

  Service* service_ = nullptr;
  std::vector<Target> targets_;
  Protection protection_ = Protection::open;
};

}  // namespace nasvm::service
