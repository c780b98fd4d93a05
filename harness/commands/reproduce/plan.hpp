#pragma once
/// \file
/// What `nasvm reproduce` runs on a testbed: for each kernel variant `paper` and the usual one, each over daemon and
/// direct; then plain sockets that move the same
/// messages, and what the paper tried besides.

#include <string>
#include <vector>

#include "harness/commands/reproduce/options.hpp"
#include "harness/commands/reproduce/record.hpp"
#include "harness/kernel_runs/run_cases.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

/// What hosts are given of the processors.
enum class HostShares {
  free,       ///< what they get
  alike,      ///< all the same, so little that there is enough for all
  one_slowed  ///< the same but for the last one, which has a tenth of it
};

/// "", "hosts held alike", "one host slowed"
std::string_view text_of(HostShares shares);

/// One call of `nasvm run` on the testbed.
struct Launch {
  const Kernel* kernel = nullptr;
  char problem_class = 'S';
  int np = 1;  ///< one task on each of the first hosts
  std::string variant;
  ParameterValues parameters{};
  std::string transports = "daemon,direct";
  HostShares shares = HostShares::free;
  /// No kernel, but the messages that this variant has sent over `direct` before, over plain sockets.
  bool yardstick = false;

  /// What its records say of their variant: "paper", and with parameters "paper, --order token".
  [[nodiscard]] std::string label() const;
};

/// "ft class R, 16 tasks, paper over daemon,direct"
std::string name_of(const Launch& launch);

/// The share of one processor that each of `hosts` has where all are held alike on a computer of so many cores.
double share_alike(int hosts, int cores);
/// That of the slowed one by that of the others.
inline constexpr double slowed_share = 0.1;

/// The testbed as it is emulated: the paper's, or smaller, or of another rate; 0: the paper's.
TestbedRecord testbed_record(const Testbed& testbed, bool quick, int rate_mbit_s = 0);

/// When which testbed is measured.
struct Schedule {
  std::vector<const Testbed*> in_turns;
  const Testbed* beside = nullptr;  ///< at the same time as the last of those; or none
};

/// A medium that all hosts share leaves the processors idle: of several such testbeds the fastest is measured beside
/// the slowest, and that one at last. Where it has to be quick, each by itself.
Schedule schedule_of(const std::vector<const Testbed*>& asked_for, bool quick);

/// All launches on that testbed, kernel by kernel. Where it has to be quick, FT and CG are none of them on
/// `ethernet`: their smallest class takes minutes at 10 Mbit/s.
std::vector<Launch> make_launches(const TestbedRecord& testbed, const std::vector<const Kernel*>& kernels);

/// What plain sockets are to move.
struct Exchange {
  std::string plan;  ///< as nasvm-lab-exchange reads it (lab/exchange.hpp)
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
};

/// What the tasks of a run have sent to each other. Where that is more than `most_bytes`, each pair's messages in the
/// same proportion, at least one.
Exchange exchange_of(const RunRecord& run, double most_bytes);

/// For how long plain sockets are given work: their time does not change from round to round.
inline constexpr double longest_exchange_s = 30;

/// The kept machine on which hosts are slowed: daemons have to come up before.
inline constexpr std::string_view kept_machine_name = "reproduce";
/// The words behind `nasvm` that start it, and that end it.
std::vector<std::string> start_of_machine(const std::string& hostfile);
std::vector<std::string> stop_of_machine();

/// The words behind `nasvm`; results go to standard output as a document.
std::vector<std::string> arguments_of(const Launch& launch, const std::string& hostfile, double timeout_s);

}  // namespace nasvm
