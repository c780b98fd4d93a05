#pragma once
/// \file
/// The progress engine of a task: one endpoint made of a sender (sender.hpp), a receiver (receiver.hpp) and a way of
/// waiting (waiting.hpp), over the transports that the routes name. It makes messages of packets, matches them with
/// receives, keeps the memory for unexpected ones bounded, and decides when to poll and when to sleep.
///
/// Idea of waiting: design "Waiting"; Foster et al., Managing Multiple Communication Methods in High-Performance
/// Networked Computing Systems, sections 3.4 and 5.1 (polling of methods of different cost).

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/engine/outbox.hpp"
#include "vm/engine/peers.hpp"
#include "vm/engine/receiver.hpp"
#include "vm/engine/sender.hpp"
#include "vm/engine/turns.hpp"
#include "vm/engine/waiting.hpp"
#include "vm/net/packet_stream.hpp"
#include "vm/net/poller.hpp"
#include "vm/request_carrier.hpp"
#include "vm/transport/transport.hpp"
#include "vm/waiting/patience.hpp"

namespace nasvm {

class Engine final : public Endpoint, public net::PacketHandler {
 public:
  struct Options {
    std::size_t eager_bytes = 256 * 1024;    ///< longest message that is sent without asking
    std::size_t credit_bytes = 1024 * 1024;  ///< eager bytes that may be under way to one peer and not taken in
    Patience::Options patience{};            ///< how long to poll before sleeping
    unsigned skip = 0;  ///< looks at memory for each look at everything; 0: as many as have proven good
  };

  Engine(net::Poller& poller, const Options& options);
  Engine(const Engine&) = delete;  // its parts know each other by address
  Engine& operator=(const Engine&) = delete;

  /// The program's tasks, by rank, and where this one is among them.
  void meet(const std::vector<Member>& members, Rank rank);
  /// The transports that carry messages to a peer: those of Comms, Task's packed and Task's unpacked ones.
  void set_routes(Rank peer, Transport& comm, Transport& packed, Transport& unpacked);
  /// The transport of all messages to and from strangers, the tasks of other worlds; after `meet`. Without it there
  /// are none: what they send is ignored.
  void set_stranger_route(Transport& transport);
  /// The transports that carry remote service requests to the siblings, by method: those in context
  /// first_request_context + i go by transport i, to strangers by theirs. After `meet` and `set_stranger_route`,
  /// once.
  void set_request_routes(std::span<Transport* const> methods);
  /// Lets it work whenever somebody looks or waits for messages; null: nobody.
  void set_attendant(Attendant* attendant) { attendant_ = attendant; }
  [[nodiscard]] bool has_attendant() const { return attendant_ != nullptr; }
  /// From now on nothing is sent, received or waited for: the task has left, and to try is a std::logic_error.
  void close() { closed_ = true; }
  [[nodiscard]] bool is_closed() const { return closed_; }
  void require_open() const {
    if (closed_) complain_of_leaving();
  }
  /// RunError where this thread runs a handler of the attendant's, which must not wait.
  void require_waiting() const {
    if (attendant_ != nullptr && attendant_->forbids_waiting()) complain_of_handler();
  }
  /// From now on a second thread may use the engine, too: every call takes a turn, and who waits passes it on.
  void share();
  /// Of threads that use the engine; null: there is one. For what takes several calls.
  [[nodiscard]] engine::Turns* turns() const { return turns_.get(); }
  /// A transport by which packets may come, whether or not any leave by it.
  void listen_to(Transport& transport);
  void set_patience(const Patience::Options& options, Patience::RunDelay run_delay = {}) {
    waiting_.set_patience(options, std::move(run_delay));
  }
  /// Called when programs of others are found to want this task's core.
  void on_disturbance(std::function<void()> callback) { waiting_.on_disturbance(std::move(callback)); }
  /// As Options::skip, for sockets too; 0: adaptive.
  void set_skip(unsigned looks) { waiting_.set_skip(looks); }
  /// So many more, or fewer, answer others through the poller, which gets its turn often meanwhile.
  void answer(int more) { waiting_.answer(more); }
  /// As Options::eager_bytes, for messages to that peer; after `meet`.
  void set_eager_bytes(Rank peer, std::size_t bytes) { peers_[peer].eager_bytes = bytes; }

