#include "harness/commands/hosts/hosts.hpp"

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <sstream>

#include "../../fake_executor.hpp"
#include "harness/commands/hosts/report.hpp"
#include "harness/kernel_runs/options.hpp"
#include "support/process.hpp"
#include "support/sanitizer.hpp"
#include "support/skip.hpp"
#include "vm/transport/table.hpp"

using namespace nasvm;
using test::Session;

namespace {

using Json = nlohmann::json;

Survey sample() {
  return {{test::surveyed_host(0, "near", "a", {0, 1}), test::surveyed_host(1, "far", "b", {2})},
          3,
          {test::methods_of_three("shm+direct", 1)}};
}

/// Expects exit status 2, one line on standard error that holds `words`, and no machine.
void refuses(std::vector<std::string> arguments, const std::vector<std::string>& words) {
  arguments.insert(arguments.begin(), "hosts");
  Session session;
  CAPTURE(arguments);
  CHECK(session(arguments) == 2);
  CHECK(session.err_lines() == 1);
  CHECK(session.hosts_seen.empty());
  for (const std::string& word : words) CHECK_THAT(session.err, Catch::Matchers::Contains(word));
}

Json surveyed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"hosts", "--methods", "--format", "json"});
  const test::ProcessResult result = test::run_process(test::built_program("nasvm"), arguments);
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  return Json::parse(result.out);
}

}  // namespace

TEST_CASE("hosts: without options, this host with four tasks and no methods") {
  Session session;
  CHECK(session({"hosts"}) == 0);
  REQUIRE(session.hosts_seen.size() == 1);
  CHECK_FALSE(session.hosts_seen[0].methods);
  CHECK(session.hosts_seen[0].np == 4);
  CHECK(session.hosts_seen[0].transports == std::vector<std::string>{"auto"});
}

TEST_CASE("hosts: everything can be said") {
  Session session;
  CHECK(session({"hosts", "--methods", "--np", "9", "--transport", "auto,shm+daemon", "--hostfile", "f", "--launcher",
                 "local", "--format", "json", "--all-pairs"}) == 0);
  const HostsOptions& options = session.hosts_seen.at(0);
  CHECK(options.methods);
  CHECK(options.all_pairs);
  CHECK(options.np == 9);
  CHECK(options.transports == std::vector<std::string>{"auto", "shm+daemon"});
  CHECK(options.machine.hostfile == "f");
  CHECK(options.format == "json");
}

TEST_CASE("hosts: what is not known or means nothing is refused in one line") {
  refuses({"--multicast", "--format", "csv"}, {"--multicast", "csv"});
  refuses({"--np", "0"}, {"--np 0", "from 1"});
  refuses({"--methods", "--transport", "pigeon"}, {"pigeon", "direct"});
  refuses({"--methods", "--transport", "mpi"}, {"mpi", "nothing to choose"});
  refuses({"--transport", "direct"}, {"--methods"});
  refuses({"--all-pairs"}, {"--methods"});
  refuses({"--launcher", "pigeon"}, {"pigeon", "local"});
  refuses({"--format", "osu"}, {"osu", "table, json, csv"});
}

TEST_CASE("hosts: help lists the tables' own names and has an example") {
  Session session;
  CHECK(session({"hosts", "--help"}) == 0);
  for (const TransportRow& row : transports())
    CHECK_THAT(session.out, Catch::Matchers::Contains(std::string(row.name)));
  CHECK_THAT(session.out, Catch::Matchers::Contains("Example"));
}

