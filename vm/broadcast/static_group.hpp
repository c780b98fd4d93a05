#pragma once
/// \file
/// A group whose members stay: made once by all tasks of a Comm, used for many messages from one of them to all
/// others, by any protocol of the table. Setting it up costs a few messages, a message of the group none
/// (Lane, Daniels and Yuan, An Empirical Study of Reliable Multicast Protocols over Ethernet-Connected Networks,
/// section 3: groups of parallel programs are static).

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vm/broadcast/line.hpp"
#include "vm/broadcast/losses.hpp"
#include "vm/broadcast/message_inbox.hpp"
#include "vm/broadcast/surroundings.hpp"
#include "vm/comm.hpp"
#include "vm/multicast/table.hpp"

namespace nasvm::multicast {

/// What a member that is lost means to the others.
enum class OnLoss : std::uint8_t {
  end,    ///< the end of the run, as of any task
  go_on,  ///< nothing but that it is not a member any more
};

struct GroupOptions {
  bool authenticated = true;
  std::string interface {};  ///< name or address; empty: the one by which this host's daemon talks to others
  int ttl = 1;
  OnLoss on_loss = OnLoss::end;  ///< the same at all members; from the moment that the first of them is set up
};

class StaticGroup {
 public:
  /// What is known of it: the same at all members but for the last two.
  struct Facts {
    std::size_t packet_bytes = 0;   ///< longest payload of a packet
    std::vector<Rank> unreached{};  ///< by IP multicast: they get copies of their own
    std::size_t room_bytes = 0;     ///< the least that a member holds of what it has not read; 0: over links
    Duration round_trip{0};         ///< the shortest, as the probe has found it; 0: over links, or alone
    std::string address{};          ///< "239.255.7.9:40123"; empty: over links
    std::string interface {};       ///< of this member, over datagrams
    std::string why_not{};          ///< why this member knows that it cannot take part in IP multicast
  };

  /// Node 0 is `root`, the others follow in rank order. Collective; blocks until it is known whom IP multicast
  /// reaches. Members that are lost meanwhile, where they may be, are in `losses`; that of the root is a RunError. So
  /// is that a member has no way to take part, or another byte order than the root.
  StaticGroup(const Surroundings& here, Comm& comm, Rank root, const Choice& protocol,
              const GroupOptions& options = {});
  /// A member that goes leaves those alone who still ask it: after `close`, or when the root has sent `last`.
  ~StaticGroup();
  StaticGroup(const StaticGroup&) = delete;
  StaticGroup& operator=(const StaticGroup&) = delete;

  /// At the root: blocks until every receiver that is not lost is known to have it.
  void send(std::span<const std::byte> message);
  /// Elsewhere: blocks until the next message is complete. Throws RunError when it has another length, or
  /// the root is lost. Returns how long this task has waited while nothing of it had come.
  Ticks receive(std::span<std::byte> message);

  /// When the last message was complete here.
  [[nodiscard]] TimePoint received() const { return inbox_.completed_at(); }

  /// Collective: blocks until every member has called it. When losses are outlived: the root's call, which waits for
  /// nobody, ends the others'.
  void close();
  /// Instead, without waiting: at the root, which does not send any more;
  void say_last();
  /// elsewhere: has it said so?
  [[nodiscard]] bool heard_last();

  [[nodiscard]] const Facts& facts() const { return facts_; }
  /// At the root: of all messages so far, with the copies for those that multicast does not reach.
  [[nodiscard]] Counts counts() const;
  /// At the root: packets on their way at once, at most; 0: without limit.
  [[nodiscard]] std::uint32_t window() const { return sender_->window(); }
  /// At the root: how long it waits for a word before it asks for one, as things are; 0: it does not ask.
  [[nodiscard]] Duration patience() const { return sender_->patience(); }
  /// Those that this member has heard of, with OnLoss::go_on; whoever waits here hears of them, the set-up included.
  [[nodiscard]] const std::vector<Loss>& losses() const { return losses_.known(); }
  /// Packets that came here and were no member's.
  [[nodiscard]] std::uint64_t rejected() const;

 private:
  void check_byte_order();
  void open_over_links(const Surroundings& here, const Choice& protocol);
  void open_over_datagrams(const Surroundings& here, const Choice& protocol, const GroupOptions& options);
  void make_end(const Choice& protocol);
  [[nodiscard]] End& end() { return sender_ ? static_cast<End&>(*sender_) : *receiver_; }
  void watch_losses();
  void await_last();

  Surroundings here_;
  std::unique_ptr<Comm> comm_;  ///< this group's own
  Rank root_;
  MessageInbox inbox_;
  Facts facts_;
  std::unique_ptr<Line> line_;
  std::unique_ptr<Sender> sender_;      ///< at the root
  std::unique_ptr<Receiver> receiver_;  ///< elsewhere
  OnLoss on_loss_;
  bool heard_last_ = false;
  Losses losses_;
};

}  // namespace nasvm::multicast
