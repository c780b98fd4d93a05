#include "vm/launch/hostfile.hpp"

#include <unistd.h>

#include <array>

#include <catch2/catch.hpp>
#include <fstream>

#include "support/folder.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using nasvm::test::Folder;

namespace {

/// The text of the UsageError with which a hostfile is refused; empty when it is not.
std::string complaint(const std::string& text) {
  try {
    (void)parse_hostfile(text, "hosts");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a hostfile names hosts and their slots", "[hostfile]") {
  const auto hosts = parse_hostfile("127.0.0.1 slots=4\n127.0.0.2\n", "hosts");
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].name == "127.0.0.1");
  CHECK(hosts[0].address == "127.0.0.1");
  CHECK(hosts[0].slots == 4);
  CHECK(hosts[1].address == "127.0.0.2");
  CHECK(hosts[1].slots == 1);
}

TEST_CASE("names are resolved", "[hostfile]") {
  const auto hosts = parse_hostfile("localhost slots=2", "hosts");
  REQUIRE(hosts.size() == 1);
  CHECK(hosts[0].name == "localhost");
  CHECK_THAT(hosts[0].address, StartsWith("127."));
}

TEST_CASE("comments, empty lines, blanks and foreign line ends are no matter", "[hostfile]") {
  const auto hosts =
      parse_hostfile("# the lab\n\n  \t\r\n  127.0.0.1\t slots=3 # left\r\n127.0.0.2#right\n", "hosts");
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].slots == 3);
  CHECK(hosts[1].address == "127.0.0.2");
}

TEST_CASE("Open MPI's upper limit of slots is kept", "[hostfile]") {
  const auto hosts = parse_hostfile("127.0.0.1 slots=2 max_slots=3\n127.0.0.2 max-slots=4", "hosts");
  CHECK(hosts[0].slots == 2);
  CHECK(hosts[0].max_slots == 3);
  CHECK(hosts[1].slots == 1);
  CHECK(hosts[1].max_slots == 4);
  CHECK(place_ranks(hosts, 7) == std::vector{0, 0, 1, 0, 1, 1, 1});
  CHECK_THROWS_AS(place_ranks(hosts, 8), UsageError);
  CHECK_THROWS_WITH(place_ranks(hosts, 9), Contains("9 tasks") && Contains("max_slots permits 7"));
  CHECK_THAT(complaint("127.0.0.1 slots=4 max_slots=3"), StartsWith("hosts:1: ") && Contains("less than slots=4"));
}

TEST_CASE("what is wrong with a hostfile is said with file and line", "[hostfile]") {
  CHECK_THAT(complaint("127.0.0.1\n\n127.0.0.2 slots=x\n"), StartsWith("hosts:3: ") && Contains("slots=\"x\""));
  for (const char* number : {"", "0", "-1", "4097", "1.5", "2x", "99999999999999999999"}) {
    CAPTURE(number);
    CHECK_THAT(complaint(std::string("127.0.0.1 slots=") + number), StartsWith("hosts:1: "));
  }
  CHECK_THAT(complaint("127.0.0.1 slots"), StartsWith("hosts:1: "));
  CHECK_THAT(complaint("127.0.0.1 cores=3"), StartsWith("hosts:1: ") && Contains("cores=3"));
  CHECK_THAT(complaint("127.0.0.1 127.0.0.2"), StartsWith("hosts:1: ") && Contains("127.0.0.2"));
  CHECK_THAT(complaint("host;rm"), StartsWith("hosts:1: ") && Contains("host;rm"));
}

TEST_CASE("a hostfile that is not text is refused as that", "[hostfile]") {
  using namespace std::string_literals;
  for (const std::string& text : {"\xFF\xFE"
                                  "a\0\n\0"s,
                                  "127.0.0.1\0 slots=2\n"s}) {
    CHECK_THAT(complaint(text), StartsWith("hosts: is not text"));
  }
}

TEST_CASE("Open MPI's other names of slots, and blanks around their equals signs, are read", "[hostfile]") {
  for (const char* text : {"127.0.0.1 slots = 2", "127.0.0.1\tslots =2\r", "127.0.0.1 slots= 2 # two",
                           "127.0.0.1 cpu=2", "127.0.0.1 cpus=2", "127.0.0.1 count \t=\t2"}) {
    CAPTURE(text);
    CHECK(parse_hostfile(text, "hosts")[0].slots == 2);
  }
  const auto hosts = parse_hostfile("127.0.0.1 cpu = 2 max-slots = 3", "hosts");
  CHECK(hosts[0].slots == 2);
  CHECK(hosts[0].max_slots == 3);
  for (const char* wrong : {"127.0.0.1 = 2", "= 2", "127.0.0.1 slots =", "127.0.0.1 slots = max_slots = 2",
                            "127.0.0.1 slots == 2", "127.0.0.1 slots = 2 3", "127.0.0.1 cpu=0"}) {
    CAPTURE(wrong);
    CHECK_THAT(complaint(wrong), StartsWith("hosts:1: "));
  }
}

