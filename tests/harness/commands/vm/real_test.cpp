/// \file
/// `nasvm vm` with machines that are there.

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"
#include "support/folder.hpp"
#include "vm/keeper/keeper_fixture.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

TEST_CASE("vm: a host that is named twice is removed once") {
  const Fixture fixture(3);
  Session session;
  CHECK(session({"vm", "remove", "127.0.0.2", "127.0.0.2", "--name", "work"}) == 0);
  CHECK(session.out == "1 host removed from machine work\n");
  CHECK(hosts_up("work") == 2);
}

TEST_CASE("vm: hosts are added by --host as well") {
  const Fixture fixture(1);
  Session session;
  CHECK(session({"vm", "add", "--host", "127.0.0.2:2,127.0.0.3", "--name", "work"}) == 0);
  CHECK(session.out == "2 hosts added to machine work\n");
  CHECK(hosts_up("work") == 3);
}

TEST_CASE("vm: of a hostfile that has grown the new hosts are added") {
  const Fixture fixture(1);
  const Folder folder;
  const std::string hostfile = folder.write("hosts", "127.0.0.1\n127.0.0.2 slots=2\n");
  Session session;
  CHECK(session({"vm", "add", "--hostfile", hostfile, "--name", "work"}) == 0);
  CHECK(session.out == "1 host added to machine work\n");
  CHECK_THAT(session.err, Contains("nasvm: a part of machine work already: 127.0.0.1\n"));
  CHECK(hosts_up("work") == 2);
  CHECK(session({"vm", "add", "--hostfile", hostfile, "--name", "work"}) == 2);
  CHECK_THAT(session.err, Contains("nothing to add, a part of machine work already: 127.0.0.1, 127.0.0.2"));
  CHECK(session({"vm", "add", "--hostfile", hostfile, "127.0.0.3", "--name", "work"}) == 0);
  CHECK(hosts_up("work") == 3);
}

TEST_CASE("vm: of several machines, status lists all, and ps wants to know which") {
  const Fixture fixture(1);
  Machine::Options options;
  options.hosts = {local_host(1)};
  keeper::start_machine("other", options);
  Session session;
  CHECK(session({"vm", "status"}) == 0);
  CHECK_THAT(session.out, Contains("work") && Contains("other"));
  CHECK(session({"vm", "ps"}) == 2);
  CHECK_THAT(session.err, Contains("which machine? there are other, work: name one, for instance nasvm vm ps other"));
  CHECK(session({"vm", "ps", "other"}) == 0);
  (void)keeper::stop_machine("other");
}
