#include "vm/broadcast/joining.hpp"

#include <utility>
#include <vector>

#include "vm/multicast/wire/set_up.hpp"
#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

/// Groups that are drawn before it is given up to find an address of one's own.
constexpr int most_draws = 8;

/// By node; who is lost has none.
std::vector<net::SocketAddress> addresses_of(const std::vector<std::string>& roll) {
  std::vector<net::SocketAddress> addresses;
  for (const std::string& text : roll) {
    addresses.push_back(text.empty() ? net::SocketAddress() : net::parse_address(text));
  }
  return addresses;
}

}  // namespace

Joining::Joining(const Surroundings& here, Comm& comm, Rank root, Losses* losses, Options options)
    : here_(here),
      self_(node_of(comm.rank(), root)),
      line_(here, comm, root),
      losses_(losses),
      options_(std::move(options)),
      call_(comm.size() - 1, line_),
      answer_(line_) {
  if (losses_ != nullptr) line_.watch([this] { return losses_->look(); });
}

Joining::Joined Joining::join() {
  for (int draw = 0; draw < most_draws; ++draw) {
    std::unique_ptr<GroupPort> port = self_ == sender_node ? call() : answer();
    Reach reach = probe(*port);
    if (!reach.disturbed) return {std::move(port), std::move(reach)};
  }
  throw RunError("no multicast address of its own was found for a group: others are on each of those drawn");
}

std::unique_ptr<GroupPort> Joining::call() {
  const GroupAddress group = draw_group_address(options_.authentication, options_.ttl);
  call_.invite(group.text());
  serve(call_, [this] { return call_.done(); });
  auto port = open(group);
  port->set_members(addresses_of(call_.read_out(port->address().text())));
  serve(call_, [] { return true; });  // until it has left
  return port;
}

std::unique_ptr<GroupPort> Joining::answer() {
  serve(answer_, [this] { return answer_.invitation().has_value(); });
  // Payloads travel as they are.
  if (!answer_.invitation()->same_byte_order) {
    throw RunError("multicast needs hosts of one byte order, and these have two");
  }
  auto port = open(parse_group_address(answer_.invitation()->group));
  answer_.answer(port->address().text());
  serve(answer_, [this] { return answer_.roll().has_value(); });
  port->set_members(addresses_of(*answer_.roll()));
  return port;
}

void Joining::serve(End& end, const std::function<bool()>& done) {
  if (losses_ != nullptr) losses_->tell(end);
  line_.serve(end, [&] {
    if (losses_ != nullptr) losses_->check_root();
    return done();
  });
}

std::unique_ptr<GroupPort> Joining::open(const GroupAddress& group) const {
  return std::make_unique<GroupPort>(
      GroupPort::Options{.ip = options_.ip, .group = group, .self = self_, .fragments = options_.fragments},
      here_.secret);
}

Reach Joining::probe(GroupPort& port) {
  SetUpOptions how;
  how.check = [this, told = false](End& end) mutable {
    // A wait that is over at once would look at nothing.
    here_.wait_until([looked = false]() mutable { return std::exchange(looked, true); }, TimePoint::min());
    if (losses_ == nullptr) return;
    if (!std::exchange(told, true)) losses_->tell(end);
    losses_->look();
    losses_->check_root();
  };
  return set_up(port, how);
}

}  // namespace nasvm::multicast
