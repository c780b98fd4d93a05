#pragma once
/// \file
/// The progress engine of a task: makes messages of packets, matches them with receives, keeps the memory for
/// unexpected ones bounded, and decides when to poll and when to sleep.
///
/// Short messages leave at once as long as the receiver has granted room for them (a window of credit per pair,
/// returned as the receiver takes messages in). All others are announced, and sent when a receive is posted
/// (rendezvous). A receiver that does not receive therefore stops its senders, over every transport alike.
/// Idea of waiting: design "Waiting"; Foster et al., Managing Multiple Communication Methods in High-Performance
/// Networked Computing Systems, sections 3.4 and 5.1 (polling of methods of different cost).

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/engine/matcher.hpp"
#include "vm/engine/run_delay.hpp"
#include "vm/net/packet_stream.hpp"
#include "vm/net/poller.hpp"
#include "vm/transport/transport.hpp"
#include "vm/waiting/patience.hpp"

namespace nasvm {

/// Contexts below those of Comms, used by Task.
inline constexpr Context routed_context = 0;  ///< send, mcast: always through the daemons
inline constexpr Context direct_context = 1;  ///< fsend: always direct

class Engine final : public Endpoint, public net::PacketHandler {
 public:
  struct Options {
    std::size_t eager_bytes = 256 * 1024;    ///< longest message that is sent without asking
    std::size_t credit_bytes = 1024 * 1024;  ///< eager bytes that may be under way to one peer and not taken in
    Patience::Options patience{};            ///< how long to poll before sleeping
    unsigned skip = 0;  ///< looks at memory for each look at everything; 0: as many as have proven good
  };

  Engine(net::Poller& poller, Options options);
  ~Engine() override;

  /// The program's tasks, by rank, and where this one is among them.
  void meet(const std::vector<Member>& members, Rank rank);
  /// The transport that carries a context's messages to a peer: Comms by `comm`, Task by `routed` and `direct`.
  void set_routes(Rank peer, Transport& comm, Transport& routed, Transport& direct);
  /// A transport by which packets may come, whether or not any leave by it.
  void listen_to(Transport& transport);
  void set_patience(const Patience::Options& options);
  /// Called when programs of others are found to want this task's core.
  void on_disturbance(std::function<void()> callback) { on_disturbance_ = std::move(callback); }
  /// As Options::skip, for sockets too; 0: adaptive.
  void set_skip(unsigned looks);
  /// As Options::eager_bytes, for messages to that peer; after `meet`.
  void set_eager_bytes(Rank peer, std::size_t bytes);

  // Endpoint
  [[nodiscard]] Rank rank() const override { return rank_; }
  [[nodiscard]] int size() const override;
  void start(Operation& operation) override;
  void progress() override;
  void wait_any(std::span<Operation* const> operations) override;
  bool probe(Rank source, Tag tag, Context context, Status& found, bool block) override;
  bool cancel(Operation& receive) override;
  [[nodiscard]] std::string_view method(Rank peer) const override;

  /// Sends one message to several peers at once through `group`, an address that the daemons fan out to them.
  /// `open_group` is called right before the packets go. Blocks like a send.
  void multicast(Operation& operation, std::span<const Rank> receivers, Tid group, void (*open_group)(void*),
                 void* argument);

  /// Blocks until everything that was sent has left this process.
  void flush();

  // net::PacketHandler
  net::Landing begin_packet(const Envelope& envelope) override;
  void end_packet(const Envelope& envelope, const net::Landing& landing) override;
  void take_packet(const Envelope& envelope, const std::byte* payload) override;
  void packet_sent(net::Packet& packet) override;

  /// Bytes of unexpected messages that are kept now (for tests and reports).
  [[nodiscard]] std::size_t unexpected_bytes() const { return unexpected_bytes_; }

 private:
  struct Send;
  struct Inbound;
  struct Peer;

  // Sending.
  void start_send(Operation& operation);
  bool send_now(Peer& peer, Transport& transport, Operation& operation);
  void send_to_self(Operation& operation);
  void send_piece(Send& send, PacketKind kind, std::size_t offset);
  void piece_sent(Send& send);
  void granted(std::uint32_t sender_id);
  void pulled(std::uint32_t sender_id);
  [[nodiscard]] Send* find_waiting(std::uint32_t sender_id);
  void control(Rank peer, Context context, PacketKind kind, std::uint32_t sender_id, std::uint64_t message_bytes = 0);
  [[nodiscard]] static std::size_t eager_cost(const Operation& operation);
  [[nodiscard]] bool may_go_at_once(const Peer& peer, const Operation& operation) const;
  [[nodiscard]] Transport& route(Rank peer, Context context) const;
  Send& take_send();
  void give_back(Send& send);

  // Receiving.
  void start_receive(Operation& operation);
  net::Landing begin_message(Rank source, const Envelope& envelope);
  net::Landing begin_piece(Rank source, const Envelope& envelope);
  void announce(Rank source, const Envelope& envelope);
  void fetch(Rank source, std::uint32_t sender_id, std::uint64_t address, Operation& receive, Context context);
  void expect(Rank source, std::uint32_t sender_id, Operation& receive, Context context);
  Unexpected& keep(Rank source, const Envelope& envelope);
  [[nodiscard]] Rank rank_of(Tid tid) const;
  void take_over(std::unique_ptr<Unexpected> message, Operation& receive);
  void finish_inbound(Peer& peer, Inbound& inbound);
  void complete_receive(Operation& receive, Rank source, Tag tag, std::size_t bytes);
  void owe_credit(Rank source, Context context, std::size_t bytes);
  void check_length(const Operation& receive, Rank source, Tag tag, std::size_t bytes) const;
  Inbound& take_inbound();

  // Waiting.
  struct Target;
  [[nodiscard]] Target target_of(const Operation& operation) const;
  [[nodiscard]] Target target_of(Rank source, Context context) const;
  bool poll_once(const Target& target);
  bool look_everywhere();
  void sleep();
  class Waiting;

  template <typename Done>
  void wait_until(const Target& target, Done done);

  net::Poller& poller_;
  Options options_;
  Rank rank_ = 0;
  std::vector<Peer> peers_;
  std::vector<std::vector<Rank>> rank_of_tid_;  ///< by host and local part
  std::vector<Tid> tids_;
  std::unique_ptr<Matcher> matcher_;
  std::vector<std::unique_ptr<Send>> sends_;  ///< by sender_id - 1
  std::vector<std::uint32_t> free_sends_;
  std::vector<std::unique_ptr<Inbound>> inbound_pool_;
  std::vector<std::unique_ptr<net::Packet>> control_pool_;
  std::size_t unexpected_bytes_ = 0;
  std::size_t packets_out_ = 0;  ///< handed to transports and not yet sent
  std::size_t announced_ = 0;    ///< sends that have not left, for want of their receivers
  RunDelay run_delay_;
  Patience patience_;
  std::function<void()> on_disturbance_;
  std::vector<Transport*> memory_;  ///< transports whose packets do not come through the poller
  Transport* near_ = nullptr;       ///< one of those, which some peer is reached by
  bool all_near_ = true;            ///< and all others are, too
  unsigned polls_ = 0;              ///< since the last look at everything
  unsigned skip_;                   ///< looks at memory for each look at everything
};

}  // namespace nasvm
