#include "vm/broadcast/static_group.hpp"

#include <algorithm>
#include <array>

#include "vm/broadcast/comm_line.hpp"
#include "vm/broadcast/joining.hpp"
#include "vm/broadcast/wire_line.hpp"
#include "vm/message.hpp"
#include "vm/net/interfaces.hpp"
#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

/// How much of a message may come before it is awaited.
constexpr std::size_t most_early_bytes = std::size_t{4} << 20;
/// Of the message that none follows, among those of the group's Comm (CommLine has another).
constexpr Tag last_tag = 2;

/// Each asks to be told of each, so that the ends of all know who acknowledges in a lost one's place.
void outlive_others(const Surroundings& here, const Comm& comm) {
  std::vector<Rank> others;
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    if (rank != comm.rank()) others.push_back(comm.world_rank(rank));
  }
  here.outlive(others);
}

/// The root says it to all; it alone has to live for that.
template <typename T>
void tell_all(Comm& comm, Rank root, T& value) {
  const auto bytes = std::as_writable_bytes(std::span(&value, 1));
  if (comm.rank() != root) return comm.exchange({}, std::array{Comm::Piece{root, bytes}}, sizeof value);
  std::vector<Comm::Piece> told;
  for (Rank rank = 0; rank < comm.size(); ++rank) {
    if (rank != root) told.push_back({rank, bytes});
  }
  comm.exchange(told, {}, sizeof value);
}

/// A Comm of the same tasks, which the root alone has to live for: it says which context it has.
std::unique_ptr<Comm> comm_by_root(Comm& comm, Rank root) {
  Context context = comm.rank() == root ? comm.claim_context() : 0;
  tell_all(comm, root, context);
  std::vector<Rank> world_ranks;
  for (Rank rank = 0; rank < comm.size(); ++rank) world_ranks.push_back(comm.world_rank(rank));
  return comm.with_context(context, std::move(world_ranks), comm.rank());
}

/// A Comm for a group that goes on without members that are lost, even now.
std::unique_ptr<Comm> comm_of_survivors(const Surroundings& here, Comm& comm, Rank root) {
  outlive_others(here, comm);
  try {
    return comm_by_root(comm, root);
  } catch (const RunError&) {
    Losses losses(here, comm, root);
    losses.look();
    losses.check_root();
    throw;
  }
}

}  // namespace

StaticGroup::StaticGroup(const Surroundings& here, Comm& comm, Rank root, const Choice& protocol,
                         const GroupOptions& options)
    : here_(here),
      comm_(options.on_loss == OnLoss::end ? comm.split(0, comm.rank()) : comm_of_survivors(here, comm, root)),
      root_(root),
      inbox_(most_early_bytes),
      on_loss_(options.on_loss),
      losses_(here, *comm_, root) {
  if (protocol.row->carrier == Carrier::links) {
    open_over_links(here, protocol);
  } else {
    open_over_datagrams(here, protocol, options);
  }
  if (on_loss_ == OnLoss::go_on) watch_losses();
}

StaticGroup::~StaticGroup() = default;

/// Payloads travel as they are.
void StaticGroup::check_byte_order() {
  std::uint8_t order_of_root = Envelope::native_order;
  try {
    tell_all(*comm_, root_, order_of_root);
  } catch (const RunError&) {
    if (on_loss_ == OnLoss::end) throw;
    losses_.look();
    losses_.check_root();
    throw;
  }
  if (order_of_root != Envelope::native_order) {
    throw RunError("multicast needs hosts of one byte order, and these have two");
  }
}

void StaticGroup::open_over_links(const Surroundings& here, const Choice& protocol) {
  check_byte_order();
  line_ = std::make_unique<CommLine>(here, *comm_, root_);
  facts_.packet_bytes = CommLine::packet_bytes;
  make_end(protocol);
}