TEST_CASE("hosts: the table has the hosts, and pairs that are alike in one line") {
  CHECK(survey_table(sample(), false) ==
        "Virtual machine: 2 hosts, 3 tasks\n"
        "\n"
        "Host  Name  Address   Cores   Memory  Processor  System       Daemon                    Tasks\n"
        "---------------------------------------------------------------------------------------------\n"
        "   0  near  10.0.0.1      2  24.7 GB  Fast CPU   Linux 6.1.0  up, nasvmd 0.1.0, pid 17  0-1\n"
        "   1  far   10.0.0.1      2  24.7 GB  Fast CPU   Linux 6.1.0  up, nasvmd 0.1.0, pid 17  2\n"
        "---------------------------------------------------------------------------------------------\n"
        "\n"
        "Methods, order shm+direct:\n"
        "\n"
        "From host  To host  Pairs  Method  Passed over                           Behind it\n"
        "--------------------------------------------------------------------------------------------------------\n"
        "0 near     0 near       2  shm     none: it stands first                 direct: would do, stands behind\n"
        "0 near     1 far        2  direct  shm: the peer is on another computer  none\n"
        "1 far      0 near       2  direct  shm: the peer is on another computer  none\n"
        "--------------------------------------------------------------------------------------------------------\n"
        "Pairs: of tasks, each direction by itself; the sender chooses. --all-pairs lists them.\n");
}

TEST_CASE("hosts: the table is no wider than the terminal") {
  Survey survey = sample();
  survey.methods.clear();
  std::istringstream text(survey_table(survey, false, 60));
  for (std::string line; std::getline(text, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 60);
  }
}

TEST_CASE("hosts: all pairs have a line each when asked for") {
  const std::string text = survey_table(sample(), true);
  for (const char* pair : {"0 to 1", "0 to 2", "1 to 0", "1 to 2", "2 to 0", "2 to 1"}) {
    CHECK_THAT(text, Catch::Matchers::Contains(pair));
  }
}

TEST_CASE("hosts: a host that is the same computer as another says so") {
  Survey survey = sample();
  survey.hosts[1].computer = "a";
  CHECK_THAT(survey_table(survey, false), Catch::Matchers::Contains("that of host 0"));
}

TEST_CASE("hosts: the table says whom IP multicast reaches, by which interface, and who is served by unicast") {
  Survey survey = sample();
  survey.methods.clear();
  survey.reach = {{.reached = true,
                   .interface = "eth0",
                   .packet_bytes = 1418,
                   .room_bytes = 1 << 20,
                   .round_trip_s = 0.0102,
                   .window = 739,
                   .patience_s = 0.0306},
                  {.host = 1, .interface = "eth1", .packet_bytes = 1418, .why_not = "no route"}};
  const std::string text = survey_table(survey, false);
  CHECK_THAT(text, Catch::Matchers::Contains("0  near  eth0       asks the others"));
  CHECK_THAT(text, Catch::Matchers::Contains("1  far   eth1       not reached: unicast (no route)    1418"));
  CHECK_THAT(text, Catch::Matchers::Contains("packets of 1418 B, 739 on their way at most"));
  CHECK_THAT(text, Catch::Matchers::Contains("(receivers hold 1024 KiB)"));
  CHECK_THAT(text, Catch::Matchers::Contains("first time-out of 30.60 ms (round trip 10.20 ms)"));
  survey.reach[0].reached = false;
  CHECK_THAT(survey_table(survey, false), Catch::Matchers::Contains("reaches none: unicast "));
  survey.reach[0].why_not = "no IPv4 address";
  CHECK_THAT(survey_table(survey, false), Catch::Matchers::Contains("reaches none: unicast (no IPv4 address)"));
}

TEST_CASE("hosts: what is found out of a host's multicast arrives as it was") {
  const HostReach reach{3, false, "eth0", 1418, 4096, 0.25, 7, 0.5, "no route"};
  CHECK(record_of_text<HostReach>(text_of_record(reach)) == reach);
}

TEST_CASE("hosts over the real machine: one task of each host makes a group with the others") {
  const test::Folder folder;
  // As many tasks as there are slots could not be started.
  const std::string hostfile = folder.write("hosts", "127.0.0.1 slots=4096\n127.0.0.2 slots=4096\n127.0.0.3\n");
  const Json json = surveyed({"--hostfile", hostfile, "--np", "1", "--multicast"});
  const Json& rows = json.at("multicast");
  REQUIRE(rows.size() == 3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].at("host") == i);
    CHECK(rows[i].at("interface") == "lo");
    CHECK(rows[i].at("packet_bytes").get<std::size_t>() > 1000);
  }
  CHECK(rows[0].at("reached") == (rows[1].at("reached").get<bool>() || rows[2].at("reached").get<bool>()));
}

