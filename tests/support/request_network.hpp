#pragma once
/// \file
/// Carriers of remote service requests for some tasks of one process and one thread: messages are copied from task to
/// task at once, or when the test lets them go. Whoever waits lets the others work; if nobody has anything to do, the
/// wait ends with std::logic_error: all would wait for ever.

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "vm/request_carrier.hpp"
#include "vm/status.hpp"

namespace nasvm::test {

class RequestNetwork {
 public:
  struct Message {
    Rank source;
    Rank destination;
    Tag tag;
    Context context;
    std::vector<std::byte> data;
  };
  /// Those for which it says yes wait for `let_go`; so do later ones of the same pair and context.
  std::function<bool(const Message&)> held_up = [](const Message&) { return false; };
  /// Called when everybody waits, with messages held up or not; false: that is the end.
  std::function<bool()> when_stuck = [] { return false; };
  /// Of a receive that is posted; false: its data is arriving.
  std::function<bool(const Operation&)> may_cancel = [](const Operation&) { return true; };
  int messages = 0;  ///< so far

  explicit RequestNetwork(int tasks) {
    for (Rank rank = 0; rank < tasks; ++rank) carriers_.push_back(std::make_unique<Carrier>(*this, rank));
  }

  RequestCarrier& operator[](Rank rank) { return *carriers_[static_cast<std::size_t>(rank)]; }
  static Tid tid_of(Rank rank) { return Tid::task(1, rank + 1); }

  void let_go() {
    held_up = [](const Message&) { return false; };
    for (Message& message : std::exchange(held_, {})) deliver(std::move(message));
  }
  /// That task has ended: what is sent to it vanishes, nothing comes from it.
  void end(Rank rank) {
    carrier(rank).gone = true;
    ++ended_;
    std::erase_if(held_, [&](const Message& message) { return message.source == rank; });
    for (const auto& other : carriers_) other->abandon(rank);
  }
  /// Everybody carries out what there is, until nobody has anything to do.
  void settle() {
    while (let_others_work(any_source)) continue;
  }
  static constexpr Context near_context = 100, far_context = 101;

 private:
  class Carrier final : public RequestCarrier, public Endpoint {
   public:
    Carrier(RequestNetwork& network, Rank rank) : network_(network), rank_(rank) {}

    Endpoint& endpoint() override { return *this; }
    [[nodiscard]] Tid self() const override { return RequestNetwork::tid_of(rank_); }
    Rank rank_of(Tid task) override {
      const Rank rank = task.local() - 1;
      if (task.host() != 1 || rank >= size()) throw RunError("there is no task " + to_string(task));
      return rank;
    }
    [[nodiscard]] Tid tid_of(Rank peer) const override { return RequestNetwork::tid_of(peer); }
    [[nodiscard]] bool is_gone(Rank peer) const override { return network_.carrier(peer).gone; }
    [[nodiscard]] const Secret& secret() const override { return secret_; }
    [[nodiscard]] std::span<const Method> methods() const override { return methods_; }
    Method choose(Rank, std::string_view order) override {
      const std::string_view first = order.substr(0, order.find('+'));
      if (first.empty()) return methods_[0];
      const auto found = std::ranges::find(methods_, first, &Method::name);
      if (found == methods_.end()) throw UsageError("unknown method");
      return *found;
    }
    std::vector<RouteCandidate> candidates(Rank, std::string_view) override { return {{"near", ""}, {"far", ""}}; }
    bool wait(std::span<Operation* const> operations, const Hint&,
              const std::optional<std::chrono::steady_clock::time_point>& deadline) override {
      const auto is_over = [](const Operation* operation) { return operation->complete || operation->abandoned; };
      const int ended = network_.ended_;
      while (!std::ranges::any_of(operations, is_over) && network_.ended_ == ended) {
        if (network_.let_others_work(rank_) || network_.when_stuck()) continue;
        if (deadline) return false;
        throw std::logic_error("everybody waits");
      }
      return true;
    }
    [[nodiscard]] bool multicasts(Context context) const override { return context == far_context; }
    void start_multicast(Operation& operation, std::span<const Rank> peers) override {
      ++network_.messages;
      for (const Rank peer : peers) {
        network_.send(
            {rank_, peer, operation.tag, operation.context, {operation.data, operation.data + operation.bytes}});
      }
      operation.complete = true;
    }
    void share() override { throw UsageError("these tasks have one thread"); }
    void take_turn() override {}
    void give_turn() override {}
    void pass_turn() override {}
    void fail(std::exception_ptr) override {}
    [[nodiscard]] bool others_want_turn() const override { return false; }
    [[nodiscard]] std::uint32_t turns_taken() const override { return 0; }
    [[nodiscard]] bool is_in_use() const override { return false; }
    void set_attendant(Attendant* attendant) override { attendant_ = attendant; }
    [[nodiscard]] bool has_attendant() const override { return attendant_ != nullptr; }