  // Endpoint
  [[nodiscard]] Rank rank() const override { return peers_.self(); }
  [[nodiscard]] int size() const override { return peers_.size(); }
  void start(Operation& operation) override;
  void progress() override;
  void look_for(const Operation& operation) override;
  void wait_any(std::span<Operation* const> operations) override;
  bool probe(Rank source, Tag tag, Context context, Status& found, bool block) override;
  bool cancel(Operation& receive) override;
  void withdraw(Operation& operation) noexcept override;
  [[nodiscard]] std::string_view method(Rank peer) const override;
  [[nodiscard]] bool is_on_this_host(Rank peer) const override;
  [[nodiscard]] bool sends_through_memory(Rank peer) const override {
    const engine::Turn turn(turns_.get());
    if (peer == peers_.self()) return true;
    const MemoryPath* memory = peers_[peer].comm().memory;
    return memory != nullptr && memory->is_awake(peer);
  }
  [[nodiscard]] bool can_read_memory(Rank peer) const override;
  [[nodiscard]] bool read_memory(Rank peer, std::uint64_t address, std::span<std::byte> into) override;
  [[nodiscard]] std::span<std::byte> board(Rank reader, std::size_t bytes, int readers) override;
  [[nodiscard]] std::unique_ptr<SharedMemory> create_memory(Rank peer, std::size_t bytes) override;
  [[nodiscard]] std::unique_ptr<SharedMemory> map_memory(Rank creator, std::int64_t number,
                                                         std::size_t bytes) override;
  void wake(Rank peer) override;
  void wait_for_memory(std::span<const Rank> writers, const std::function<bool()>& done) override;

  // Strangers have the ranks from size() on, in the order in which they were first heard of; only packed and unpacked
  // messages go to and from them.

  /// A stranger that is not known yet becomes a peer. Throws RunError for what is no task.
  Rank rank_of(Tid task);
  [[nodiscard]] Tid tid_of(Rank peer) const { return peers_[peer].tid; }
  /// Siblings and strangers.
  [[nodiscard]] int peer_count() const { return peers_.count(); }
  [[nodiscard]] bool is_gone(Rank peer) const { return peers_[peer].is_gone(); }
  /// "task t1.2 has ended (was killed by signal 9)", of one that is gone.
  [[nodiscard]] std::string end_text(Rank peer) const;

  /// That task has ended. Messages to it, now and later, are complete at once and vanish, and nothing waits for it
  /// any more. `clean`: it has left in good order, and what it sent still arrives. Else what it was still sending is
  /// dropped: a receive from anybody goes on, and to wait for what only that task could send is a RunError. `how` it
  /// has ended, for that error.
  void forget(Tid task, bool clean, std::string_view how = {});

  using Deadline = engine::Waiting::Deadline;
  /// Blocks until `done()`, making progress on everything. False: the deadline has come first.
  bool wait_until(const std::function<bool()>& done, const Deadline& deadline = {});
  /// Blocks until one of the operations is complete or abandoned, looking for a message of that peer and context most
  /// of the time (any_source: of anybody); or until a task has ended, or another thread wants the turn. False: the
  /// deadline has come first.
  bool wait_any_until(std::span<Operation* const> operations, Rank peer, Context context, const Deadline& deadline);
  /// Blocks until the operation is complete. False: it is a receive that is `abandoned`.
  bool wait_for(const Operation& operation);
  /// Finds a message as `probe` does, among those that are known now. Makes no progress.
  [[nodiscard]] bool find(Rank source, Tag tag, Context context, Status& found) const;
  /// `probe` with an end: false when there is no such message at the deadline.
  bool probe_until(Rank source, Tag tag, Context context, Status& found, const Deadline& deadline);

  /// Sends one message to several peers at once through `group`, an address that the daemons fan out to them.
  /// `open_group` is called right before the packets go. Blocks like a send.
  void multicast(Operation& operation, std::span<const Rank> receivers, Tid group,
                 const std::function<void()>& open_group);
  /// The same without blocking: `open_group` is called, and the packets go, when all receivers are ready and no other
  /// group's packets are under way, for the daemons know one list of members at a time.
  void start_multicast(Operation& operation, std::span<const Rank> receivers, Tid group,
                       std::function<void()> open_group);
  /// Are packets of a multicast under way? One that starts now has to wait until its receivers have asked for it.
  [[nodiscard]] bool is_multicasting() const { return group_is_going_; }

  // For BufferedSends (buffered_sends.hpp).

