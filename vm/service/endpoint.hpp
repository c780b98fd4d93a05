#pragma once
/// \file
/// Endpoint: the end of a communication link where requests are carried out. It has handlers and data of its own.
/// Many startpoints, of many tasks, may be bound to it.
///
/// Source: Foster, Geisler, Kesselman, Tuecke, Managing Multiple Communication Methods in High-Performance Networked
/// Computing Systems, sections 2.3 and 3.4.

#include <any>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vm/message.hpp"
#include "vm/pack_buffer.hpp"
#include "vm/service/handler.hpp"
#include "vm/service/startpoint.hpp"

namespace nasvm::service {

struct Head;

class Endpoint {
 public:
  using Handlers = std::vector<std::pair<HandlerName, Handler>>;

  /// Gets a number of its own. The service outlives it.
  explicit Endpoint(Service& service, Handlers handlers = {});
  /// Of a number that others know, below `first_free_number`: they reach it by Service::startpoint, without having
  /// been sent one. What arrives before it is made waits. UsageError: the number is taken.
  Endpoint(Service& service, std::uint32_t number, Handlers handlers = {});
  /// Requests that come later fail. Not within its own handlers.
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  static constexpr std::uint32_t first_free_number = 1024;

  /// Adds a handler, before the first request for it can be carried out: before the task enters the message layer
  /// again. Where handlers have a thread of their own, give them to the constructor. UsageError: that number or name
  /// is taken.
  Endpoint& on(HandlerName name, Handler handler);
  /// Bound to this endpoint. `order`: of the methods by which others should reach it; empty: their own.
  [[nodiscard]] Startpoint startpoint(std::string_view order = {});
  [[nodiscard]] std::uint32_t number() const { return number_; }
  /// Whatever the handlers of this endpoint share (Incoming::endpoint).
  std::any& data() { return data_; }

 private:
  friend class Service;

  struct Named {
    std::string name;
    Handler handler;
  };

  /// null: there is no such handler.
  Named* find(std::uint32_t handler) {
    if (last_ != nullptr && last_->first == handler) return &last_->second;
    const auto found = handlers_.find(handler);
    if (found == handlers_.end()) return nullptr;
    last_ = &*found;
    return &last_->second;
  }

  Service& service_;
  std::uint32_t number_ = 0;
  std::map<std::uint32_t, Named> handlers_;                ///< none ever goes
  std::pair<const std::uint32_t, Named>* last_ = nullptr;  ///< that was wanted
  std::any data_;
};

/// A request as its handler sees it, valid while the handler runs.
class Incoming {
 public:
  [[nodiscard]] Service& service() const { return service_; }
  [[nodiscard]] Endpoint& endpoint() const { return endpoint_; }
  /// Who has asked.
  [[nodiscard]] Tid source() const;
  /// The data as it was sent.
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  /// The data of a packed request, to be unpacked. Throws RunError when it is not packed.
  [[nodiscard]] PackBuffer packed() const { return PackBuffer(std::vector<std::byte>(bytes_.begin(), bytes_.end())); }
  /// Bound to the endpoint that the asker has named for answers; to nothing when it has named none. Answers go by the
  /// method by which the request has come, sealed if it was.
  [[nodiscard]] Startpoint asker() const;

 private:
  friend class Service;
  Incoming(Service& service, Endpoint& endpoint, Rank source, Context context, const Head& head,
           std::span<const std::byte> bytes)
      : service_(service), endpoint_(endpoint), source_(source), context_(context), head_(head), bytes_(bytes) {}

  Service& service_;
  Endpoint& endpoint_;
  Rank source_;
  Context context_;
  const Head& head_;
  std::span<const std::byte> bytes_;
};

}  // namespace nasvm::service
