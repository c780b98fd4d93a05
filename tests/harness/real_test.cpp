/// \file
/// `nasvm run` over real machines: a case for every kernel over every transport, each with every small number of
/// tasks.

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "fake_executor.hpp"
#include "harness/report/distinct.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"
#include "vm/system/table.hpp"
#include "vm/transport/table.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

constexpr int most_ranks = 9;

/// Whether the build has the program of its tasks, if it is a message system; notes that the case is skipped if not.
bool can_run_over(const std::string& transport) {
  const auto system = system_of(transport);
  if (!system.has_value()) return true;
  const std::string program = "nasvm-" + std::string(system->row->name) + "-task";
  if (std::filesystem::exists(built_program(program))) return true;
  skip(program + " is not built");
  return false;
}

/// Its only run.
RunRecord run_of(const std::string& kernel, const std::string& transport, int ranks) {
  const ProcessResult result = run_process(
      built_program("nasvm"),
      {"run", kernel, "--class", "S", "--np", std::to_string(ranks), "--transport", transport, "--format", "json"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  const Document document = from_json(result.out, "standard output");
  REQUIRE(document.records<RunRecord>().size() == 1);
  return document.records<RunRecord>().front();
}

class KernelOverTransport final : public Catch::ITestInvoker {
 public:
  KernelOverTransport(std::string_view kernel, std::string_view transport) : kernel_(kernel), transport_(transport) {}

  void invoke() const override {
    if (!can_run_over(transport_)) return;
    for (int ranks = 1; ranks <= most_ranks; ++ranks) {
      CAPTURE(ranks);
      const RunRecord run = run_of(kernel_, transport_, ranks);
      CHECK(run.kernel == kernel_);
      CHECK(run.transport == transport_);
      CHECK(run.verified);
    }
  }

 private:
  std::string kernel_;
  std::string transport_;
};

std::vector<std::string_view> every_transport() {
  std::vector<std::string_view> names{"auto"};
  for (const TransportRow& row : transports()) names.push_back(row.name);
  for (const SystemRow& row : message_systems()) names.push_back(row.name);
  return names;
}

/// Registers a case for each row of both tables.
[[maybe_unused]] const bool registered = [] {
  for (const Kernel& kernel : kernels()) {
    for (const std::string_view transport : every_transport()) {
      const std::string name = std::string(kernel.name) + " verifies over " + std::string(transport);
      const Catch::AutoReg add(new KernelOverTransport(kernel.name, transport), CATCH_INTERNAL_LINEINFO, "",
                               Catch::NameAndTags(name, "[heavy]"));
    }
  }
  return true;
}();

}  // namespace

TEST_CASE("what kernels send over PVM's direct route counts as pvm", "[heavy]") {
  const std::string transport = "pvm:route=direct";
  if (!can_run_over(transport)) return;
  const int ranks = GENERATE(range(1, most_ranks + 1));
  for (const Kernel& kernel : kernels()) {
    CAPTURE(kernel.name, ranks);
    const RunRecord run = run_of(std::string(kernel.name), transport, ranks);
    CHECK(run.verified);
    CHECK(run.comm.by_method.size() <= 1);
    if (ranks > 1) CHECK(run.comm.by_method.at("pvm").bytes == run.comm.volume_bytes);
    CHECK(run.comm.idle_max_s <= run.comm.time_max_s);
  }
}

TEST_CASE("tasks are on as many hosts as asked for, and name whom they have sent how much", "[heavy]") {
  const Folder folder;
  const std::string hostfile = folder.write("hosts", "127.0.0.1 slots=4\n127.0.0.2 slots=4\n127.0.0.3 slots=4\n");
  const ProcessResult result =
      run_process(built_program("nasvm"), {"run", "cg", "--np", "1,4", "--hosts", "1,2", "--hostfile", hostfile,
                                           "--transport", "direct", "--by-rank", "--format", "json"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  const Document document = from_json(result.out, "standard output");
  CHECK(document.machine.hosts.size() == 2);
  std::vector<std::pair<int, std::size_t>> sizes;
  for (const RunRecord& run : document.records<RunRecord>()) {
    const auto hosts = distinct(run.comm.by_rank, &RankRecord::host);
    sizes.emplace_back(run.np, hosts.size());
    CHECK(run.host_count == static_cast<int>(hosts.size()));
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;
    for (const PairRecord& pair : run.comm.by_pair) {
      CHECK(pair.from != pair.to);
      bytes += pair.bytes;
      messages += pair.messages;
    }
    CHECK(bytes == run.comm.volume_bytes);
    CHECK(messages == run.comm.messages);
    for (const RankRecord& task : run.comm.by_rank) {
      CHECK(task.region_s > 0);
      CHECK(task.region_s <= run.time_s);
      CHECK(task.time_s <= task.region_s);
    }
  }
  CHECK(sizes == std::vector<std::pair<int, std::size_t>>{{1, 1}, {4, 1}, {4, 2}});
}
