#pragma once
/// \file
/// Heads and data on their way out: kept until they have left, because who asks does not wait for that. Nothing here
/// blocks; how much is kept is bounded by accounts (account.hpp).

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/request_carrier.hpp"
#include "vm/service/head.hpp"

namespace nasvm::service {

/// Tags of the two kinds of messages in a context of requests.
inline constexpr Tag head_tag = 0;
inline constexpr Tag data_tag = 1;

class Sends {
 public:
  explicit Sends(RequestCarrier& carrier) : carrier_(carrier), endpoint_(carrier.endpoint()) {}

  struct Way {
    Rank peer = any_source;
    Context context = 0;
  };
  /// A head with short data, which is copied.
  void send(const Way& way, const Head& head, std::span<const std::byte> data);
  /// A head without its data, which follows; `owner` keeps it in place.
  void send(const Way& way, const Head& head, std::span<const std::byte> data, std::shared_ptr<const void> owner);
  /// The data behind heads that have been sent to all these peers, as one message (RequestCarrier::start_multicast).
  void multicast(Context context, std::span<const Rank> peers, std::span<const std::byte> data,
                 std::shared_ptr<const void> owner);

  /// Lets go of what has left.
  void drop_complete() {
    if (count_ != 0) drop();
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// What that peer has not taken goes on from copies, and is not kept any more. Heads are: they leave by themselves.
  void leave_data(Rank peer);
  /// One for each task and method that something still has to leave for.
  [[nodiscard]] std::vector<Operation*> oldest() const;

 private:
  struct Send {
    Operation operation;
    std::shared_ptr<const void> owner;
    std::array<std::byte, Head::bytes_on_wire + Head::longest_inline> message;
  };
  using SendPointer = std::unique_ptr<Send>;

  SendPointer take();
  static void fill(Send& send, const Way& way, Tag tag, std::span<const std::byte> message);
  void start(SendPointer send, const Way& way, Tag tag, std::span<const std::byte> message);
  /// It has been started: keeps it until it has left.
  void keep(SendPointer send, const Way& way);
  void drop();

  RequestCarrier& carrier_;
  nasvm::Endpoint& endpoint_;                 ///< its
  SendPointer next_ = SendPointer(new Send);  ///< of the next head: most leave at once, and need no more than this
  std::map<std::pair<Rank, Context>, std::deque<SendPointer>> kept_;
  std::size_t count_ = 0;
  std::vector<SendPointer> free_;
};

}  // namespace nasvm::service
