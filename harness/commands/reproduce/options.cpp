#include "harness/commands/reproduce/options.hpp"

#include <memory>

#include <fmt/format.h>

#include "harness/cli/groups.hpp"
#include "harness/cli/values.hpp"
#include "harness/report/distinct.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

std::string testbed_names() { return joined(distinct(testbeds(), &Testbed::name)); }

std::vector<const Testbed*> parse_testbeds(const std::vector<std::string>& names) {
  std::vector<const Testbed*> chosen;
  for (const std::string& name : names) {
    const Testbed* testbed = find_testbed(name);
    if (testbed == nullptr) {
      const auto known = distinct(testbeds(), &Testbed::name);
      throw UsageError(
          fmt::format("testbed \"{}\" is not known; known are {}{}", name, joined(known), hint(name, known)));
    }
    chosen.push_back(testbed);
  }
  if (chosen.empty()) {
    for (const Testbed& testbed : testbeds()) chosen.push_back(&testbed);
  }
  return distinct(chosen, [](const Testbed* testbed) { return testbed; });
}

}  // namespace

void add_reproduce_options(CommandLine& line, ReproduceOptions& options, std::span<const std::string_view> formats) {
  const auto names = std::make_shared<std::vector<std::string>>();
  line.arguments({"TESTBED", "", fmt::format("{} (default: all)", testbed_names())}, *names);
  line.afterwards([&options, names] { options.testbeds = parse_testbeds(*names); });
  add_parsed(line, {"--kernels", "LIST", fmt::format("{} or all", kernel_names())}, "all",
             [&options](const std::string& list) { options.kernels = parse_kernels(split(list, ',')); });
  line.flag({"--quick", "", "smaller problems on four hosts, under 4 minutes in all: nothing of the paper's size"},
            options.quick);
  add_parsed(line,
             {"--rate", "MBIT/S", "another rate than the paper's: lower where too few processors slow a testbed"}, "",
             [&options](const std::string& text) {
               if (!text.empty()) options.rate_mbit_s = parse_count("--rate", text, 1, 100'000);
             });
  line.option({"--out", "FOLDER", "folder for report.md, report.html and a result document of each testbed"},
              options.folder);
  line.option({"--lab", "FILE", "the script that makes the hosts (default: scripts/lab beside the program or above)"},
              options.lab);
  add_timeout_option(line, options.timeout_s);
  add_choice(line, {"--format", "NAME", "how results are printed: " + joined(formats)}, options.format,
             {formats.begin(), formats.end()});
}

}  // namespace nasvm
