// Decomposition, communication and verification of EP. The compute loops are in tally*.cpp.

#include "kernels/ep/ep.hpp"

#include <array>
#include <string>
#include <vector>

#include "kernels/ep/balance.hpp"
#include "kernels/ep/choices.hpp"
#include "kernels/ep/conclude.hpp"
#include "kernels/ep/farm.hpp"
#include "kernels/ep/problem.hpp"
#include "kernels/ep/tally.hpp"
#include "vm/collective/costs.hpp"
#include "vm/status.hpp"

namespace nasvm::ep {
namespace {

constexpr std::array<std::string_view, 2> balances{"even", "pilot"};
enum class Balance : std::size_t { even, pilot };  // in the order of `balances`

constexpr std::array parameters_of_ep{KernelParameter{
    .name = "balance",
    .description = "even, or pilot (work in proportion to measured speed)",
    .values = balances,
}};

Balance balance_of(const Problem& problem) { return static_cast<Balance>(parameters_of_ep[0].chosen(problem)); }

/// What tasks add up: both sums and all counts, as doubles (counts stay below 2^53, so they are exact).
using Package = std::array<double, 2 + annuli>;

Package pack(const Tally& tally) {
  Package package{tally.sx, tally.sy};
  for (std::size_t annulus = 0; annulus < annuli; ++annulus) {
    package[2 + annulus] = static_cast<double>(tally.counts[annulus]);
  }
  return package;
}

Tally unpack(const Package& package) {
  Tally tally{package[0], package[1], {}};
  for (std::size_t annulus = 0; annulus < annuli; ++annulus) {
    tally.counts[annulus] = static_cast<std::uint64_t>(package[2 + annulus]);
  }
  return tally;
}

/// This task's batches in proportion to its measured speed. Collective.
Range balanced_share(Comm& comm, std::int64_t batches, TallyLoop loop, int threads) {
  const std::array<double, 1> mine{measure_speed(loop, threads)};
  std::vector<double> speeds(static_cast<std::size_t>(comm.size()));
  comm.allgather(mine, speeds);
  return range_of(proportional_parts(batches, speeds), comm.rank());
}

template <TallyLoop loop>
Outcome run(Comm& comm, const Problem& problem) {
  const Parameters& parameters = ep::parameters(problem.problem_class);
  const bool pilot = balance_of(problem) == Balance::pilot;
  const std::int64_t batches = parameters.batches();
  Outcome outcome;

  comm.barrier();
  const TimedRegion timed(comm);
  const Range mine =
      pilot ? balanced_share(comm, batches, loop, problem.threads) : share(batches, comm.size(), comm.rank());
  Package package = pack(tally(loop, mine, problem.threads));
  comm.allreduce(package);
  timed.stop(outcome);

  conclude(parameters, unpack(package), outcome);
  if (loop == tally_tuned) outcome.choices = choices();
  return outcome;
}

Traffic traffic(const Problem& problem, int tasks) {
  const collective::Cost sums = collective::allreduce_cost(tasks, sizeof(Package));
  const collective::Cost speeds =
      balance_of(problem) == Balance::pilot ? collective::allgather_cost(tasks, sizeof(double)) : collective::Cost{};
  const collective::Cost total = sums + speeds;
  return {total.bytes, total.messages, true};
}

/// 2^(m+1) random numbers.
double mega_operations(const Problem& problem) {
  return 2e-6 * static_cast<double>(parameters(problem.problem_class).batches() * batch_pairs);
}

/// The loops live in registers and on the stack.
std::uint64_t memory_bytes(const Problem&, int tasks) { return static_cast<std::uint64_t>(tasks) * 64 * 1024; }

std::string size_text(const Problem& problem) {
  return std::to_string(2 * parameters(problem.problem_class).batches() * batch_pairs);
}

template <TallyLoop loop>
constexpr KernelVariant variant(std::string_view name, std::string_view description) {
  return {name, description, run<loop>, memory_bytes, traffic, work};
}

constexpr std::array variants{
    variant<tally_tuned>("tuned", "the fastest loop that this processor can run"),
    variant<tally_simd>("portable", "the vectorised loop for every processor, also where there is a faster one"),
    variant<tally_reference>("reference", "one pair after the other, with the library's log and sqrt"),
    KernelVariant{
        .name = "farm",
        .description = "small units, handed out on demand to tasks that it spawns: bears slow and dying hosts",
        .run = nullptr,
        .memory_bytes = memory_bytes,
        .traffic = farm_traffic,
        .work = work,
        .farmed = &farmed_work},
};

}  // namespace

constinit const Kernel kernel{
    .name = "ep",
    .title = "EP",
    .description = "Gaussian deviates from pairs of random numbers: all computing, one reduction at the end",
    .classes = class_letters,
    .variants = variants,
    .parameters = parameters_of_ep,
    .mega_operations = mega_operations,
    .size_text = size_text,
    .iterations = [](const Problem&) { return 0; },
    .operation_type = "Random numbers generated",
    .choices = choices,
};

}  // namespace nasvm::ep