    [[nodiscard]] Rank rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return static_cast<int>(network_.carriers_.size()); }
    [[nodiscard]] std::string_view method(Rank) const override { return "near"; }
    void start(Operation& operation) override {
      if (operation.kind == Operation::Kind::receive) {
        posted_.push_back(&operation);
        match();
        return;
      }
      ++network_.messages;
      network_.send({rank_,
                     operation.peer,
                     operation.tag,
                     operation.context,
                     {operation.data, operation.data + operation.bytes}});
      operation.complete = true;
    }
    void progress() override {}
    void wait_any(std::span<Operation* const> operations) override { (void)wait(operations, {}, std::nullopt); }
    bool probe(Rank, Tag, Context, Status&, bool) override { return false; }
    bool cancel(Operation& receive) override {
      return network_.may_cancel(receive) && std::erase(posted_, &receive) > 0;
    }

    void take(Message message) {
      messages_.push_back(std::move(message));
      match();
    }
    void abandon(Rank source) {
      std::erase_if(posted_, [&](Operation* receive) {
        if (receive->peer == source) receive->abandoned = true;
        return receive->peer == source;
      });
    }
    bool work() {
      if (attendant_ == nullptr || !attendant_->wanted()) return false;
      attendant_->attend();
      return true;
    }
    bool gone = false;

   private:
    static bool matches(const Operation& receive, const Message& message) {
      return receive.context == message.context && (receive.tag == any_tag || receive.tag == message.tag) &&
             (receive.peer == any_source || receive.peer == message.source);
    }
    void match() {
      for (auto message = messages_.begin(); message != messages_.end();) {
        const auto receive =
            std::ranges::find_if(posted_, [&](const Operation* each) { return matches(*each, *message); });
        if (receive == posted_.end()) {
          ++message;
          continue;
        }
        if (message->data.size() > (*receive)->bytes) throw RunError("does not fit");
        if (!message->data.empty()) std::memcpy((*receive)->data, message->data.data(), message->data.size());
        (*receive)->status = {message->source, message->tag, message->data.size()};
        (*receive)->complete = true;
        posted_.erase(receive);
        message = messages_.erase(message);
      }
    }

    RequestNetwork& network_;
    Rank rank_;
    Secret secret_{};
    std::vector<Method> methods_{{"near", near_context}, {"far", far_context}};
    std::vector<Operation*> posted_;
    std::deque<Message> messages_;
    Attendant* attendant_ = nullptr;
  };

  Carrier& carrier(Rank rank) { return *carriers_[static_cast<std::size_t>(rank)]; }

  void send(Message message) {
    const auto same_way = [&](const Message& other) {
      return other.source == message.source && other.destination == message.destination &&
             other.context == message.context;
    };
    if (held_up(message) || std::ranges::any_of(held_, same_way)) {
      held_.push_back(std::move(message));
    } else {
      deliver(std::move(message));
    }
  }
  void deliver(Message message) {
    if (!carrier(message.destination).gone) carrier(message.destination).take(std::move(message));
  }
  bool let_others_work(Rank waiting) {
    bool worked = false;
    for (const auto& each : carriers_) {
      if (each->rank() != waiting && !each->gone) worked = each->work() || worked;
    }
    return worked;
  }

  std::vector<std::unique_ptr<Carrier>> carriers_;
  std::deque<Message> held_;
  int ended_ = 0;
};

}  // namespace nasvm::test
