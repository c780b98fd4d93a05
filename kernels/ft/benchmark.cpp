#include "kernels/ft/benchmark.hpp"

#include <fmt/format.h>

#include <vector>

#include "kernels/ft/checksum.hpp"
#include "kernels/ft/choices.hpp"

namespace nasvm::ft {
namespace {

/// V, and the checksums so far.
KernelState state_of(Solver& solver, std::vector<Complex>& checksums) {
  KernelState state = solver.state();
  state.numbers = std::as_writable_bytes(std::span(checksums));
  return state;
}

}  // namespace

Outcome run_benchmark(Comm& comm, const Parameters& problem, EngineKind engine, int threads,
                      Checkpoints* checkpoints) {
  const std::unique_ptr<Solver> solver = make_solver(engine, comm, problem.grid, threads);
  solver->start();
  std::vector<Complex> checksums(static_cast<std::size_t>(problem.iterations()));
  const auto state = [&] { return state_of(*solver, checksums); };

  Outcome outcome;
  outcome.first_iteration = first_iteration(checkpoints, state);
  comm.barrier();
  TimedRegion timed(comm);
  if (outcome.first_iteration == 1) solver->start();
  for (int t = outcome.first_iteration; t <= problem.iterations(); ++t) {
    checksums[static_cast<std::size_t>(t - 1)] = solver->checksum_at(t);
    checkpoint_if_due(checkpoints, timed, t, problem.iterations(), state);
  }
  Verification verification = verify(checksums, problem.checksums);
  timed.stop(outcome);

  // Only rank 0 had the sums; now everyone gets them and the same verdict.
  comm.broadcast(checksums);
  verification = verify(checksums, problem.checksums);
  outcome.verified = verification.verified;
  outcome.details = {{"checksum", fmt::format("{:.12e} {:.12e}", checksums.back().real(), checksums.back().imag())},
                     {"error", fmt::format("{:.1e}", verification.worst_error)}};
  if (engine == EngineKind::fused) outcome.choices = choices();
  return outcome;
}

}  // namespace nasvm::ft