TEST_CASE("a line that has a number twice is refused", "[hostfile]") {
  CHECK(complaint("127.0.0.1 slots=2 slots=3") ==
        "hosts:1: \"slots=3\" follows another number of slots; a line has one");
  CHECK_THAT(complaint("127.0.0.1 cpus=2 slots=2"), StartsWith("hosts:1: \"slots=2\" follows"));
  CHECK_THAT(complaint("127.0.0.1 max_slots=2 max-slots=3"), Contains("another number of max_slots"));
  CHECK_THROWS_WITH(parse_host_list("127.0.0.1:2 slots=3"), Contains("another number of slots"));
}

TEST_CASE("a user's name before a host's is refused, with the file for it", "[hostfile]") {
  CHECK_THAT(complaint("user@127.0.0.1 slots=2"),
             StartsWith("hosts:1: \"user@127.0.0.1\" names a user") && Contains("~/.ssh/config"));
  CHECK_THROWS_WITH(parse_host_list("user@127.0.0.1:2"), Contains("~/.ssh/config"));
}

TEST_CASE("a byte order mark at the beginning of a hostfile is no part of a name", "[hostfile]") {
  const std::string mark = "\xEF\xBB\xBF";
  const auto hosts = parse_hostfile(mark + "127.0.0.1 slots=2\n127.0.0.2\n", "hosts");
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].name == "127.0.0.1");
  CHECK_THAT(complaint(mark + "# nothing\n"), StartsWith("hosts: no host"));
}

TEST_CASE("a host that stands in a hostfile again has more slots", "[hostfile]") {
  const auto hosts = parse_hostfile("127.0.0.1\n127.0.0.2\n127.0.0.1 slots=2\n127.0.0.1", "hosts");
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].slots == 4);
  CHECK(hosts[1].slots == 1);
  for (const char* text :
       {"127.0.0.1\n127.0.0.1 max_slots=1", "127.0.0.1 max_slots=1\n127.0.0.1 slots=2 max_slots=3"}) {
    CAPTURE(text);
    CHECK(parse_hostfile(text, "hosts")[0].max_slots == 1);
  }
}

TEST_CASE("what looks like an option or has a number of slots behind a colon is no host", "[hostfile]") {
  CHECK_THAT(complaint("-oProxyCommand=x"), StartsWith("hosts:1: "));
  CHECK_THAT(complaint("node:2"), StartsWith("hosts:1: ") && Contains("slots=N"));
  CHECK(parse_hostfile("[::1]", "hosts")[0].address == "::1");
}

TEST_CASE("a name that does not resolve here has no address, but its place", "[hostfile]") {
  const auto hosts = parse_hostfile("# one\nno-such-host.invalid slots=2", "hosts");
  REQUIRE(hosts.size() == 1);
  CHECK(hosts[0].address.empty());
  CHECK(hosts[0].source == "hosts:2");
  CHECK_FALSE(is_this_computer(hosts[0]));
}

TEST_CASE("a list of hosts has names and slots", "[hostfile]") {
  const auto hosts = parse_host_list("127.0.0.1:2,127.0.0.2,127.0.0.1");
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].slots == 3);
  CHECK(hosts[1].name == "127.0.0.2");
  CHECK(hosts[1].slots == 1);
  const auto v6 = parse_host_list("[::1]:2");
  CHECK(v6[0].address == "::1");
  CHECK(v6[0].slots == 2);
  CHECK(parse_hostfile("::1 slots=2", "hosts")[0].address == "::1");
  for (const char* wrong : {"::1:2", "[::1", "[::1]2", "[]", "", ",", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:x",
                            ":2", "127.0.0.1:2:3", "a b", "a,,b"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_host_list(wrong), UsageError);
  }
}

TEST_CASE("Slurm's lists of nodes are understood", "[hostfile]") {
  const auto names_of = [](const char* nodes) {
    std::string names;
    for (const HostSpec& host : slurm_hosts(nodes, "")) names += host.name + " ";
    return names;
  };
  CHECK(names_of("n1") == "n1 ");
  CHECK(names_of("n[1-3]") == "n1 n2 n3 ");
  CHECK(names_of("n[08-10,7]x,gpu,m[1-2]-[1-2]") == "n08x n09x n10x n7x gpu m1-1 m1-2 m2-1 m2-2 ");
  for (const char* wrong : {"", "n[1", "n[x]", "n[3-1]", "n[1-]"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(slurm_hosts(wrong, ""), UsageError);
  }
}

TEST_CASE("Slurm's lists of slots are understood", "[hostfile]") {
  const auto hosts = slurm_hosts("n[1-4]", "4(x2),2");
  REQUIRE(hosts.size() == 4);
  CHECK(hosts[0].slots == 4);
  CHECK(hosts[1].slots == 4);
  CHECK(hosts[2].slots == 2);
  CHECK(hosts[3].slots == 1);
  for (const char* wrong : {"x", "0", "4(x)", "4(x0)", "4(y2)"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(slurm_hosts("n1", wrong), UsageError);
  }
}

TEST_CASE("slots of Slurm's nodes are their own, also behind two names of one host", "[hostfile]") {
  const auto hosts = slurm_hosts("127.0.0.1,localhost,192.0.2.1", "4,2,1");
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].slots == 6);
  CHECK(hosts[1].slots == 1);
}

