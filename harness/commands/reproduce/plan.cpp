#include "harness/commands/reproduce/plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace nasvm {
namespace {

constexpr int quick_hosts = 4;
/// With more, a tenth of a host's share is too little for anything on a small computer.
constexpr int most_shared_hosts = 9;

bool has_variant(const Kernel& kernel, std::string_view name) {
  return std::ranges::find(kernel.variants, name, &KernelVariant::name) != kernel.variants.end();
}

/// Already the smallest class, at that rate.
bool takes_minutes(const TestbedRecord& testbed, const Kernel& kernel) {
  return testbed.rate_mbit_s <= 10 && (kernel.name == "ft" || kernel.name == "cg");
}

/// What the paper ran at first, then ours.
std::vector<Launch> pair_of(Launch launch) {
  const Kernel& kernel = *launch.kernel;
  launch.variant = kernel.variants.front().name;
  Launch as_paper = launch;
  if (has_variant(kernel, paper_variant)) as_paper.variant = paper_variant;
  else if (kernel.parameter("balance") != nullptr) as_paper.parameters["balance"] = "pilot";  // section 5.2.1
  else return {launch};
  return {as_paper, launch};
}

Launch yardstick_of(Launch launch) {
  launch.variant = paper_variant;
  launch.yardstick = true;
  return launch;
}

/// Section 5.2.2: messages that do not overlap with computing; the token is for media that all share.
std::vector<Launch> message_orders(const TestbedRecord& testbed, Launch launch) {
  launch.variant = paper_variant;
  launch.transports = "direct";
  std::vector<Launch> orders;
  for (const char* order : {"plain", "token"}) {
    if (order == std::string_view("token") && testbed.medium != Medium::shared) continue;
    launch.parameters["order"] = order;
    orders.push_back(launch);
  }
  return orders;
}

/// EP with its work divided beforehand, by a pilot computation (section 5.2.1), and in units on demand (proposed in
/// section 7.2), where one host is ten times slower; the first where none is says what can be had at best. Class B:
/// long enough for shares of the processors to be kept.
std::vector<Launch> slowed_host(Launch launch) {
  launch.problem_class = 'B';
  launch.variant = launch.kernel->variants.front().name;
  launch.transports = "direct";
  launch.shares = HostShares::alike;
  std::vector<Launch> launches{launch};
  launch.shares = HostShares::one_slowed;
  launches.push_back(launch);
  launch.parameters["balance"] = "pilot";
  launches.push_back(launch);
  launch.parameters.clear();
  launch.variant = farm_variant;
  launch.transports = "daemon";  // which carries a farm's messages
  launches.push_back(launch);
  return launches;
}

}  // namespace

std::string_view text_of(HostShares shares) {
  switch (shares) {
    case HostShares::alike:
      return "hosts held alike";
    case HostShares::one_slowed:
      return "one host slowed";
    default:
      return "";
  }
}

/// A fifth is left for what is not theirs.
double share_alike(int hosts, int cores) { return std::min(1.0, 0.8 * cores / hosts); }

std::string Launch::label() const {
  std::string text = variant;
  for (const auto& [name, value] : parameters) text += fmt::format(", --{} {}", name, value);
  if (shares != HostShares::free) text += fmt::format(", {}", text_of(shares));
  return text;
}

std::string name_of(const Launch& launch) {
  if (launch.yardstick) {
    return fmt::format("{}, messages of {} over plain sockets",
                       size_text(launch.kernel->name, launch.problem_class, launch.np), launch.label());
  }
  return fmt::format("{}, {} over {}", size_text(launch.kernel->name, launch.problem_class, launch.np),
                     launch.label(), launch.transports);
}

TestbedRecord testbed_record(const Testbed& testbed, bool quick, int rate_mbit_s) {
  return {std::string(testbed.name), quick ? quick_hosts : testbed.hosts,
          rate_mbit_s > 0 ? rate_mbit_s : testbed.rate_mbit_s, testbed.medium, quick};
}

