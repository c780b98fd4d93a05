#include "lab/exchange.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <thread>

#include "vm/net/address.hpp"
#include "vm/net/fd.hpp"
#include "vm/status.hpp"

namespace nasvm::lab {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto connect_patience = 30s;
constexpr auto redial_pause = 20ms;
constexpr int silence_ms = 60'000;
constexpr std::size_t scratch_bytes = 256 << 10;

[[noreturn]] void fail(const std::string& what) { throw RunError("exchange: " + what); }
[[noreturn]] void fail_by_system(const std::string& what) { fail(what + ": " + std::strerror(errno)); }

net::SocketAddress address_of(const std::string& host, std::uint16_t port) {
  auto address = net::resolve(host);
  if (!address.has_value()) fail("host " + host + " is not known");
  address->set_port(port);
  return *address;
}

net::Fd listener(const net::SocketAddress& address, int ranks) {
  net::Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), address.get(), address.size()) != 0 || ::listen(fd.get(), ranks) != 0) {
    fail_by_system("cannot listen");
  }
  return fd;
}

/// The other rank may not be there yet.
net::Fd dial(const std::string& host, std::uint16_t port) {
  const net::SocketAddress address = address_of(host, port);
  const auto deadline = Clock::now() + connect_patience;
  for (;;) {
    net::Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(fd.get(), address.get(), address.size()) == 0) return fd;
    if (Clock::now() > deadline) fail_by_system("cannot connect to " + host);
    std::this_thread::sleep_for(redial_pause);
  }
}

void send_whole(int fd, const void* data, std::size_t bytes) {
  if (::send(fd, data, bytes, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes)) fail_by_system("cannot send");
}

void receive_whole(int fd, void* data, std::size_t bytes) {
  const ssize_t received = ::recv(fd, data, bytes, MSG_WAITALL);
  if (received < 0) fail_by_system("cannot receive");
  if (received != static_cast<ssize_t>(bytes)) fail("a rank has closed its connection");
}

/// Who waits for a caller, or for his first word, waits as long as those who call.
void await_caller(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  const auto patience = std::chrono::milliseconds(connect_patience).count();
  if (::poll(&waiting, 1, static_cast<int>(patience)) <= 0) fail("not all ranks have connected");
}

net::Fd accept_from(int listening) {
  await_caller(listening);
  net::Fd fd(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC));
  if (!fd) fail_by_system("cannot accept");
  return fd;
}

/// A connection to each other rank; the higher rank calls the lower one and says who it is.
std::vector<net::Fd> connect_all(const ExchangePlan& plan, int rank, std::uint16_t port) {
  const net::Fd listening = listener(address_of(plan.hosts[static_cast<std::size_t>(rank)], port), plan.ranks());
  std::vector<net::Fd> peers(plan.hosts.size());
  for (int other = 0; other < rank; ++other) {
    net::Fd fd = dial(plan.hosts[static_cast<std::size_t>(other)], port);
    send_whole(fd.get(), &rank, sizeof rank);
    peers[static_cast<std::size_t>(other)] = std::move(fd);
  }
  for (int left = plan.ranks() - rank - 1; left > 0; --left) {
    net::Fd fd = accept_from(listening.get());
    int other = 0;
    await_caller(fd.get());
    receive_whole(fd.get(), &other, sizeof other);
    if (other <= rank || other >= plan.ranks()) fail("a stranger has connected");
    peers[static_cast<std::size_t>(other)] = std::move(fd);
  }
  for (const net::Fd& peer : peers) {
    if (peer) net::set_no_delay(peer.get());
  }
  return peers;
}

/// Nobody returns before all have come: to rank 0, and back. However long that takes: others may still be exchanging
/// what is theirs, and give up themselves when nothing comes.
void barrier(const std::vector<net::Fd>& peers, int rank) {
  char token = 0;
  if (rank != 0) {
    send_whole(peers[0].get(), &token, 1);
    receive_whole(peers[0].get(), &token, 1);
    return;
  }
  for (std::size_t other = 1; other < peers.size(); ++other) receive_whole(peers[other].get(), &token, 1);
  for (std::size_t other = 1; other < peers.size(); ++other) send_whole(peers[other].get(), &token, 1);
}

/// What is left of a round with one other rank.
struct Left {
  std::uint64_t to_send = 0;
  std::uint64_t to_receive = 0;

  [[nodiscard]] bool any() const { return to_send + to_receive > 0; }
};

