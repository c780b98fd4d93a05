#include "vm/net/acceptor.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "vm/net/address.hpp"

namespace nasvm::net {
namespace {

/// Connections that are accepted before others get their turn: a flood has no end.
constexpr int most_at_once = 32;
/// Until it tries again when there was no descriptor or memory to be had.
constexpr std::chrono::milliseconds rest_time{100};

}  // namespace

Acceptor::Acceptor(const std::string& address, std::size_t expected, const Connection::Options& options,
                   Poller& poller, ConnectionOwner& owner, PacketHandler& handler, Clock::duration patience)
    // Strangers fill the system's queue, and who comes behind them waits until they have been let in.
    : Acceptor(listen_on(address, static_cast<int>(expected + most_strangers)), options, poller, owner, handler,
               patience) {
  // Until they are established: those that come to nothing take no memory of the system for the next minute.
  set_linger(listener_.get(), Linger::not_at_all);
  set_no_delay(listener_.get());  // of all that it accepts, too
}

Acceptor::Acceptor(Fd listener, const Connection::Options& options, Poller& poller, ConnectionOwner& owner,
                   PacketHandler& handler, Clock::duration patience)
    : options_(options),
      poller_(poller),
      owner_(owner),
      handler_(handler),
      patience_(patience),
      listener_(std::move(listener)),
      timer_(poller, [this] {
        go_on();
        expel(Clock::now());
        bury();
      }) {}

Acceptor::~Acceptor() {
  if (started_) poller_.remove(listener_.get(), *this);
}

void Acceptor::start() {
  if (!std::exchange(started_, true)) poller_.add(listener_.get(), EPOLLIN, *this);
}

std::string Acceptor::address() const { return to_string(local_address(listener_.get())); }

Acceptor::Guests::iterator Acceptor::find(const Connection& connection) {
  return std::ranges::find_if(guests_, [&](const Guest& guest) { return guest.connection.get() == &connection; });
}

std::unique_ptr<Connection> Acceptor::take(const Connection& connection) {
  const auto found = find(connection);
  if (found == guests_.end()) return nullptr;
  auto taken = std::move(found->connection);
  guests_.erase(found);
  return taken;
}

bool Acceptor::drop(const Connection& connection) {
  auto dropped = take(connection);
  if (dropped == nullptr) return false;
  lost_.push_back(std::move(dropped));
  return true;
}

// --- strangers -----------------------------------------------------------------------------------------------------

std::size_t Acceptor::strangers() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(guests_, [](const Guest& guest) { return !guest.connection->is_admitted(); }));
}

Acceptor::Guests::iterator Acceptor::oldest_stranger() {
  return std::ranges::find_if(guests_, [](const Guest& guest) { return !guest.connection->is_admitted(); });
}

/// Its hello may have come meanwhile: then it stays.
void Acceptor::push_out(Connection& stranger) {
  stranger.ready(EPOLLIN);
  if (find(stranger) == guests_.end() || stranger.is_admitted()) return;
  stranger.close();
  drop(stranger);
}

void Acceptor::limit_strangers(std::size_t most) {
  while (strangers() > most) push_out(*oldest_stranger()->connection);
}

void Acceptor::expel(Clock::time_point now) {
  for (auto guest = oldest_stranger(); guest != guests_.end() && guest->arrived + patience_ <= now;
       guest = oldest_stranger()) {
    push_out(*guest->connection);
  }
  set_timer();
}

void Acceptor::set_timer() {
  const auto oldest = oldest_stranger();
  if (oldest != guests_.end() && !timer_.is_set()) timer_.set(oldest->arrived + patience_);
}

/// Out of descriptors: strangers give theirs back.
void Acceptor::make_room() {
  const std::size_t before = strangers();
  limit_strangers(most_strangers / 2);
  if (strangers() == before) rest();
}

/// Who waits in the system's queue would wake the poller again at once.
void Acceptor::rest() {
  resting_ = true;
  poller_.change(listener_.get(), 0, *this);
  timer_.set(Clock::now() + rest_time);
}

void Acceptor::go_on() {
  if (std::exchange(resting_, false)) poller_.change(listener_.get(), EPOLLIN, *this);
}

void Acceptor::ready(std::uint32_t) {
  for (int i = 0; i < most_at_once; ++i) {
    Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE) make_room();
      else if (errno == ENOBUFS || errno == ENOMEM) rest();
      break;
    }
    guests_.push_back({std::make_unique<Connection>(std::move(socket), Connection::Origin::accepted, options_,
                                                    poller_, handler_, owner_),
                       Clock::now()});
    limit_strangers(most_strangers);
  }
  set_timer();
  bury();
}

}  // namespace nasvm::net