void StaticGroup::open_over_datagrams(const Surroundings& here, const Choice& protocol, const GroupOptions& options) {
  const std::size_t wanted = value_of(protocol.parameters, "packet", 0);
  const std::string ip =
      options.interface.empty() ? here.address : net::address_of_interface(options.interface, net::interfaces());
  Joining joining(here, *comm_, root_, on_loss_ == OnLoss::go_on ? &losses_ : nullptr,
                  {.authentication = options.authenticated ? Authentication::tag : Authentication::none,
                   .ttl = options.ttl,
                   .ip = ip,
                   .fragments = wanted > 0});
  auto [port, reach] = joining.join();
  facts_.address = port->group().address.text();
  facts_.interface = port->interface();
  facts_.why_not = port->why_not();
  facts_.packet_bytes = wanted > 0 ? std::min(wanted, port->most_payload()) : reach.payload_bytes;
  facts_.room_bytes = reach.room_bytes;
  facts_.round_trip = reach.round_trip;
  for (const Node node : reach.unreached) facts_.unreached.push_back(rank_of(node, root_));
  auto line = std::make_unique<WireLine>(here, std::move(port));
  WireLine& wire = *line;
  line_ = std::move(line);
  make_end(protocol);
  wire.attach(end());
}

void StaticGroup::make_end(const Choice& protocol) {
  Group group{.receivers = comm_->size() - 1,
              .self = node_of(comm_->rank(), root_),
              .packet_bytes = facts_.packet_bytes,
              .parameters = protocol.parameters,
              .round_trip = facts_.round_trip};
  if (facts_.room_bytes > 0) group.room_bytes = facts_.room_bytes;
  if (group.self == sender_node) {
    sender_ = protocol.row->make_sender(group, *line_);
  } else {
    receiver_ = protocol.row->make_receiver(group, *line_, inbox_);
  }
}

void StaticGroup::send(std::span<const std::byte> message) {
  sender_->send(message, std::chrono::steady_clock::now());
  line_->serve(*sender_, [this] { return sender_->done(); });
}

Ticks StaticGroup::receive(std::span<std::byte> message) {
  const Ticks begin = ticks_now();
  try {
    inbox_.expect(message);
    receiver_->resume(std::chrono::steady_clock::now());
    line_->serve(*receiver_, [this] {
      if (inbox_.complete()) return receiver_->done();
      losses_.check_root();
      return false;
    });
  } catch (...) {
    inbox_.give_up();  // the buffer is the caller's again
    throw;
  }
  const Ticks waited = std::max<Ticks>(0, inbox_.arrived() - begin);
  inbox_.next();
  return waited;
}

void StaticGroup::watch_losses() {
  losses_.tell(end());
  losses_.look();
  line_->watch([this] { return losses_.look(); });
}

void StaticGroup::close() {
  if (on_loss_ == OnLoss::end) return comm_->barrier();
  if (sender_ != nullptr) return say_last();
  await_last();
}

/// Until then others may still need this end: to them, too, it may be the one who acknowledges in a lost one's place.
void StaticGroup::await_last() {
  line_->serve(*receiver_, [this] { return heard_last() || losses_.has(root_); });
}

void StaticGroup::say_last() {
  for (Rank rank = 0; rank < comm_->size(); ++rank) {
    if (rank != root_ && !losses_.has(rank)) comm_->post_bytes({}, rank, last_tag);
  }
}

bool StaticGroup::heard_last() {
  Status found;
  if (heard_last_ || !comm_->iprobe(root_, last_tag, found)) return heard_last_;
  // Taken, so that its room is given back.
  comm_->recv_bytes({}, root_, last_tag);
  heard_last_ = true;
  return true;
}

Counts StaticGroup::counts() const {
  Counts counts = sender_->counts();
  const Counts further = line_->further();
  counts.data_packets += further.data_packets;
  counts.retransmitted += further.retransmitted;
  counts.control_packets += further.control_packets;
  return counts;
}

std::uint64_t StaticGroup::rejected() const { return line_->rejected(); }

}  // namespace nasvm::multicast