class Rounds {
 public:
  Rounds(const ExchangePlan& plan, int rank, const std::vector<net::Fd>& peers)
      : plan_(plan), rank_(static_cast<std::size_t>(rank)), peers_(peers), left_(peers.size()) {}

  void carry_out(std::uint64_t round) {
    for (std::size_t other = 0; other < peers_.size(); ++other) {
      left_[other] = {bytes_of(plan_.traffic[rank_][other], round), bytes_of(plan_.traffic[other][rank_], round)};
    }
    left_[rank_] = {};  // to itself it sends nothing
    while (std::ranges::any_of(left_, &Left::any)) move_some();
  }

 private:
  static std::uint64_t bytes_of(const Traffic& traffic, std::uint64_t round) {
    return round < traffic.messages ? traffic.message_bytes(round) : 0;
  }

  void move_some() {
    std::vector<pollfd> waiting;
    std::vector<std::size_t> who;
    for (std::size_t other = 0; other < peers_.size(); ++other) {
      if (!left_[other].any()) continue;
      const int events = (left_[other].to_send > 0 ? POLLOUT : 0) | (left_[other].to_receive > 0 ? POLLIN : 0);
      waiting.push_back({peers_[other].get(), static_cast<short>(events), 0});
      who.push_back(other);
    }
    if (::poll(waiting.data(), waiting.size(), silence_ms) <= 0) fail("nothing has come for 60 s");
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      Left& left = left_[who[i]];
      if ((waiting[i].revents & POLLOUT) != 0) left.to_send -= send_some(waiting[i].fd, left.to_send);
      if (left.to_receive > 0 && (waiting[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
        left.to_receive -= receive_some(waiting[i].fd, left.to_receive);
      }
    }
  }

  std::uint64_t send_some(int fd, std::uint64_t most) {
    const ssize_t sent =
        ::send(fd, scratch_.data(), std::min<std::uint64_t>(most, scratch_.size()), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<std::uint64_t>(sent);
    if (errno == EAGAIN || errno == EINTR) return 0;
    fail_by_system("cannot send");
  }

  std::uint64_t receive_some(int fd, std::uint64_t most) {
    const ssize_t received =
        ::recv(fd, scratch_.data(), std::min<std::uint64_t>(most, scratch_.size()), MSG_DONTWAIT);
    if (received > 0) return static_cast<std::uint64_t>(received);
    if (received == 0) fail("a rank has closed its connection");
    if (errno == EAGAIN || errno == EINTR) return 0;
    fail_by_system("cannot receive");
  }

  const ExchangePlan& plan_;
  std::size_t rank_;
  const std::vector<net::Fd>& peers_;
  std::vector<Left> left_;
  std::vector<char> scratch_ = std::vector<char>(scratch_bytes);  ///< what is sent and received means nothing
};

}  // namespace

std::uint64_t ExchangePlan::rounds() const {
  std::uint64_t most = 0;
  for (const auto& row : traffic) {
    for (const Traffic& pair : row) most = std::max(most, pair.messages);
  }
  return most;
}

ExchangePlan read_exchange_plan(std::istream& text) {
  ExchangePlan plan;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "host") {
      words >> plan.hosts.emplace_back();
      plan.traffic.assign(plan.hosts.size(), std::vector<Traffic>(plan.hosts.size()));
    } else if (kind == "pair") {
      std::size_t from = 0, to = 0;
      Traffic pair;
      words >> from >> to >> pair.bytes >> pair.messages;
      if (!words || from >= plan.hosts.size() || to >= plan.hosts.size()) {
        throw UsageError("'" + line + "': expected pair FROM TO BYTES MESSAGES, with ranks of hosts above");
      }
      plan.traffic[from][to] = pair;
    }
    if (!words || (kind != "host" && kind != "pair")) {
      throw UsageError("'" + line + "': expected host NAME or pair FROM TO BYTES MESSAGES");
    }
  }
  if (plan.hosts.empty()) throw UsageError("the plan has no hosts");
  return plan;
}

std::chrono::duration<double> exchange(const ExchangePlan& plan, int rank, std::uint16_t port) {
  const std::vector<net::Fd> peers = connect_all(plan, rank, port);
  Rounds rounds(plan, rank, peers);
  barrier(peers, rank);
  const auto begin = Clock::now();
  const std::uint64_t all = plan.rounds();
  for (std::uint64_t round = 0; round < all; ++round) rounds.carry_out(round);
  barrier(peers, rank);
  return Clock::now() - begin;
}

}  // namespace nasvm::lab