  /// The message of a send that is not complete has moved to `data`, unchanged.
  static void relocate(Operation& send, const std::byte* data) { engine::Sender::relocate(send, data); }
  /// Is it that send's receiver who has to do something? Only of one to another task that is not complete.
  [[nodiscard]] static bool waits_for_receiver(const Operation& send) { return engine::Sender::is_announced(send); }
  /// Packed messages to that peer that it has not asked for yet.
  [[nodiscard]] std::size_t packed_announced(Rank peer) const { return peers_[peer].packed_announced; }
  [[nodiscard]] std::uint64_t completed_sends() const { return sender_.completed(); }
  /// Blocks until any send is complete; handlers of requests run meanwhile where it `serves`.
  void wait_for_send(bool serves);
  /// How often a receiver has asked for a packed message that was announced: this task those of the peer, and the
  /// peer those of this task.
  [[nodiscard]] std::uint64_t grants_given(Rank peer) const { return peers_[peer].grants_given; }
  [[nodiscard]] std::uint64_t grants_heard(Rank peer) const { return peers_[peer].grants_heard; }

  /// Blocks until everything that was sent has left this process.
  void flush();

  // For people, of a task that stands still.

  struct Pending {
    Operation::Kind kind = Operation::Kind::receive;
    Rank peer = any_source;
    Tag tag = any_tag;
    Context context = 0;
    std::size_t bytes = 0;
  };
  /// What probes wait for, receives that no message has matched, oldest first, and sends that have not left.
  [[nodiscard]] std::vector<Pending> pending() const;
  /// Messages that no receive has matched, in the order of their arrival.
  [[nodiscard]] std::vector<Pending> unread() const;
  /// Is somebody in wait_for_memory?
  [[nodiscard]] bool waits_for_memory() const { return memory_waits_ != 0; }

  // net::PacketHandler
  net::Landing begin_packet(const Envelope& envelope) override;
  void end_packet(const Envelope& envelope, const net::Landing& landing) override;
  void take_packet(const Envelope& envelope, const std::byte* payload) override;
  void packet_sent(net::Packet& packet) override;

  /// Bytes of unexpected messages that are kept now (for tests and reports).
  [[nodiscard]] std::size_t unexpected_bytes() const { return receiver_.unexpected_bytes(); }

 private:
  void start_it(Operation& operation);
  [[noreturn]] void complain_about(const Operation& receive) const;
  [[noreturn, gnu::cold]] void complain_of_end(Rank peer) const;
  [[noreturn, gnu::cold]] static void complain_of_handler();
  [[noreturn, gnu::cold]] static void complain_of_leaving();
  [[gnu::noinline]] void take_other_packet(const Envelope& envelope, const std::byte* payload);
  Rank source_of(const Envelope& envelope);
  Rank stranger_of(const Envelope& envelope);
  Rank add(Tid stranger);
  void group_moved(const engine::Sender::Send& send);
  void let_group_go();
  [[nodiscard]] engine::Route pulled_route(Transport& transport, Rank peer) const;
  /// Blocks until `done()`, while the attendant works. False: the deadline has come first.
  template <typename Done>
  bool wait(engine::Waiting::Target target, Done done, const Deadline& deadline = {}) {
    looked_for_ = nullptr;
    if (closed_ && !done()) complain_of_leaving();
    if (attendant_ == nullptr) return waiting_.until(target, done, deadline);
    if (!done()) require_waiting();
    const auto others_want = [this] { return turns_ != nullptr && turns_->others_want(); };
    const auto give_way = [&] { return done() || attendant_->wanted() || others_want(); };
    for (;;) {
      const bool in_time = waiting_.until(target, give_way, deadline);
      target.looked = false;
      if (done()) return true;
      if (!in_time) return false;
      if (attendant_->wanted()) attendant_->attend();
      if (others_want()) turns_->pass();
      // More may have come meanwhile, again and again.
      if (deadline && std::chrono::steady_clock::now() >= *deadline) return done();
    }
  }

  std::size_t eager_bytes_;
  std::size_t credit_bytes_;
  engine::Peers peers_;
  engine::Outbox outbox_;
  engine::Sender sender_;
  engine::Receiver receiver_;
  engine::Waiting waiting_;
  const Operation* looked_for_ = nullptr;  ///< in vain, with no other call since: its wait need not do so again
  int in_row_ = 0;  ///< waits whose first look has found their message, one after the other, up to what makes a row
  bool closed_ = false;
  Attendant* attendant_ = nullptr;
  std::unique_ptr<engine::Turns> turns_;
  std::vector<Transport*> transports_;  ///< by which packets may come
  std::map<Rank, std::string> ends_;    ///< how peers have ended, of those that somebody has said it of

  struct GroupSend {
    engine::Sender::Send* send = nullptr;
    std::function<void()> open_group;
  };
  std::vector<GroupSend> group_sends_;  ///< those that are not complete, in their order
  bool group_is_going_ = false;         ///< one of them is
  int memory_waits_ = 0;                ///< that are going on
  std::list<Pending> probes_;           ///< that somebody waits in
};

}  // namespace nasvm
