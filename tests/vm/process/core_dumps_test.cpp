#include "vm/process/core_dumps.hpp"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "support/skip.hpp"

using namespace nasvm::process;

namespace {

/// What `body` makes of a process's limit of core dumps, which it begins with the hard one.
template <typename Body>
rlim_t limit_after(Body body) {
  rlimit before{};
  ::getrlimit(RLIMIT_CORE, &before);
  rlimit limit{before.rlim_max, before.rlim_max};
  ::setrlimit(RLIMIT_CORE, &limit);
  body();
  ::getrlimit(RLIMIT_CORE, &limit);
  CHECK(limit.rlim_max == before.rlim_max);
  ::setrlimit(RLIMIT_CORE, &before);
  return limit.rlim_cur;
}

/// Then no process here can have any, whatever it does.
bool are_forbidden() {
  return limit_after([] {}) <= 1;
}

}  // namespace

TEST_CASE("a process that forbids itself core dumps leaves none", "[process]") {
  if (are_forbidden()) return nasvm::test::skip("core dumps are forbidden here");
  CHECK(limit_after(forbid_core_dumps) <= 1);
}

TEST_CASE("core dumps stay allowed where the user wants them", "[process]") {
  if (are_forbidden()) return nasvm::test::skip("core dumps are forbidden here");
  const rlim_t hard = limit_after([] {});
  ::setenv("NASVM_CORE_DUMPS", "1", 1);
  CHECK(limit_after(forbid_core_dumps) == hard);
  ::unsetenv("NASVM_CORE_DUMPS");
}
