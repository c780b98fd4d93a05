// The same by Comm, in calls that are timed and in calls that nobody times (leave_calls_untimed).
#include <algorithm>
#include <cstdio>
#include <vector>

#include "vm/comm.hpp"
#include "vm/engine/engine.hpp"
#include "vm/net/poller.hpp"

using namespace nasvm;

int main() {
  net::Poller poller;
  Engine engine(poller, {});
  engine.meet({Member{Tid::task(1, 1), "", {}}}, 0);
  Comm comm(engine);
  std::vector<std::byte> in(8), out(8);
  for (int untimed = 0; untimed < 2; ++untimed) {
    if (untimed != 0) comm.leave_calls_untimed();
    double least[2] = {1, 1};
    for (int series = 0; series < 100; ++series) {
      const Ticks begin = ticks_now();
      for (int i = 0; i < 20000; ++i) {
        if (series % 2 == 0) {
          Request request = comm.irecv(in, 0, 1);
          comm.send(out, 0, 1);
          comm.wait(request);
        } else {
          comm.send(out, 0, 1);
          (void)comm.recv(in, 0, 1);
        }
      }
      least[series % 2] = std::min(least[series % 2], to_seconds(ticks_now() - begin) / 20000);
    }
    std::printf("%s %.1f %.1f\n", untimed != 0 ? "comm-untimed" : "comm-timed", least[0] * 1e9, least[1] * 1e9);
  }
}
