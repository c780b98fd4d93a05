#include "harness/p2p/binding.hpp"

#include <sched.h>

namespace nasvm {

bool bind_to_core(int index, int tasks) {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < tasks) return false;
  int core = 0;
  for (int before = 0; !CPU_ISSET(core, &allowed) || before++ < index;) ++core;
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  CPU_SET(core, &chosen);
  return ::sched_setaffinity(0, sizeof chosen, &chosen) == 0;
}

}  // namespace nasvm
