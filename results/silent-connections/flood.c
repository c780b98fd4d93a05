// Opens silent connections to every port that listens on 127.0.0.1, without end, and keeps `most` of them.
// As an unprivileged user, who sees the ports in /proc/net/tcp.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static int ports[4096], count;
static void look(void) {
  FILE* f = fopen("/proc/net/tcp", "r");
  char line[512];
  count = 0;
  fgets(line, sizeof line, f);
  while (fgets(line, sizeof line, f) && count < 4096) {
    unsigned address, port, peer, peer_port, state;
    if (sscanf(line, " %*d: %x:%x %x:%x %x", &address, &port, &peer, &peer_port, &state) == 5 && state == 10) ports[count++] = port;
    else if (state != 10) break;  // listeners come first
  }
  fclose(f);
}
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
int main(int argc, char** argv) {
  int most = argc > 1 ? atoi(argv[1]) : 10000;
  int* ring = calloc(most, sizeof(int));
  long opened = 0, refused = 0, filled = 0;
  double last = 0, said = now();
  for (int i = 0; i < most; ++i) ring[i] = -1;
  for (long i = 0;; ++i) {
    if (now() - last > 0.002) look(), last = now();
    if (now() - said > 5) printf("opened %ld refused %ld held %ld\n", opened, refused, filled), fflush(stdout), said = now();
    if (count == 0) { usleep(500); continue; }
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (fd < 0) { usleep(200); continue; }
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(ports[i % count]), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000002 + (unsigned)(i % 8))};
    int one = 1;
    setsockopt(fd, IPPROTO_IP, 24, &one, sizeof one);  // IP_BIND_ADDRESS_NO_PORT
    bind(fd, (struct sockaddr*)&from, sizeof from);
    if (connect(fd, (struct sockaddr*)&to, sizeof to) != 0 && errno != EINPROGRESS) { ++refused; close(fd); continue; }
    int at = opened++ % most;
    if (ring[at] >= 0) close(ring[at]); else ++filled;
    ring[at] = fd;
  }
}