TEST_CASE("another computer's address of one link is refused", "[hostfile]") {
  CHECK_THAT(complaint("fe80::2%lo slots=2"), StartsWith("hosts:1: fe80::2%lo is an address of one link"));
}

TEST_CASE("a hostfile without a host is refused", "[hostfile]") {
  for (const char* text : {"", "\n\n", "# nothing\n"}) CHECK_THAT(complaint(text), StartsWith("hosts: no host"));
}

TEST_CASE("a hostfile is read from disk", "[hostfile]") {
  const Folder folder;
  const std::string path = folder.file("hosts");
  std::ofstream(path) << "127.0.0.1 slots=2\n127.0.0.3 slots=0\n";
  CHECK_THROWS_WITH(read_hostfile(path), StartsWith(path + ":2: "));
  std::ofstream(path) << "127.0.0.1 slots=2";
  CHECK(read_hostfile(path)[0].slots == 2);
}

TEST_CASE("a hostfile that cannot be read is refused by name", "[hostfile]") {
  const Folder folder;
  for (const std::string& path : {folder.file("none"), folder.file("")}) {
    CAPTURE(path);
    CHECK_THROWS_AS(read_hostfile(path), UsageError);
    CHECK_THROWS_WITH(read_hostfile(path), Contains(path));
  }
}

TEST_CASE("without a hostfile there is this host alone, by its own name", "[hostfile]") {
  const auto hosts = loopback_host();
  std::array<char, 256> name{};
  REQUIRE(::gethostname(name.data(), name.size() - 1) == 0);
  REQUIRE(hosts.size() == 1);
  CHECK(hosts[0].name == name.data());
  CHECK(hosts[0].address == "127.0.0.1");
}

TEST_CASE("ranks are placed slot by slot, and again from the first host when all are taken", "[hostfile]") {
  const auto hosts = parse_hostfile("127.0.0.1 slots=2\n127.0.0.2\n127.0.0.3 slots=3", "hosts");
  CHECK(place_ranks(hosts, 0).empty());
  CHECK(place_ranks(hosts, 1) == std::vector{0});
  CHECK(place_ranks(hosts, 6) == std::vector{0, 0, 1, 2, 2, 2});
  CHECK(place_ranks(hosts, 14) == std::vector{0, 0, 1, 2, 2, 2, 0, 0, 1, 2, 2, 2, 0, 0});
  CHECK(place_ranks(loopback_host(), 3) == std::vector{0, 0, 0});
}

TEST_CASE("ranks are spread over the first hosts in equal blocks, as far as slots go", "[hostfile]") {
  const auto hosts = parse_hostfile("127.0.0.1 slots=4\n127.0.0.2 slots=2\n127.0.0.3 slots=4", "hosts");
  const auto places = [&](int count, int ranks) { return place_ranks(spread_over(hosts, count, ranks), ranks); };
  CHECK(places(1, 3) == std::vector{0, 0, 0});
  CHECK(places(2, 2) == std::vector{0, 1});
  CHECK(places(2, 3) == std::vector{0, 0, 1});
  CHECK(places(2, 5) == std::vector{0, 0, 0, 1, 1});
  CHECK(places(3, 7) == std::vector{0, 0, 0, 1, 1, 2, 2});
  CHECK(places(3, 10) == std::vector{0, 0, 0, 0, 1, 1, 2, 2, 2, 2});
  CHECK(places(2, 7) == std::vector{0, 0, 0, 0, 1, 1, 0});  // more than there are slots
  CHECK(places(3, 2) == std::vector{0, 1});
}

TEST_CASE("an address that is not that of one host is refused", "[hostfile]") {
  for (const char* address : {"0.0.0.0", "127.255.255.255", "224.0.0.1", "255.255.255.255", "::", "ff02::1"}) {
    CAPTURE(address);
    CHECK_THAT(complaint(std::string(address) + " slots=2"), StartsWith("hosts:1") && Contains(address));
  }
}

TEST_CASE("a file without end is not read as a hostfile", "[hostfile]") {
  CHECK_THROWS_WITH(read_hostfile("/dev/zero"), Contains("/dev/zero") && Contains("megabyte"));
}
