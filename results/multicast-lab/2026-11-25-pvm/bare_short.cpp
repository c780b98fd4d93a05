// One short message to many receivers and an answer of one byte from each, with nothing else: what the system needs
// for that on these hosts. `bare_short send N BYTES MESSAGES`, and then on each receiver `bare_short receive
// FIRST_HOST [HOW]`. Receivers sleep in recv; HOW `epoll`: in epoll_wait, as who listens to several peers does, and
// take and answer by two more calls; `uring`: in one call of io_uring that sends the answer and takes the next
// message, which a program that does something else between the two cannot do (c++ -O2 -std=c++20 bare_short.cpp
// -luring). Between two messages the sender waits until all say that they await the next one, and then for another
// millisecond, in which they go to sleep.
#include <arpa/inet.h>
#include <liburing.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr const char* group = "239.255.77.77";
constexpr int group_port = 47001;
constexpr int answer_port = 47002;

double now_ms() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

sockaddr_in address(const char* ip, int port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, ip, &a.sin_addr);
  return a;
}

int socket_at(int port) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  const int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  const sockaddr_in a = address("0.0.0.0", port);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&a), sizeof a) != 0) std::exit(1);
  return fd;
}

/// Takes messages and answers them, one after the other. `take` returns the next one's bytes.
template <class Take, class Answer>
int serve(const std::vector<char>& message, Take take, Answer answer) {
  double cpu = 0;
  for (int count = 0;; ++count) {
    const double begin = cpu_ms();
    const ssize_t bytes = take();
    if (bytes == 1) {
      if (message[0] == 'p') printf("receiver's processor time %.4f ms a message\n", cpu / count);
      return 0;
    }
    answer();
    cpu += cpu_ms() - begin;
  }
}

int receive(const char* first, const std::string& how) {
  const hostent* host = gethostbyname(first);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(answer_port);
  memcpy(&to.sin_addr, host->h_addr, 4);
  const int fd = socket_at(group_port);
  ip_mreqn wanted{};
  wanted.imr_ifindex = static_cast<int>(if_nametoindex("eth0"));
  inet_pton(AF_INET, group, &wanted.imr_multiaddr);
  if (setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &wanted, sizeof wanted) != 0) return 1;
  const int out = socket(AF_INET, SOCK_DGRAM, 0);
  if (connect(out, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return 1;
  char answer = 'r';
  (void)!send(out, &answer, 1, 0);
  std::vector<char> message(65536);
  const auto take = [&](int flags) { return recv(fd, message.data(), message.size(), flags); };
  const auto say = [&] { (void)!send(out, &answer, 1, 0); };
  if (how == "recv")
    return serve(
        message, [&] { return take(0); }, say);
  if (how == "epoll") {
    const int poll = epoll_create1(0);
    epoll_event event{.events = EPOLLIN, .data = {}};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) != 0 || epoll_ctl(poll, EPOLL_CTL_ADD, out, &event) != 0) return 1;
    const auto wait_and_take = [&] {
      while (epoll_wait(poll, &event, 1, -1) != 1) continue;
      return take(MSG_DONTWAIT);
    };
    return serve(message, wait_and_take, say);
  }
  io_uring ring{};
  if (io_uring_queue_init(8, &ring, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN) != 0) return 1;
  const auto take_from_ring = [&] {
    io_uring_sqe* const entry = io_uring_get_sqe(&ring);
    io_uring_prep_recv(entry, fd, message.data(), message.size(), 0);
    entry->ioprio |= IORING_RECVSEND_POLL_FIRST;
    io_uring_cqe* done = nullptr;
    ssize_t bytes = -1;
    if (io_uring_submit_and_wait(&ring, 1) >= 0 && io_uring_peek_cqe(&ring, &done) == 0) bytes = done->res;
    io_uring_cqe_seen(&ring, done);
    return bytes;
  };
  const auto say_with_next_wait = [&] {
    io_uring_sqe* const entry = io_uring_get_sqe(&ring);
    io_uring_prep_send(entry, out, &answer, 1, 0);
    entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
  };
  return serve(message, take_from_ring, say_with_next_wait);
}

/// Waits for so many answers.
void hear(int fd, int receivers) {
  constexpr int most = 64;
  static mmsghdr headers[most];
  static iovec parts[most];
  static char bytes[most];
  for (int i = 0; i < most; ++i) {
    parts[i] = {&bytes[i], 1};
    headers[i] = {};
    headers[i].msg_hdr.msg_iov = &parts[i];
    headers[i].msg_hdr.msg_iovlen = 1;
  }
  for (int heard = 0; heard < receivers;) {
    heard += std::max(0, recvmmsg(fd, headers, most, MSG_WAITFORONE, nullptr));
  }
}

int send_all(int receivers, std::size_t bytes, int messages) {
  const int in = socket_at(answer_port);
  const int out = socket(AF_INET, SOCK_DGRAM, 0);
  ip_mreqn way{};
  way.imr_ifindex = static_cast<int>(if_nametoindex("eth0"));
  if (setsockopt(out, IPPROTO_IP, IP_MULTICAST_IF, &way, sizeof way) != 0) return 1;
  const sockaddr_in to = address(group, group_port);
  if (connect(out, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return 1;
  const std::vector<char> message(bytes, 'x');
  hear(in, receivers);
  usleep(100'000);
  std::vector<double> times;
  double cpu = 0;
  for (int i = 0; i < messages; ++i) {
    usleep(1000);
    const double begin = now_ms(), cpu_begin = cpu_ms();
    (void)!send(out, message.data(), bytes, 0);
    hear(in, receivers);
    times.push_back(now_ms() - begin);
    cpu += cpu_ms() - cpu_begin;
  }
  char end = 'p';
  (void)!send(out, &end, 1, 0);
  std::sort(times.begin(), times.end());
  printf("%d receivers, %zu bytes, %d messages: median %.3f ms, least %.3f; sender's processor time %.4f ms\n",
         receivers, bytes, messages, times[times.size() / 2], times[0], cpu / messages);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 3 || count == 4) return receive(words[2], count == 4 ? words[3] : "recv");
  return count == 5 ? send_all(atoi(words[2]), strtoul(words[3], nullptr, 10), atoi(words[4])) : 2;
}
