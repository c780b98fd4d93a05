#include "harness/document/machine_info.hpp"

#include <stdlib.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "../fake_executor.hpp"
#include "harness/report/heading.hpp"
#include "harness/session/machines.hpp"
#include "harness/text.hpp"
#include "support/skip.hpp"
#include "vm/available.hpp"
#include "vm/machine_topology.hpp"
#include "vm/proc.hpp"
#include "vm/system/table.hpp"

using namespace nasvm;

namespace {

/// Without line breaks, which help has where a terminal ends.
std::string unwrapped(const std::string& text) {
  std::istringstream stream(text);
  return joined(std::vector<std::string>(std::istream_iterator<std::string>(stream), {}), " ");
}

/// What a daemon on this computer tells of it, as the document has it.
HostRecord told_by_a_daemon() {
  HostRecord host = Machines({}, std::array{std::string("auto")}).record().hosts.at(0);
  CHECK_FALSE(std::exchange(host.copying, "").empty());
  return host;
}

}  // namespace

TEST_CASE("machine info: this host has a name, a core, and memory that is not all taken") {
  const HostRecord host = local_host();
  CHECK_FALSE(host.name.empty());
  CHECK_FALSE(host.cpu.empty());
  CHECK(host.cores == usable_cores());
  CHECK(host.memory_bytes > 0);
  CHECK(host.kernel.find("Linux") == 0);
  CHECK(available_memory_bytes() <= host.memory_bytes);
}

TEST_CASE("machine info: a daemon tells of its host what is found out without one") {
  HostRecord expected = local_host();
  const HostRecord told = told_by_a_daemon();
  expected.name = told.name;  // as the hostfile has it
  CHECK(told == expected);
  CHECK(told.l1d_bytes > 0);
}

TEST_CASE("machine info: cores that this process may not use do not count") {
  const std::vector<int> all = usable_core_numbers();
  if (all.size() < 2) return test::skip("there is one core");
  REQUIRE(bind_to_cores(std::array{all.front()}));
  const int here = local_host().cores;
  const int told = told_by_a_daemon().cores;
  REQUIRE(bind_to_cores(all));
  CHECK(here == 1);
  CHECK(told == 1);
  CHECK(local_host().cores == static_cast<int>(all.size()));
}

TEST_CASE("machine info: caches, modes and hypervisor are in the document, and none of them where nobody told") {
  Document document = test::sample_document(1);
  HostRecord& host = document.machine.hosts.front();
  for (const char* name : {"governor", "hypervisor"}) CHECK(to_json(document).find(name) == std::string::npos);
  set_caches(host, std::array{Cache{1, 32 << 10, 2}, Cache{2, 1 << 20, 2}, Cache{3, 36 << 20, 16}});
  host.huge_pages = "madvise";
  host.governor = "performance";
  host.hypervisor = "KVM";
  const std::string text = to_json(document);
  CHECK(text.find(R"("huge_pages": "madvise", "governor": "performance", "hypervisor": "KVM", "l1d_bytes": 32768, )"
                  R"("l2_bytes": 1048576, "l3_bytes": 37748736})") != std::string::npos);
  CHECK(from_json(text, "written").machine == document.machine);
  CHECK(modes_text(host) ==
        "L1 32 KiB, L2 1 MiB, L3 36 MiB; huge pages madvise; governor performance; hypervisor KVM");
  CHECK(local_host().l1d_bytes > 0);
}

TEST_CASE("info: says version, build, machine and what there is to run") {
  test::Session text;
  CHECK(text({"info"}) == 0);
  for (const Kernel& kernel : kernels()) {
    CHECK(text.out.find(std::string(kernel.description)) != std::string::npos);
    if (kernel.variants.size() > 1)
      CHECK(text.out.find(std::string(kernel.variants[1].description)) != std::string::npos);
  }
  CHECK(text.out.find("nasvm-result/1") != std::string::npos);
  CHECK(text.out.find(local_host().name) != std::string::npos);
  test::Session json;
  CHECK(json({"info", "--format", "json"}) == 0);
  CHECK(json.out.find("\"libraries\": {") != std::string::npos);
  CHECK(json.out.find("\"memory_bytes\": ") != std::string::npos);
}

TEST_CASE("info and --help say which message systems are not available, info also what to install") {
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  test::Session text, help, p2p_help;
  CHECK(text({"info"}) == 0);
  CHECK(help({"run", "--help"}) == 0);
  CHECK(p2p_help({"p2p", "--help"}) == 0);
  ::setenv("PATH", path.c_str(), 1);
  for (const SystemRow& row : message_systems()) {
    const std::string lack = std::string(row.name) + " (not available: nasvm info)";
    CAPTURE(lack);
    CHECK_THAT(text.out, Catch::Matchers::Contains("not available: ") && Catch::Matchers::Contains("install"));
    CHECK_THAT(unwrapped(help.out), Catch::Matchers::Contains(lack));
    CHECK_THAT(unwrapped(p2p_help.out), Catch::Matchers::Contains(lack));
  }
}
