#pragma once
/// \file
/// What a service is made of, for its own files: who takes what comes, who carries it out, who keeps what leaves.
///
/// service.cpp: waiting and the task's calls; asking.cpp: requests that this task makes; serving.cpp: those that
/// come.

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "vm/service/account.hpp"
#include "vm/service/head.hpp"
#include "vm/service/inbox.hpp"
#include "vm/service/seal.hpp"
#include "vm/service/sends.hpp"
#include "vm/service/service.hpp"

namespace nasvm::service {

/// Data of one request on its way out. Without an owner it is copied before `request` returns.
struct Outgoing {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

struct Service::Parts final : Attendant {
  Parts(Service& service, RequestCarrier& carrier, const Options& options);

  // Attendant
  [[nodiscard]] bool wanted() const override;
  void attend() override;
  [[nodiscard]] bool forbids_waiting() const override {
    return own_thread ? on_thread() && running != nullptr : in_handler;
  }

  // Asking.
  /// Completes the head.
  void ask(const Startpoint::Target& target, Head& head, const Outgoing& data);
  /// Asks all of them, which are two or more, with one copy of the data on its way where their method hands it on.
  /// False: nothing has happened, for each needs its own.
  bool ask_together(std::span<const Startpoint::Target> targets, const Head& head, const Outgoing& data);
  /// Throws RunError for a task that has ended. Blocks until there is room for the request.
  void prepare(const Startpoint::Target& target, const Head& head);
  /// Books a request to that target, and completes its head.
  void book(const Startpoint::Target& target, Head& head);
  void wait_for_room(const Startpoint::Target& target, Account::Units units);
  /// Blocks until that task has carried out all that it has been asked for, or has ended.
  void wait_for(Rank peer);
  [[nodiscard]] bool is_done(Rank peer);
  void require_task_thread(const char* what) const;
  void send_control(Rank peer, Kind kind, bool asks, std::uint32_t number = 0, std::string_view text = {});
  void fill_accounts(Rank peer, Head& head);

  // Serving.
  /// Takes or carries out one thing that has come. False: there is none.
  bool step();
  struct Arrival;
  void take(Arrival& arrival);
  void take_request(Arrival& arrival, const Head& head);
  void queue(const Status& status, Context context, const Head& head, std::span<const std::byte> data);
  /// null: there is none of that number.
  [[nodiscard]] Endpoint* find_endpoint(std::uint32_t number);
  [[nodiscard]] bool may_run(std::uint32_t endpoint);
  void carry_out(Rank source, Context context, const Head& head, std::span<const std::byte> data);
  [[nodiscard]] std::string run(Rank source, Context context, const Head& head, std::span<const std::byte> data);
  void hear_failure(Rank source, const Head& head, std::span<const std::byte> text);
  void tell_failures();
  /// Failures that the program's listener has not heard of, and may be told by this thread.
  [[nodiscard]] bool is_to_tell() const { return listener && !failures.empty() && !on_thread(); }
  /// Failures that `throw_failures` throws, for nobody listens.
  [[nodiscard]] bool is_to_throw() const { return !listener && !failures.empty(); }
  void throw_failures();
  void post(Arrival& arrival);

  // A thread for handlers.
  void start_thread();
  void stop_thread();
  void run_thread();
  /// Until there is something to carry out, or nobody else is in the message layer.
  void stand_aside();
  void wake_thread();
  [[nodiscard]] bool on_thread() const { return std::this_thread::get_id() == thread.get_id(); }
  /// This is a handler's call.
  [[nodiscard]] bool is_in_handler() const { return own_thread ? on_thread() : in_handler; }
  /// Blocks until no handler of that endpoint runs.
  void wait_until_idle(const Endpoint& endpoint);

  // Waiting.
  bool serve(const std::function<bool()>& done,
             const std::optional<std::chrono::steady_clock::time_point>& deadline = {});
  void wait(const std::optional<std::chrono::steady_clock::time_point>& deadline);
  void close();
  void abandon() noexcept;

  struct Peer {
    Account account;
    Context context = 0;  ///< of what was sent to it or came from it last
  };
  Peer& peer(Rank rank) {
    if (static_cast<std::size_t>(rank) >= peers.size()) peers.resize(static_cast<std::size_t>(rank) + 1);
    return peers[static_cast<std::size_t>(rank)];
  }
  const Seal& seal();
  [[nodiscard]] std::string_view method_name(Context context) const;

  /// A posted receive for heads of one method.
  struct Arrival {
    Operation receive;
    std::array<std::byte, Head::bytes_on_wire + Head::longest_inline> message;
  };

  Service& service;
  RequestCarrier& carrier;
  nasvm::Endpoint& messages;  ///< the carrier's
  Account::Units window;
  Sends sends;
  Inbox inbox;
  std::vector<std::unique_ptr<Arrival>> arrivals;
  std::vector<Operation*> awaited;  ///< the receives of arrivals; in `wait`, those of data behind them
  std::vector<Peer> peers;          ///< by rank
  std::map<std::uint32_t, Endpoint*> endpoints;
  Endpoint* last_endpoint = nullptr;  ///< that was asked
  std::set<std::uint32_t> ended;      ///< known numbers whose endpoints are gone
  std::uint32_t next_endpoint = Endpoint::first_free_number;
  RequestNumber next_request = 1;
  std::vector<Failure> failures;
  std::function<void(const Failure&)> listener;
  Counters counters;
  std::optional<Seal> own_seal;
  RequestCarrier::Hint hint;
  bool at_work = false;     ///< somebody is in `step` or waits in here
  bool in_handler = false;  ///< the same, and runs a handler

  bool own_thread = false;  ///< handlers have one
  std::thread thread;
  const Endpoint* running = nullptr;  ///< whose handler that thread runs now, without the turn
  std::mutex aside_mutex;
  std::condition_variable aside;
  bool has_work = false;   ///< for who stands aside
  bool is_ending = false;  ///< the thread should
};

/// A turn of the message layer and of the service, from here to the end of a block, where there are two threads.
class Hold {
 public:
  explicit Hold(Service::Parts& parts) : carrier_(parts.own_thread ? &parts.carrier : nullptr) {
    if (carrier_ != nullptr) carrier_->take_turn();
  }
  ~Hold() {
    if (carrier_ != nullptr) carrier_->give_turn();
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  RequestCarrier* carrier_;
};

}  // namespace nasvm::service
