// What 2 MB to N receivers cost at least: a bare sender (bare_loop send N MESSAGES) of 1395 datagrams in messages of
// 44 (UDP_SEGMENT) to a group, receivers (bare_loop recv MODE, one in each host) with UDP_GRO that answer each
// message with one byte. MODE 0: what has come is left in a buffer of 64 KB; 1: its payloads are copied to where they
// belong.
#include <arpa/inet.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>
static const int SEG = 1472, PER = 44, HDR = 38, TOTAL = 2000000;
static double cpu() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
static double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
int main(int c, char** v) {
  sockaddr_in g{};
  g.sin_family = AF_INET;
  g.sin_port = htons(40404);
  inet_pton(AF_INET, "239.255.9.9", &g.sin_addr);
  int pieces = (TOTAL + SEG - HDR - 1) / (SEG - HDR);
  if (!strcmp(v[1], "send")) {
    int n = atoi(v[2]), msgs = atoi(v[3]);
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    int b = getenv("SND") ? atoi(getenv("SND")) : 60 << 10;
    setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &b, sizeof b);
    int rb = 4 << 20;
    setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &rb, sizeof rb);
    int off = 0;
    setsockopt(s, IPPROTO_IP, IP_MULTICAST_LOOP, &off, sizeof off);
    std::vector<char> msg(TOTAL, 'x'), buf(SEG * PER);
    std::vector<double> t;
    double cp = 0;
    for (int m = 0; m < msgs; ++m) {
      usleep(3000);
      double c0 = cpu(), t0 = now();
      int left = pieces;
      size_t at = 0;
      while (left > 0) {
        int k = std::min(left, PER);
        size_t len = 0;
        for (int i = 0; i < k; ++i) {
          size_t p = std::min<size_t>(SEG - HDR, TOTAL - at);
          memcpy(&buf[len + HDR], &msg[at], p);
          at += p;
          len += HDR + p;
        }
        iovec io{buf.data(), len};
        char ctl[CMSG_SPACE(2)]{};
        msghdr h{};
        h.msg_name = &g;
        h.msg_namelen = sizeof g;
        h.msg_iov = &io;
        h.msg_iovlen = 1;
        if (k > 1) {
          h.msg_control = ctl;
          h.msg_controllen = sizeof ctl;
          cmsghdr* cm = CMSG_FIRSTHDR(&h);
          cm->cmsg_level = SOL_UDP;
          cm->cmsg_type = UDP_SEGMENT;
          cm->cmsg_len = CMSG_LEN(2);
          uint16_t sg = SEG;
          memcpy(CMSG_DATA(cm), &sg, 2);
        }
        if (sendmsg(s, &h, 0) < 0) {
          perror("sendmsg");
          return 1;
        }
        left -= k;
      }
      for (int got = 0; got < n;) {
        char a[64];
        pollfd p{s, POLLIN, 0};
        if (poll(&p, 1, 2000) <= 0) {
          fprintf(stderr, "lost: %d of %d\n", got, n);
          return 1;
        }
        if (recv(s, a, sizeof a, 0) > 0) ++got;
      }
      double t1 = now();
      cp += cpu() - c0;
      if (m >= 3) t.push_back(t1 - t0);
    }
    std::sort(t.begin(), t.end());
    printf("n %d: median %.3f ms  min %.3f  max %.3f  sender cpu %.3f\n", n, t[t.size() / 2], t[0], t.back(),
           cp / msgs);
    // end
    char q = 'q';
    sendto(s, &q, 1, 0, (sockaddr*)&g, sizeof g);
    double sum = 0;
    int got = 0;
    for (; got < n;) {
      double a;
      pollfd p{s, POLLIN, 0};
      if (poll(&p, 1, 500) <= 0) break;
      if (recv(s, &a, sizeof a, 0) == sizeof a) {
        sum += a;
        ++got;
      }
    }
    printf("receiver cpu for a message: %.3f ms\n", sum / got / msgs);
  } else {
    int mode = atoi(v[2]);
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    int on = 1;
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(s, SOL_UDP, UDP_GRO, &on, sizeof on);
    int rb = 4 << 20;
    setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &rb, sizeof rb);
    bind(s, (sockaddr*)&g, sizeof g);
    ip_mreqn r{};
    r.imr_multiaddr = g.sin_addr;
    if (setsockopt(s, IPPROTO_IP, IP_ADD_MEMBERSHIP, &r, sizeof r) < 0) perror("join");
    std::vector<char> buf(1 << 17), msg(TOTAL + 70000);
    double c0 = cpu();
    int left = pieces;
    size_t at = 0;
    sockaddr_in from{};
    for (;;) {
      iovec io{buf.data(), 65536};
      char ctl[64];
      msghdr h{};
      h.msg_name = &from;
      h.msg_namelen = sizeof from;
      h.msg_iov = &io;
      h.msg_iovlen = 1;
      h.msg_control = ctl;
      h.msg_controllen = sizeof ctl;
      ssize_t k = recvmsg(s, &h, 0);
      if (k == 1) {
        double a = cpu() - c0;
        sendto(s, &a, sizeof a, 0, (sockaddr*)&from, sizeof from);
        return 0;
      }
      int seg = k;
      for (cmsghdr* cm = CMSG_FIRSTHDR(&h); cm; cm = CMSG_NXTHDR(&h, cm))
        if (cm->cmsg_type == UDP_GRO) memcpy(&seg, CMSG_DATA(cm), sizeof seg);
      for (ssize_t o = 0; o < k; o += seg) {
        ssize_t l = std::min<ssize_t>(seg, k - o) - HDR;
        if (mode == 1) memcpy(&msg[at], &buf[o + HDR], l);
        at += l;
        --left;
      }
      if (left <= 0) {
        char a = 'a';
        sendto(s, &a, 1, 0, (sockaddr*)&from, sizeof from);
        left = pieces;
        at = 0;
      }
    }
  }
}
