#include "harness/commands/info/info.hpp"

#include <chrono>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "harness/commands/info/counting_cost.hpp"
#include "harness/document/build_info.hpp"
#include "harness/document/machine_info.hpp"
#include "harness/kernel_runs/record.hpp"
#include "harness/report/heading.hpp"
#include "harness/session/machines.hpp"
#include "harness/text.hpp"
#include "vm/multicast/automatic.hpp"
#include "vm/probe/copy_rates.hpp"
#include "vm/system/runner.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

std::string libraries_text(const BuildRecord& build) {
  std::vector<std::string> parts;
  for (const auto& [name, version] : build.libraries) parts.push_back(name + " " + version);
  return joined(parts);
}

std::string kernels_text() {
  std::string text;
  for (const Kernel& kernel : kernels()) {
    text += fmt::format("  {:<11} {}; classes {}", kernel.name, kernel.description, kernel.classes);
    if (kernel.variants.size() > 1) text += fmt::format("; variants {}", joined(names_of(kernel.variants)));
    text += "\n";
    if (kernel.variants.size() == 1) continue;
    for (const KernelVariant& variant : kernel.variants) {
      text += fmt::format("  {:<11} {:<9} {}\n", "", variant.name, variant.description);
    }
  }
  return text;
}

/// Of kernels that choose something.
std::string choices_text() {
  std::string text;
  for (const Kernel& kernel : kernels()) {
    if (kernel.choices == nullptr) continue;
    for (const TuningChoice& choice : kernel.choices()) {
      text += fmt::format("  {:<11} {}: {} ({})\n", kernel.name, choice.what, choice.chosen, choice.why);
    }
  }
  return text;
}

/// What of this machine is known beside its document's members.
void describe_choices(Fields& fields) {
  std::map<std::string, TuningChoices> all;
  for (const Kernel& kernel : kernels()) {
    if (kernel.choices != nullptr) all[std::string(kernel.name)] = kernel.choices();
  }
  fields.object("choices", [&all](Fields& inner) {
    for (auto& [kernel, choices] : all) inner.list(kernel.c_str(), choices);
  });
}

/// A line for each row of a table.
template <typename Rows>
std::string rows_text(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) text += fmt::format("  {:<11} {}\n", row.name, row.description);
  return text;
}

std::string transports_text() {
  std::string text = rows_text(transports());
  for (const SystemRow& row : message_systems()) {
    text += fmt::format("  {:<11} {}\n", row.name, row.description);
    const std::string lack = lack_for(row);
    if (!lack.empty()) text += fmt::format("  {:<11} not available: {}\n", "", lack);
  }
  return text;
}

/// The first rule that applies decides.
std::string automatic_rules_text() {
  std::string text;
  for (const multicast::Rule& rule : multicast::automatic_rules()) {
    text += fmt::format("  {:<11} {}: {}\n", rule.protocol, rule.when, rule.why);
  }
  return text;
}

/// As daemons do, with more time for it.
CopyRates rates_of_copying() {
  constexpr std::chrono::milliseconds longest{100};
  put_copy_rates_into_environment(longest);
  return copy_rates_in_environment();
}

std::string info_text(const BuildRecord& build, const MachineRecord& machine, const Tables& tables) {
  const CountingCost counting = counting_cost();
  return fmt::format(
      "nasvm {}\n"
      "  commit      {}\n"
      "  compiler    {}\n"
      "  flags       {}\n"
      "  built       {}\n"
      "  kernels for {}\n"
      "  libraries   {}\n"
      "  machine     {}\n"
      "              {}\n"
      "  schema      {}\n"
      "  counting    {:.1f} ns for each message-layer call, {:.1f} ns for a short one through memory\n"
      "  copying     {}\n"
      "Kernels\n{}"
      "What kernels choose on this machine\n{}"
      "Transports\n{}"
      "Launchers\n{}"
      "Multicast protocols\n{}"
      "What --multicast auto takes: the first that applies\n{}",
      build.version, build.commit, build.compiler, build.flags, build.date, build.simd, libraries_text(build),
      platform_text(machine), modes_text(machine.hosts.front()), result_schema, counting.timed_s * 1e9,
      counting.quick_s * 1e9, copying_text(rates_of_copying()), kernels_text(), choices_text(), transports_text(),
      rows_text(tables.launchers), rows_text(tables.protocols), automatic_rules_text());
}

class Info final : public Command {
 public:
  void add_options(CommandLine& line, const Tables&) override {
    add_choice(line, {"--format", "NAME", "what to print: text, json"}, format_, {"text", "json"});
    line.footer("Example:\n  nasvm info --format json");
  }

  Exit run(const Call& call) override {
    const BuildRecord& build = build_record();
    const MachineRecord machine{{local_host()}};
    call.console.out(format_ == "json" ? to_json(build, machine, describe_choices)
                                       : info_text(build, machine, call.tables));
    return Exit::ok;
  }

 private:
  std::string format_ = "text";
};

}  // namespace

CommandRow info_command() {
  return {"info", "version, build, machine and dependencies", [] { return std::make_unique<Info>(); }};
}

}  // namespace nasvm
