#include "vm/broadcast/static_group.hpp"

#include <algorithm>

#include "vm/broadcast/comm_line.hpp"
#include "vm/broadcast/wire_line.hpp"
#include "vm/multicast/wire/set_up.hpp"
#include "vm/net/interfaces.hpp"
#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

/// How much of a message may come before it is awaited.
constexpr std::size_t most_early_bytes = std::size_t{4} << 20;
/// Of the message that none follows, among those of the group's Comm (CommLine has another).
constexpr Tag last_tag = 2;
/// Groups that are drawn before it is given up to find an address of one's own.
constexpr int most_draws = 8;

/// Texts of the set-up travel in messages of one length.
constexpr std::size_t text_bytes = 128;

std::string broadcast_text(Comm& comm, std::string text, Rank root) {
  text.resize(text_bytes);
  comm.broadcast(text, root);
  return text.c_str();
}

std::vector<std::string> gather_texts(Comm& comm, std::string text) {
  text.resize(text_bytes);
  std::string all(text_bytes * static_cast<std::size_t>(comm.size()), '\0');
  comm.allgather(text, all);
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size(); at += text_bytes) texts.emplace_back(all.c_str() + at);
  return texts;
}

/// Payloads travel as they are.
void check_byte_orders(Comm& comm) {
  constexpr std::uint8_t little = std::endian::native == std::endian::little ? 1 : 0;
  if (comm.allreduce_value(little, Max{}) == comm.allreduce_value(little, Min{})) return;
  throw RunError("multicast needs hosts of one byte order, and these have two");
}

/// All nodes' addresses.
std::vector<net::SocketAddress> addresses_of(Comm& comm, Rank root, const net::SocketAddress& own) {
  const std::vector<std::string> texts = gather_texts(comm, own.text());
  std::vector<net::SocketAddress> addresses;
  for (Node node = 0; node < comm.size(); ++node) {
    addresses.push_back(net::parse_address(texts[static_cast<std::size_t>(rank_of(node, root))]));
  }
  return addresses;
}

}  // namespace

StaticGroup::StaticGroup(const Surroundings& here, Comm& comm, Rank root, const Choice& protocol,
                         const GroupOptions& options)
    : here_(here),
      comm_(comm.split(0, comm.rank())),
      root_(root),
      inbox_(most_early_bytes),
      on_loss_(options.on_loss) {
  if (on_loss_ == OnLoss::go_on) outlive_members();
  if (protocol.row->carrier == Carrier::links) {
    open_over_links(here, protocol);
  } else {
    open_over_datagrams(here, protocol, options);
  }
  if (on_loss_ == OnLoss::go_on) watch_losses();
}

StaticGroup::~StaticGroup() = default;

void StaticGroup::open_over_links(const Surroundings& here, const Choice& protocol) {
  line_ = std::make_unique<CommLine>(here, *comm_, root_);
  facts_.packet_bytes = CommLine::packet_bytes;
  make_end(protocol);
}

void StaticGroup::open_over_datagrams(const Surroundings& here, const Choice& protocol, const GroupOptions& options) {
  check_byte_orders(*comm_);
  const std::size_t wanted = value_of(protocol.parameters, "packet", 0);
  const auto authentication = options.authenticated ? Authentication::tag : Authentication::none;
  const std::string ip =
      options.interface.empty() ? here.address : net::address_of_interface(options.interface, net::interfaces());
  for (int draw = 0; draw < most_draws; ++draw) {
    const GroupAddress group =
        parse_group_address(broadcast_text(*comm_, draw_group_address(authentication, options.ttl).text(), root_));
    auto port = std::make_unique<GroupPort>(
        GroupPort::Options{.ip = ip, .group = group, .self = node_of(comm_->rank(), root_), .fragments = wanted > 0},
        here.secret);
    port->set_members(addresses_of(*comm_, root_, port->address()));
    SetUpOptions how;
    how.check = [&here] { here.wait_until([] { return true; }, TimePoint::min()); };
    const Reach reach = set_up(*port, how);
    if (reach.disturbed) continue;
    facts_.address = group.address.text();
    facts_.interface = port->interface();
    facts_.why_not = port->why_not();
    facts_.packet_bytes = wanted > 0 ? wanted : reach.payload_bytes;
    for (const Node node : reach.unreached) facts_.unreached.push_back(rank_of(node, root_));
    auto line = std::make_unique<WireLine>(here, std::move(port));
    WireLine& wire = *line;
    line_ = std::move(line);
    make_end(protocol);
    return wire.attach(end());
  }
  throw RunError("no multicast address of its own was found for a group: others are on each of those drawn");
}

void StaticGroup::make_end(const Choice& protocol) {
  const Group group{.receivers = comm_->size() - 1,
                    .self = node_of(comm_->rank(), root_),
                    .packet_bytes = facts_.packet_bytes,
                    .parameters = protocol.parameters};
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
  inbox_.expect(message);
  line_->serve(*receiver_, [this] {
    if (inbox_.complete()) return receiver_->done();
    if (root_end_.empty()) return false;
    throw RunError("the sender of this group, rank " + std::to_string(root_) + ", is lost: " + root_end_);
  });
  const Ticks waited = std::max<Ticks>(0, inbox_.arrived() - begin);
  inbox_.next();
  return waited;
}

// Each member, so that the ends of all know who acknowledges in a lost one's place.
void StaticGroup::outlive_members() {
  std::vector<Rank> others;
  for (Rank rank = 0; rank < comm_->size(); ++rank) {
    if (rank != comm_->rank()) others.push_back(comm_->world_rank(rank));
  }
  here_.outlive(others);
  comm_->barrier();  // nobody may be lost before all have asked
}

void StaticGroup::watch_losses() {
  line_->watch([this] { return look_for_losses(); });
}

bool StaticGroup::look_for_losses() {
  const auto ended = here_.ended();
  bool any = false;
  for (; ends_seen_ < ended.size(); ++ends_seen_) {
    for (Rank rank = 0; rank < comm_->size(); ++rank) {
      if (comm_->world_rank(rank) != ended[ends_seen_].world_rank) continue;
      lose(rank, ended[ends_seen_].text);
      any = true;
    }
  }
  return any;
}

void StaticGroup::lose(Rank rank, const std::string& text) {
  losses_.push_back({rank, text});
  if (rank == root_) root_end_ = text;
  end().lost(node_of(rank, root_), std::chrono::steady_clock::now());
}

void StaticGroup::close() {
  if (on_loss_ == OnLoss::end) return comm_->barrier();
  if (sender_ != nullptr) return say_last();
  await_last();
}

/// Until then others may still need this end: to them, too, it may be the one who acknowledges in a lost one's place.
void StaticGroup::await_last() {
  line_->serve(*receiver_, [this] { return heard_last() || !root_end_.empty(); });
}

void StaticGroup::say_last() {
  for (Rank rank = 0; rank < comm_->size(); ++rank) {
    const bool is_lost = std::ranges::find(losses_, rank, &Loss::rank) != losses_.end();
    if (rank != root_ && !is_lost) comm_->send_bytes({}, rank, last_tag);
  }
}

bool StaticGroup::heard_last() {
  Status found;
  return comm_->iprobe(root_, last_tag, found);
}

const Counts& StaticGroup::counts() const { return sender_->counts(); }

std::uint64_t StaticGroup::rejected() const { return line_->rejected(); }

}  // namespace nasvm::multicast
