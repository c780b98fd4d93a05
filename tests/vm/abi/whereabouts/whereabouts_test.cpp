/// \file
/// Where a program is, as its parent sees it: both in one process.

#include "vm/abi/whereabouts/whereabouts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

#include "support/file_size_limit.hpp"

using namespace nasvm::abi;

namespace {

/// The program's end has a descriptor of its own, which it closes.
void join(const WhereaboutsMemory& memory, const std::vector<std::string>& names) {
  const std::string variable = memory.variable();
  const std::string name = variable.substr(0, variable.find('='));
  ::setenv(name.c_str(), std::to_string(::fcntl(memory.descriptor(), F_DUPFD_CLOEXEC, 3)).c_str(), 1);
  join_whereabouts(names);
  CHECK(std::getenv(name.c_str()) == nullptr);
}

}  // namespace

TEST_CASE("whereabouts: a program is seen in its calls, and whom it waits for", "[exec]") {
  const WhereaboutsMemory memory;
  REQUIRE(memory.descriptor() >= 0);
  CHECK(memory.text() == "has not come out of MPI_Init");
  CHECK(memory.text() == not_in_mpi);
  join(memory, {"MPI_Send", "MPI_Recv", "MPI_Waitall"});
  CHECK(memory.text() == "has not come out of MPI_Init");
  Whereabouts& own = whereabouts();
  own.phase = Whereabouts::Phase::elsewhere;
  CHECK(memory.text() == not_in_mpi);
  own.phase = Whereabouts::Phase::running;
  CHECK(memory.text() == "computes");
  own.enter(1);
  CHECK(memory.text() == "is in MPI_Recv");
  own.wait_for(7, 0, false);
  CHECK(memory.text() == "waits in MPI_Recv for rank 7");
  own.wait_for(Whereabouts::anybody, 0, false);
  CHECK(memory.text() == "waits in MPI_Recv for any rank");
  own.enter(0);
  own.wait_for(2, 0, true);
  CHECK(memory.text() == "waits in MPI_Send for rank 2 to receive");
  own.enter(2);
  own.wait_for(2, 3, false);
  CHECK(memory.text() == "waits in MPI_Waitall for rank 2 and 3 more");
  own.go_on();
  own.leave(0);
  CHECK(memory.text() == "computes");
  own.phase = Whereabouts::Phase::after;
  CHECK(memory.text() == "has called MPI_Finalize and goes on");
}

TEST_CASE("whereabouts: of the programs that find the place one has it", "[exec]") {
  const WhereaboutsMemory memory;
  REQUIRE(memory.descriptor() >= 0);
  join(memory, {});
  CHECK(whereabouts().take());
  join(memory, {});
  CHECK_FALSE(whereabouts().take());
}

TEST_CASE("whereabouts: where files may not be as long as that, a program is just not seen", "[exec]") {
  std::optional<WhereaboutsMemory> memory;
  {
    const nasvm::test::FileSizeLimit limit(1024);
    memory.emplace();
  }
  CHECK(memory->descriptor() < 0);
  CHECK(memory->text() == "is somewhere");
}

TEST_CASE("whereabouts: a program is told that nobody looks at the times of its calls", "[exec]") {
  WhereaboutsMemory memory;
  REQUIRE(memory.descriptor() >= 0);
  SECTION("they are wanted") {
    join(memory, {});
    CHECK(whereabouts().times_calls);
  }
  SECTION("they are not") {
    memory.leave_calls_untimed();
    join(memory, {});
    CHECK_FALSE(whereabouts().times_calls);
  }
}

TEST_CASE("whereabouts: a descriptor that has become something else is left alone", "[exec]") {
  const WhereaboutsMemory memory;
  const std::string variable = memory.variable();
  const std::string name = variable.substr(0, variable.find('='));
  const int other = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::setenv(name.c_str(), std::to_string(other).c_str(), 1);
  join_whereabouts({});
  CHECK(::fcntl(other, F_GETFD) >= 0);
  CHECK(memory.text() == "has not come out of MPI_Init");
  ::close(other);
  ::unsetenv(name.c_str());
}
