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
#include "vm/service/head.hpp"

namespace nasvm::service {

/// Tags of the two kinds of messages in a context of requests.
inline constexpr Tag head_tag = 0;
inline constexpr Tag data_tag = 1;

class Sends {
 public:
  explicit Sends(nasvm::Endpoint& endpoint) : endpoint_(endpoint) {}

  struct Way {
    Rank peer = any_source;
    Context context = 0;
  };
  /// A head with short data, which is copied.
  void send(const Way& way, const Head& head, std::span<const std::byte> data);
  /// A head without its data, which follows; `owner` keeps it in place.
  void send(const Way& way, const Head& head, std::span<const std::byte> data, std::shared_ptr<const void> owner);

  /// Lets go of what has left.
  void drop_complete() {
    if (count_ != 0) drop();
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
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
  void start(SendPointer send, const Way& way, Tag tag, std::span<const std::byte> message);
  void drop();

  nasvm::Endpoint& endpoint_;
  std::map<std::pair<Rank, Context>, std::deque<SendPointer>> kept_;
  std::size_t count_ = 0;
  std::vector<SendPointer> free_;
};

}  // namespace nasvm::service
