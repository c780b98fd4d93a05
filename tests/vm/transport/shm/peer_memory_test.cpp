#include "vm/transport/shm/peer_memory.hpp"

#include <sys/prctl.h>

#include <catch2/catch.hpp>

using namespace nasvm::shm;

TEST_CASE("readers are named where the kernel lets only relatives trace each other: those of one daemon, or any",
          "[shm]") {
  constexpr pid_t parent = 1234;
  for (const int daemons : {1, 2, 7}) {
    for (const int scope : {0, 2, 3}) {
      CAPTURE(daemons, scope);
      CHECK(readers_to_allow(scope, daemons, parent) == std::nullopt);
    }
  }
  CHECK(readers_to_allow(1, 1, parent) == 1234UL);
  for (const int daemons : {2, 7}) {
    CHECK(readers_to_allow(1, daemons, parent) == static_cast<unsigned long>(PR_SET_PTRACER_ANY));
  }
}
