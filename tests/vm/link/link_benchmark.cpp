/// \file
/// Measures the link between two processes over the loopback interface: streaming and half round trip. A
/// benchmark, no test: it asserts nothing. Arguments: bytes to stream, datagram bytes (0: what the path takes),
/// bytes to ask for as kernel buffers.

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "vm/link/links.hpp"

namespace {

using namespace nasvm::link;
using Clock = std::chrono::steady_clock;

constexpr std::array<std::byte, Seal::secret_bytes> secret{};

struct Peer {
  Links links;
  Channel* channel = nullptr;

  Peer(std::uint16_t host, std::size_t kernel_buffer_bytes)
      : links("127.0.0.1", secret, host, Channel::Options{}, kernel_buffer_bytes) {}

  void connect(std::uint16_t host, const Address& address, std::size_t datagram_bytes) {
    channel = &links.add_peer(host, address);
    if (datagram_bytes > 0) channel->set_datagram_bytes(datagram_bytes);
  }
  /// Sleeps until something is to be done.
  void wait() {
    const TimePoint deadline = links.deadline();
    if (deadline == TimePoint::min()) return;
    pollfd event{links.descriptor(), static_cast<short>(links.stuck() ? POLLIN | POLLOUT : POLLIN), 0};
    const auto left = std::max(deadline - Clock::now(), Duration::zero());
    timespec timeout{};
    timeout.tv_nsec = static_cast<long>(std::min<Duration::rep>(left.count(), 100'000'000));
    ppoll(&event, 1, &timeout, nullptr);
  }
};

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto total = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
  return total(usage.ru_utime) + total(usage.ru_stime);
}

double seconds_since(TimePoint start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void wait_for(Peer& peer) {
  while (peer.channel->readable().empty()) {
    peer.links.transmit(Clock::now());
    peer.wait();
    peer.links.receive(Clock::now());
  }
}

// Takes `bytes` in and answers with one byte, then answers each byte with one.
void be_receiver(Peer& peer, std::size_t bytes, int round_trips) {
  Channel& channel = *peer.channel;
  const double before = processor_seconds();
  for (std::size_t left = bytes; left > 0;) {
    wait_for(peer);
    while (!channel.readable().empty()) {
      left -= channel.readable().size();
      channel.consume(channel.readable().size());
    }
    peer.links.transmit(Clock::now());
  }
  std::printf("receiver: %.3f processor seconds per GB\n", (processor_seconds() - before) / double(bytes) * 1e9);
  const std::byte answer{};
  for (int i = 0; i < round_trips; ++i) {
    channel.write({&answer, 1});
    wait_for(peer);
    channel.consume(channel.readable().size());
  }
  channel.write({&answer, 1});
  peer.links.transmit(Clock::now());
}

void be_sender(Peer& peer, std::size_t bytes, int round_trips) {
  Channel& channel = *peer.channel;
  const std::vector<std::byte> message(std::size_t{1} << 20, std::byte{7});
  const double before = processor_seconds();
  TimePoint start = Clock::now();
  for (std::size_t left = bytes; left > 0;) {
    left -= channel.write(std::span(message).first(std::min(left, message.size())));
    peer.links.transmit(Clock::now());
    if (channel.writable() == 0) peer.wait();
    peer.links.receive(Clock::now());
  }
  wait_for(peer);
  std::printf("streaming %.2f GB/s, datagrams of %zu bytes\n", double(bytes) / seconds_since(start) / 1e9,
              channel.datagram_bytes());
  std::printf("sender: %.3f processor seconds per GB\n", (processor_seconds() - before) / double(bytes) * 1e9);
  const auto& stats = channel.stats();
  std::printf("datagrams sent %ju received %ju, sent again %ju, timeouts %ju, send calls %ju, window %zu\n",
              std::uintmax_t{stats.datagrams_sent}, std::uintmax_t{stats.datagrams_received},
              std::uintmax_t{stats.retransmissions}, std::uintmax_t{stats.timeouts},
              std::uintmax_t{peer.links.socket_stats().send_calls}, channel.congestion_window());
  channel.consume(1);
  start = Clock::now();
  for (int i = 0; i < round_trips; ++i) {
    channel.write(std::span(message).first(1));
    wait_for(peer);
    channel.consume(channel.readable().size());
  }
  std::printf("half round trip %.1f us\n", seconds_since(start) / round_trips / 2 * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4'000'000'000;
  const std::size_t datagram_bytes = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  constexpr int round_trips = 20000;
  const std::size_t kernel_buffer_bytes =
      argc > 3 ? std::strtoull(argv[3], nullptr, 10) : DatagramSocket::default_buffer_bytes;
  Peer near(0, kernel_buffer_bytes);
  Peer far(1, kernel_buffer_bytes);
  near.connect(1, far.links.address(), datagram_bytes);
  far.connect(0, near.links.address(), datagram_bytes);
  const pid_t child = fork();
  if (child == 0) {
    be_receiver(far, bytes, round_trips);
    std::fflush(stdout);
    std::_Exit(0);
  }
  be_sender(near, bytes, round_trips);
  waitpid(child, nullptr, 0);
  return 0;
}
