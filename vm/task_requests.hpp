#pragma once
/// \file
/// How remote service requests get from task to task: over the engine, in a context for each transport that the task
/// has made, chosen by the orders of preference as Comm's routes are.

#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "vm/engine/engine.hpp"
#include "vm/request_carrier.hpp"
#include "vm/routes/orders.hpp"
#include "vm/routes/transport_set.hpp"

namespace nasvm {

class TaskRequests final : public RequestCarrier {
 public:
  /// Starts a send to several tasks that the daemons hand on.
  using Multicast = std::function<void(Operation& operation, std::span<const Rank> peers)>;

  /// Everything outlives it; the engine has met its peers. One for each engine.
  TaskRequests(Engine& engine, const TransportSet& transports, const Orders& orders, const Secret& secret,
               Multicast multicast);

  Endpoint& endpoint() override { return engine_; }
  [[nodiscard]] Tid self() const override { return engine_.tid_of(engine_.rank()); }
  Rank rank_of(Tid task) override { return engine_.rank_of(task); }
  [[nodiscard]] Tid tid_of(Rank peer) const override { return engine_.tid_of(peer); }
  [[nodiscard]] bool is_gone(Rank peer) const override { return engine_.is_gone(peer); }
  [[nodiscard]] const Secret& secret() const override { return secret_; }
  [[nodiscard]] std::span<const Method> methods() const override { return methods_; }
  Method choose(Rank peer, std::string_view order) override;
  std::vector<RouteCandidate> candidates(Rank peer, std::string_view order) override;
  [[nodiscard]] bool multicasts(Context context) const override { return context == daemons_context_; }
  void start_multicast(Operation& operation, std::span<const Rank> peers) override { multicast_(operation, peers); }
  bool wait(std::span<Operation* const> operations, const Hint& hint,
            const std::optional<std::chrono::steady_clock::time_point>& deadline) override {
    return engine_.wait_any_until(operations, hint.peer, hint.context, deadline);
  }
  void share() override { engine_.share(); }
  void take_turn() override {
    if (engine_.turns() != nullptr) engine_.turns()->take();
  }
  void give_turn() override {
    if (engine_.turns() != nullptr) engine_.turns()->give();
  }
  void pass_turn() override {
    if (engine_.turns() != nullptr) engine_.turns()->pass();
  }
  void fail(std::exception_ptr problem) override { engine_.turns()->fail(std::move(problem)); }
  [[nodiscard]] bool others_want_turn() const override {
    return engine_.turns() != nullptr && engine_.turns()->others_want();
  }
  [[nodiscard]] std::uint32_t turns_taken() const override { return engine_.turns()->taken(); }
  [[nodiscard]] bool is_in_use() const override { return engine_.turns()->held(); }
  void set_attendant(Attendant* attendant) override { engine_.set_attendant(attendant); }
  [[nodiscard]] bool has_attendant() const override { return engine_.has_attendant(); }
  [[nodiscard]] bool has_left() const override { return engine_.is_closed(); }

 private:
  [[nodiscard]] Orders orders_for(Rank peer, std::string_view order) const;
  [[nodiscard]] std::string why_not(const TransportRow& row, Rank peer) const;

  Engine& engine_;
  const TransportSet& transports_;
  const Orders& orders_;
  const Secret& secret_;
  Multicast multicast_;
  std::vector<Method> methods_;
  Context daemons_context_ = 0;
};

}  // namespace nasvm
