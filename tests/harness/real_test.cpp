/// \file
/// `nasvm run` over real machines: a case for every kernel over every transport, each with every small number of
/// tasks.

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "fake_executor.hpp"
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
