#pragma once
/// \file
/// Requests that have come and wait: for their data, for their turn, or for their endpoint to be made. Those of one
/// task to one endpoint are carried out in their order; no other order is kept. Pure bookkeeping.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/service/head.hpp"

namespace nasvm::service {

struct Arrived {
  Rank source = any_source;
  Context context = 0;
  Head head;
  std::vector<std::byte> data;
  Operation receive;  ///< of data that is under way
  bool ready = true;  ///< the data is there
};

class Inbox {
 public:
  /// Whether an endpoint can carry out requests now.
  using MayRun = std::function<bool(std::uint32_t endpoint)>;

  [[nodiscard]] bool empty() const { return queues_.empty(); }
  /// Is there perhaps something to `take`?
  [[nodiscard]] bool has_ready() const { return !ready_.empty(); }
  /// Does anything of that task wait for that endpoint?
  [[nodiscard]] bool holds_up(Rank source, std::uint32_t endpoint) const {
    return queues_.contains({source, endpoint});
  }
  Arrived& add(std::unique_ptr<Arrived> request);
  /// The data of requests that are under way, oldest first.
  [[nodiscard]] std::span<Arrived* const> receiving() const { return receiving_; }
  /// Looks at all of them: which are complete, and which will never be.
  void look_at_data();
  /// The next one to be carried out; empty: there is none.
  std::unique_ptr<Arrived> take(const MayRun& may_run);
  /// Those that waited for an endpoint go on.
  void release(std::uint32_t endpoint);

 private:
  using Key = std::pair<Rank, std::uint32_t>;
  using Queue = std::deque<std::unique_ptr<Arrived>>;

  static Key key_of(const Arrived& request) { return {request.source, request.head.endpoint}; }
  void drop(Arrived& request);

  std::map<Key, Queue> queues_;  ///< none empty
  std::deque<Key> ready_;        ///< the first of its queue may be carried out
  std::set<Key> parked_;         ///< the same, but for the endpoint
  std::vector<Arrived*> receiving_;
};

}  // namespace nasvm::service