Schedule schedule_of(const std::vector<const Testbed*>& asked_for, bool quick) {
  Schedule schedule{asked_for};
  std::vector<const Testbed*> shared;
  std::ranges::copy_if(asked_for, std::back_inserter(shared),
                       [](const Testbed* testbed) { return testbed->medium == Medium::shared; });
  if (quick || shared.size() < 2) return schedule;
  const auto [slowest, fastest] = std::ranges::minmax(shared, {}, &Testbed::rate_mbit_s);
  schedule.beside = fastest;
  std::erase_if(schedule.in_turns, [&](const Testbed* testbed) { return testbed == slowest || testbed == fastest; });
  schedule.in_turns.push_back(slowest);
  return schedule;
}

std::vector<Launch> make_launches(const TestbedRecord& testbed, const std::vector<const Kernel*>& kernels) {
  std::vector<Launch> launches;
  const auto append = [&launches](const std::vector<Launch>& more) {
    launches.insert(launches.end(), more.begin(), more.end());
  };
  for (const Kernel* kernel : kernels) {
    const PaperRow* row = find_paper_row(testbed.name, kernel->name);
    if (row == nullptr || (testbed.quick && takes_minutes(testbed, *kernel))) continue;
    Launch launch;
    launch.kernel = kernel;
    launch.problem_class = testbed.quick ? 'S' : row->problem_class;
    launch.np = testbed.quick ? testbed.hosts : row->tasks;
    append(pair_of(launch));
    if (has_variant(*kernel, paper_variant)) append({yardstick_of(launch)});
    if (kernel->parameter("order") != nullptr) append(message_orders(testbed, launch));
    if (has_variant(*kernel, farm_variant) && !testbed.quick && row->tasks <= most_shared_hosts)
      append(slowed_host(launch));
  }
  return launches;
}

Exchange exchange_of(const RunRecord& run, double most_bytes) {
  const double share = std::min(1.0, most_bytes / static_cast<double>(run.comm.volume_bytes));
  Exchange exchange;
  for (const RankRecord& rank : run.comm.by_rank) exchange.plan += fmt::format("host {}\n", rank.host);
  for (const PairRecord& pair : run.comm.by_pair) {
    if (pair.messages == 0) continue;
    const double wanted = std::round(share * static_cast<double>(pair.messages));
    const std::uint64_t messages = std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1);
    const std::uint64_t bytes = pair.bytes * messages / pair.messages;
    exchange.plan += fmt::format("pair {} {} {} {}\n", pair.from, pair.to, bytes, messages);
    exchange.bytes += bytes;
    exchange.messages += messages;
  }
  return exchange;
}

std::vector<std::string> start_of_machine(const std::string& hostfile) {
  return {"vm", "start", std::string(kept_machine_name), "--hostfile", hostfile, "--launcher", "ssh"};
}

std::vector<std::string> stop_of_machine() { return {"vm", "stop", std::string(kept_machine_name)}; }

std::vector<std::string> arguments_of(const Launch& launch, const std::string& hostfile, double timeout_s) {
  std::vector<std::string> words{"run",         std::string(launch.kernel->name),
                                 "--class",     std::string(1, launch.problem_class),
                                 "--np",        std::to_string(launch.np),
                                 "--variant",   launch.variant,
                                 "--transport", launch.transports,
                                 "--timeout",   fmt::format("{:g}", timeout_s),
                                 "--format",    "json"};
  const auto where = launch.shares == HostShares::free
                         ? std::vector<std::string>{"--hostfile", hostfile, "--launcher", "ssh"}
                         : std::vector<std::string>{"--vm", std::string(kept_machine_name)};
  words.insert(words.end(), where.begin(), where.end());
  if (launch.variant == paper_variant) words.emplace_back("--by-rank");  // for the yardstick
  for (const auto& [name, value] : launch.parameters) {
    words.push_back("--" + name);
    words.push_back(value);
  }
  return words;
}

}  // namespace nasvm