TEST_CASE("hosts: json has every pair with every reason") {
  const Json json = Json::parse(survey_json(sample()));
  CHECK(json.at("schema") == "nasvm-hosts/1");
  CHECK(json.at("hosts").size() == 2);
  CHECK(json.at("hosts")[0].at("daemon").at("pid") == 17);
  CHECK(json.at("hosts")[0].at("tasks") == Json{0, 1});
  const Json& pairs = json.at("methods")[0].at("pairs");
  REQUIRE(pairs.size() == 6);
  CHECK(pairs[1].at("method") == "direct");
  CHECK(pairs[1].at("order")[0].at("why_not") == "the peer is on another computer");
  CHECK(pairs[1].at("order")[1].at("applicable") == true);
}

TEST_CASE("hosts: csv has a line for each host, or for each pair of tasks") {
  Survey survey = sample();
  CHECK(survey_csv(survey) ==
        "transport,from,to,from_host,to_host,method\n"
        "shm+direct,0,1,0,0,shm\nshm+direct,0,2,0,1,direct\nshm+direct,1,0,0,0,shm\n"
        "shm+direct,1,2,0,1,direct\nshm+direct,2,0,1,0,direct\nshm+direct,2,1,1,0,direct\n");
  survey.methods.clear();
  CHECK(survey_csv(survey) ==
        "index,name,address,cpu,cores,memory_bytes,kernel,computer,state,pid,version,tasks\n"
        "0,near,10.0.0.1,Fast CPU,2,24684092000,Linux 6.1.0,a,up,17,0.1.0,0-1\n"
        "1,far,10.0.0.1,Fast CPU,2,24684092000,Linux 6.1.0,b,up,17,0.1.0,2\n");
}

TEST_CASE("hosts: what tasks report arrives as it was") {
  const Methods methods = sample().methods[0];
  CHECK(record_of_text<Methods>(text_of_record(methods)).pairs == methods.pairs);
}

TEST_CASE("hosts over the real machine: tasks say what they have chosen, for each order") {
  const Json json = surveyed({"--np", "3", "--transport", "auto,direct+daemon,daemon"});
  const std::vector<std::string> expected{"shm", "direct", "daemon"};
  REQUIRE(json.at("methods").size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Json& pairs = json.at("methods")[i].at("pairs");
    CHECK(pairs.size() == 6);
    for (const Json& pair : pairs) CHECK(pair.at("method") == expected[i]);
  }
  CHECK(json.at("hosts")[0].at("daemon").at("pid").get<long>() > 0);
  CHECK_FALSE(json.at("hosts")[0].at("daemon").at("version").get<std::string>().empty());
}

TEST_CASE("hosts over the real machine: two hosts, with the tasks that run on each") {
  const test::Folder folder;
  const std::string hostfile = folder.write("hosts", "127.0.0.1 slots=1\n127.0.0.2 slots=2\n");
  const Json json = surveyed({"--hostfile", hostfile, "--np", "4"});
  CHECK(json.at("hosts")[0].at("tasks") == Json{0, 3});
  CHECK(json.at("hosts")[1].at("tasks") == Json{1, 2});
  CHECK(json.at("hosts")[0].at("computer") == json.at("hosts")[1].at("computer"));
}

TEST_CASE("hosts over the real machine: a transport that the system denies is passed over with the reason") {
  if (test::sanitized) {
    return test::skip("a sanitizer itself needs more address space than any limit leaves");
  }
  // Rings of 12 x 64 MiB do not fit into the address space that the tasks get.
  const std::string command = "ulimit -v 700000; exec " + test::built_program("nasvm") +
                              " hosts --methods --format json --np 12 --transport shm:ring=64M+direct";
  const test::ProcessResult result = test::run_process("/bin/bash", {"-c", command});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  for (const Json& pair : Json::parse(result.out).at("methods")[0].at("pairs")) {
    CHECK(pair.at("method") == "direct");
    CHECK_THAT(pair.at("order")[0].at("why_not").get<std::string>(), Catch::Matchers::Contains("shared memory"));
  }
}
